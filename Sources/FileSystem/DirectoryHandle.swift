// An open folder: a listing that stays the same while it is read in pieces.

import Core
import MetadataStore
import Synchronization

/// One open folder of a process.
///
/// Names are read from the store when the reader is at the beginning, and again after a rewind; so
/// offsets are indices, and a name that was there all the time is delivered exactly once. Attributes are
/// read with each piece, because the kernel keeps what it is given.
final class DirectoryHandle: Sendable {
    private struct State {
        var children: [Child]?
        var piece = DirectoryHandle.smallestPiece
    }

    /// Entries whose attributes are read at once, before it is known how many fit the reader's buffer.
    static let smallestPiece = 32
    /// As many as fit the 32 KiB buffer of glibc's `readdir`, and some more.
    static let largestPiece = 512

    /// The folder.
    let inode: InodeID
    /// Lock rank 4 (see `OpenFiles`), held for assignments.
    private let state = Mutex(State())

    init(inode: InodeID) {
        self.inode = inode
    }

    /// The names, if they have been read since the last rewind.
    var children: [Child]? { state.withLock { $0.children } }

    /// Sets the names.
    func refresh(_ children: [Child]) {
        state.withLock { $0.children = children }
    }

    /// How many entries to look up with the next piece.
    var pieceSize: Int { state.withLock { $0.piece } }

    /// Notes how many entries the reader took at once; it will take about as many again.
    func noteTaken(_ count: Int) {
        state.withLock { state in
            state.piece = max(Self.smallestPiece, min(Self.largestPiece, count + count / 8))
        }
    }
}
