// Counts and hashes a request's body while it is sent: how far it has come, and whether the server
// stored the bytes that were read. Not responsible for the consequences of either.

import ContentHashing
import Saturating
import Synchronization

/// A body around another one.
final class ObservedBody: BodySource {
    /// The bytes that were read in order from the start.
    private struct Reading {
        var hasher = ContentHasher()
        /// Where the next byte in order is; nil after a read at another place.
        var position: UInt64? = 0
    }

    private let body: any BodySource
    private let progress: (@Sendable (TransferProgress) -> Void)?
    /// Nil where no hash is wanted. Held while a piece is hashed; a body has one reader at a time.
    private let reading: Mutex<Reading>?

    init(
        _ body: any BodySource, progress: (@Sendable (TransferProgress) -> Void)?, isHashed: Bool
    ) {
        self.body = body
        self.progress = progress
        reading = isHashed ? Mutex(Reading()) : nil
    }

    var length: UInt64 { body.length }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        let count = try body.read(at: offset, into: buffer)
        // A count that cannot be is the transport's to refuse.
        guard count > 0, count <= buffer.count else { return count }
        let piece = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
        let end = offset +| UInt64(clamping: count)
        reading?.withLock { reading in
            // A request that is sent again begins anew.
            if offset == 0 { reading = Reading() }
            guard reading.position == offset else {
                reading.position = nil
                return
            }
            reading.hasher.update(piece)
            reading.position = end
        }
        progress?(TransferProgress(bytesDone: end, bytesTotal: length))
        return count
    }

    /// The hash of the whole body, if it was read in order to its end.
    var hash: ContentHash? {
        reading?.withLock { $0.position == length ? $0.hasher.finalized() : nil }
    }
}
