// The operations of one Dropbox in the order of their application, one JSON array per line. Not
// responsible for their effects (`SpaceState`).

import Glibc

/// An append-only file of operations.
final class Journal: Sendable {
    private let file: BlockingFile

    /// Opens the journal and replays every operation in it. An incomplete last line, left by a
    /// crash, is removed: its operation was never acknowledged to a client.
    init(path: String, replay: (Operation, APITime) -> Void) throws {
        file = try BlockingFile(writing: path, append: true)
        var line: [UInt8] = []
        var offset: Int64 = 0
        var intact: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try buffer.withUnsafeMutableBytes { buffer throws(FileError) in
                try file.read(into: buffer, at: offset)
            }
            if count == 0 { break }
            for position in 0..<count {
                guard buffer[position] == UInt8(ascii: "\n") else {
                    line.append(buffer[position])
                    continue
                }
                if let (operation, time) = Self.record(line) { replay(operation, time) }
                line.removeAll(keepingCapacity: true)
                intact = offset + Int64(position) + 1
            }
            offset += Int64(count)
        }
        if intact < offset { try file.truncate(to: intact) }
    }

    /// Appends an operation. It is in the page cache on return: it survives the end of the process,
    /// which is enough for an emulator.
    func append(_ operation: Operation, at time: APITime) throws(FileError) {
        var line = JSONValue.array([.integer(time.seconds)] + operation.fields).utf8()
        line.append(UInt8(ascii: "\n"))
        try file.append(line)
    }

    private static func record(_ line: [UInt8]) -> (Operation, APITime)? {
        guard let json = try? JSONParser.parse(line), let fields = json.array,
            let seconds = fields.first?.integer,
            let operation = Operation(fields: Array(fields.dropFirst()))
        else { return nil }
        return (operation, APITime(seconds: seconds))
    }
}
