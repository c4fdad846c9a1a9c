// An open folder: a listing that stays the same while it is read in pieces.

import Core
import MetadataStore
import Synchronization

/// A folder's names, and what of it a reader needs first: of one state of the tree.
///
/// The offset of a name follows from the name alone, and names are in the order of their offsets. So a
/// reader who goes on in another state, perhaps after a beginning that the kernel had in its cache, still
/// meets every name once that was there all the time.
struct DirectoryListing {
    /// One name and where a reader goes on after it.
    struct Line {
        var offset: UInt64
        var child: Child
    }

    /// What stands before the first name: "." and "..".
    static let dots: UInt64 = 2

    /// The folder above.
    var parent: InodeID
    /// The names in the order of their offsets.
    var lines: [Line]
    /// The nodes of all of them, if they are few.
    var nodes: [InodeID: Node]

    /// Reads all names, and the nodes with them if there are no more than so many.
    init(of folder: InodeID, nodes limit: Int, in snapshot: Snapshot) throws {
        parent = try snapshot.node(folder)?.place?.parent ?? .root
        let first =
            limit > 0
            ? try snapshot.childNodes(of: folder, afterFolded: nil, limit: limit +| 1) : []
        let children: [Child]
        if limit > 0 && first.count <= limit {
            children = first.compactMap { node in
                node.place.map { Child(name: $0.name, inode: node.inode, kind: node.kind) }
            }
            nodes = Dictionary(
                first.map { ($0.inode, $0) }, uniquingKeysWith: { first, _ in first })
        } else {
            children = try snapshot.children(of: folder)
            nodes = [:]
        }
        lines = children.map { Line(offset: Self.offset(of: $0.name), child: $0) }
        lines.sort { ($0.offset, $0.child.name) < ($1.offset, $1.child.name) }
        for index in lines.indices.dropFirst() where lines[index].offset <= lines[index -| 1].offset
        {
            lines[index].offset = lines[index -| 1].offset +| 1
        }
    }

    /// The index of the first name behind an offset.
    func index(after offset: UInt64) -> Int {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low +| high) / 2
            if lines[middle].offset <= offset { low = middle +| 1 } else { high = middle }
        }
        return low
    }

    /// A number for a name, above those of the dots and within a signed one: FNV-1a, whose last bits are
    /// the best ones.
    private static func offset(of name: FileName) -> UInt64 {
        let hash = name.string.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(clamping: byte)) &* 0x0000_0100_0000_01b3
        }
        return max(dots +| 1, hash & 0x3fff_ffff_ffff_ffff)
    }
}

/// One open folder of a process.
///
/// Names are read from the store when the reader is at the beginning, and again after a rewind. Attributes
/// are read with each piece, because the kernel keeps what it is given.
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
        var names = listing
        names.nodes = [:]
        state.withLock { [names] in $0.listing = names }
    }

    /// How many entries to look up with the next piece.
    var pieceSize: Int { state.withLock { $0.piece } }

    /// Notes how many entries the reader took at once; it will take about as many again.
    func noteTaken(_ count: Int) {
        state.withLock { state in
            state.piece = max(Self.smallestPiece, min(Self.largestPiece, count +| count / 8))
        }
    }
}
