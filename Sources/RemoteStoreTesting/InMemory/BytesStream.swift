// The download of a content in memory. Not responsible for ranges: the store has checked them.

import RemoteStore
import Synchronization

/// A stream with pieces of 64 KiB.
final class BytesStream: RemoteByteStream {
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = Mutex(bytes)
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        if Task.isCancelled { throw .cancelled }
        return rest.withLock { rest in
            let piece = rest.prefix(65_536)
            rest = rest.dropFirst(piece.count)
            return piece.isEmpty ? nil : Array(piece)
        }
    }
}
