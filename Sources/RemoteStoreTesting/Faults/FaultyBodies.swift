// Bodies that end early or are corrupt, in both directions.

import RemoteStore
import Synchronization

/// A download stream with a fault.
final class FaultyStream: RemoteByteStream {
    private let base: any RemoteByteStream
    private let fault: Fault?
    private let position = Mutex<Int64>(0)

    init(_ base: any RemoteByteStream, _ fault: Fault?) {
        self.base = base
        self.fault = fault
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        let start = position.withLock { $0 }
        if case .cutBody(let end, let error) = fault, start >= end { throw error }
        guard var piece = try await base.next() else { return nil }
        switch fault {
        case .cutBody(let end, _):
            piece = Array(piece.prefix(Int(min(Int64(piece.count), end - start))))
        case .corruptBody(let offset):
            piece.corrupt(at: offset - start)
        case .failBefore, .failAfter, .stall, nil: break
        }
        let count = Int64(piece.count)
        position.withLock { $0 += count }
        return piece
    }
}

/// An upload source with a fault.
struct FaultySource: UploadSource {
    private let base: any UploadSource
    /// Offset in the source of the corrupt byte.
    private let corrupted: Int64?

    init(_ base: any UploadSource, _ fault: Fault?, start: Int64) {
        self.base = base
        if case .corruptBody(let offset) = fault {
            corrupted = start + offset
        } else {
            corrupted = nil
        }
    }

    var size: Int64 { base.size }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try base.read(at: offset, into: buffer)
        if let corrupted, (offset..<offset + Int64(count)).contains(corrupted) {
            buffer[Int(corrupted - offset)] ^= 0xFF
        }
        return count
    }

    func noteTaken(upTo offset: Int64) { base.noteTaken(upTo: offset) }
}

extension [UInt8] {
    fileprivate mutating func corrupt(at offset: Int64) {
        guard let index = Int(exactly: offset), indices.contains(index) else { return }
        self[index] ^= 0xFF
    }
}
