// An open folder: a listing that stays constant while it is read in several calls.

import ContentHashing
import Core
import MetadataStore
import Saturating
import Synchronization

/// A folder's names and the nodes for the first call, from one snapshot of the tree.
///
/// The offset of a name follows from the name alone, and names are sorted by offset. So a reader
/// that continues in a newer snapshot, perhaps after entries from the kernel's cache, still gets
/// every name once that existed all the time.
struct DirectoryListing {
    /// One name and the offset behind it.
    struct Line {
        var offset: UInt64
        var child: Child
    }

    /// Number of entries before the first name: "." and "..".
    static let dots: UInt64 = 2

    /// The parent folder, for "..".
    var parent: InodeID
    /// The names, sorted by offset.
    var lines: [Line]
    /// The nodes of all names, if there are no more than the limit.
    var nodes: [InodeID: Node]

    /// Reads all names, and their nodes too if there are at most `limit` names.
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

    /// The offset of a name, above those of the dots and positive as a signed number: FNV-1a, whose
    /// low bits are distributed best.
    private static func offset(of name: FileName) -> UInt64 {
        // Most names have no bytes of their own: no array is made for them.
        let hash = name.own.map { FNV1a.hash($0.bytes) } ?? FNV1a.hash(name.string.utf8)
        return max(dots +| 1, hash & 0x3fff_ffff_ffff_ffff)
    }
}

/// One open folder handle.
///
/// Names are read from the store at offset 0, and again after a rewind. Attributes are read for
/// each call, because the kernel caches them.
final class DirectoryHandle: Sendable {
    private struct State {
        var listing: DirectoryListing?
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

    /// The names, if they were read since the last rewind.
    var listing: DirectoryListing? { state.withLock { $0.listing } }

    /// Sets the names. The nodes are dropped, because they soon are out of date.
    func refresh(_ listing: DirectoryListing) {
        var names = listing
        names.nodes = [:]
        state.withLock { [names] in $0.listing = names }
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
