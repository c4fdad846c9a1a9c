// An open folder: a listing that stays the same while it is read in pieces.

import Core
import MetadataStore
import Synchronization

/// A folder's names, and what of it a reader needs first: of one state of the tree.
struct DirectoryListing {
    /// The folder above.
    var parent: InodeID
    /// The names in the order of their folded forms.
    var children: [Child]
    /// The nodes of the first of them.
    var nodes: [Node]

    /// Reads all names, and up to so many nodes.
    init(of folder: InodeID, nodes limit: Int, in snapshot: Snapshot) throws {
        parent = try snapshot.node(folder)?.place?.parent ?? .root
        nodes =
            limit > 0
            ? try snapshot.childNodes(of: folder, afterFolded: nil, limit: limit) : []
        if limit > 0 && nodes.count < limit {
            children = nodes.compactMap { node in
                node.place.map { Child(name: $0.name, inode: node.inode, kind: node.kind) }
            }
        } else {
            children = try snapshot.children(of: folder)
        }
    }

    fileprivate init(parent: InodeID, children: [Child]) {
        self.parent = parent
        self.children = children
        nodes = []
    }
}

/// One open folder of a process.
///
/// Names are read from the store when the reader is at the beginning, and again after a rewind; so
/// offsets are indices, and a name that was there all the time is delivered exactly once. Attributes are
/// read with each piece, because the kernel keeps what it is given.
final class DirectoryHandle: Sendable {
    private struct State {
        var listing: DirectoryListing?
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
    var listing: DirectoryListing? { state.withLock { $0.listing } }

    /// Sets the names. The nodes are not kept: they are out of date soon.
    func refresh(_ listing: DirectoryListing) {
        let names = DirectoryListing(parent: listing.parent, children: listing.children)
        state.withLock { $0.listing = names }
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
