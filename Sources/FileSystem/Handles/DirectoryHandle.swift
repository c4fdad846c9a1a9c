// An open folder: where its reader is. Not responsible for the names: `DirectoryListings`.

import Core
import Saturating
import Synchronization

/// One open folder handle.
///
/// Names are read from the store at offset 0, and again after a rewind. Attributes are read for
/// each call, because the kernel caches them.
final class DirectoryHandle: Sendable {
    private struct State {
        var listing: UInt64?
        var start: UInt64 = 0
        var end: UInt64?
        var piece = DirectoryHandle.smallestPiece
    }

    /// Entries whose attributes are read at once before the size of the reader's buffer is known.
    static let smallestPiece = 32
    /// A few more than fit into the 32 KiB buffer of glibc's `readdir`.
    static let largestPiece = 512

    /// Inode of the open folder.
    let inode: InodeID
    /// Lock rank 4 (see `OpenFiles`), held for assignments.
    private let state = Mutex(State())

    init(inode: InodeID) {
        self.inode = inode
    }

    /// The number of the listing that is read; nil before the first read.
    var listing: UInt64? { state.withLock { $0.listing } }

    /// Sets the number and the range of the listing that is read from now on. Returns the number of
    /// the last one.
    func replaceListing(_ number: UInt64, start: UInt64, end: UInt64?) -> UInt64? {
        state.withLock { state in
            let last = state.listing
            state.listing = number
            state.start = start
            state.end = end
            return last
        }
    }

    /// Where a listing for a reader at this offset should start: as the last one did, or behind it.
    /// So handles that read the same have the same listings.
    func start(for offset: UInt64) -> UInt64 {
        state.withLock { state in
            if let end = state.end, offset >= end { return end }
            return offset >= state.start ? state.start : 0
        }
    }

    /// Number of entries to look up for the next call.
    var pieceSize: Int { state.withLock { $0.piece } }

    /// Notes how many entries fit the reader's buffer; the next call will fit about as many.
    func noteTaken(_ count: Int) {
        state.withLock { state in
            state.piece = max(Self.smallestPiece, min(Self.largestPiece, count +| count / 8))
        }
    }
}
