// The history on disk: lines of JSON in the state folder, in two files of bounded size. A line that
// cannot be read is left out, because a kill may cut the last one. Nothing is flushed: the history
// may lose its end in a power cut.

import DropboxAPI
import Glibc
import LocalFiles
import LocalIO
import Saturating
package import SystemPackage

/// The history of a state folder.
package struct HistoryFile: Sendable {
    /// Bytes after which the file is renamed to `….1`. Two files of it hold some 60,000 events.
    static let rotationSize: Int64 = 4 << 20
    /// Bytes that are read of one file: four times what a mount leaves in it.
    private static let readLimit = 16 << 20
    private static let lineFeed = UInt8(ascii: "\n")

    /// The file of the newest events.
    let path: String
    private let rotationSize: Int64

    /// The history in a state folder.
    package init(folder: String) {
        self.init(folder: folder, rotationSize: Self.rotationSize)
    }

    init(folder: String, rotationSize: Int64) {
        path = folder + "/history.jsonl"
        self.rotationSize = rotationSize
    }

    private var earlier: String { path + ".1" }

    // MARK: Writing

    /// Appends events. One process writes at a time: the one that has the state folder's lock.
    package func append(_ records: [HistoryRecord]) throws(Errno) {
        var lines: [UInt8] = []
        for record in records {
            guard let line = try? JSON.encode(record) else { continue }
            lines.append(contentsOf: line)
            lines.append(Self.lineFeed)
        }
        guard !lines.isEmpty else { return }
        var status = stat()
        if lstat(path, &status) == 0,
            Int64(clamping: status.st_size) +| Int64(clamping: lines.count) > rotationSize
        {
            rename(path, earlier)
        }
        let file = try open()
        defer { close(file) }
        let size = Int64(clamping: lseek(file, 0, SEEK_END))
        var last = Self.lineFeed
        if size > 0, pread(file, &last, 1, off_t(clamping: size -| 1)) == 1, last != Self.lineFeed {
            lines.insert(Self.lineFeed, at: 0)
        }
        do {
            try FileDescriptor(rawValue: file).writeAll(lines)
        } catch {
            throw (error as? Errno) ?? .ioError
        }
    }

    private func open() throws(Errno) -> Int32 {
        do throws(RegularFile.Failure) {
            return try RegularFile.open(path, O_RDWR | O_CREAT | O_APPEND)
        } catch {
            throw Errno(rawValue: error.errno)
        }
    }

    // MARK: Reading

    /// The events that pass a filter, the oldest first; the last `limit` of them. `end` leaves out
    /// what a follower will get.
    package func records(
        _ filter: HistoryFilter, limit: Int? = nil, before end: Int64 = .max
    ) -> [HistoryRecord] {
        var found: [HistoryRecord] = []
        for file in [earlier, path] {
            guard let bytes = try? RegularFile.contents(of: file, limit: Self.readLimit) else {
                continue
            }
            let lines = bytes.prefix(file == path ? Int(clamping: end) : .max)
            found.append(contentsOf: Self.records(in: lines, filter))
        }
        guard let limit else { return found }
        return Array(found.suffix(clamping: limit))
    }

    fileprivate static func records(
        in lines: some Collection<UInt8>, _ filter: HistoryFilter
    ) -> [HistoryRecord] {
        lines.split(separator: lineFeed).compactMap { line in
            guard let record = try? JSON.decode(HistoryRecord.self, from: Array(line)),
                filter.includes(record)
            else { return nil }
            return record
        }
    }
}

/// Reads events as they are appended.
package struct HistoryFollower {
    private let file: HistoryFile
    private let filter: HistoryFilter
    private var descriptor: Int32 = -1
    /// Where the file has what comes next.
    package private(set) var offset: Int64 = 0
    private var rest: [UInt8] = []

    /// Begins behind the events that there are.
    package init(_ file: HistoryFile, _ filter: HistoryFilter) {
        self.file = file
        self.filter = filter
        descriptor = Self.open(file.path)
        if descriptor >= 0 { offset = Int64(clamping: lseek(descriptor, 0, SEEK_END)) }
    }

    /// The events since the last call.
    package mutating func next() -> [HistoryRecord] {
        if descriptor < 0 {
            (descriptor, offset) = (Self.open(file.path), 0)
            guard descriptor >= 0 else { return [] }
        }
        var found = read()
        guard isReplaced else { return found }
        // All of the old file is read: what comes is in a new one.
        close(descriptor)
        (descriptor, offset, rest) = (Self.open(file.path), 0, [])
        if descriptor >= 0 { found.append(contentsOf: read()) }
        return found
    }

    private mutating func read() -> [HistoryRecord] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(clamping: offset))
            guard count > 0 else { break }
            offset +|= Int64(clamping: count)
            rest.append(contentsOf: buffer.prefix(count))
        }
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = Array(rest[...end])
        rest.removeSubrange(...end)
        return HistoryFile.records(in: lines, filter)
    }

    /// Whether another file has taken the name.
    private var isReplaced: Bool {
        var (own, named) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(file.path, &named) == 0 else { return true }
        return own.st_ino != named.st_ino || own.st_dev != named.st_dev
    }

    private static func open(_ path: String) -> Int32 {
        (try? RegularFile.open(path, O_RDONLY)) ?? -1
    }
}
