// Which nodes are in the journal: those whose place or content the server lacks. Derived from a
// node's row at the end of each transaction, for the nodes that it has changed; no other code adds
// or removes an entry. Due times are in `Journal.swift`.

package import Core
import GRDB

extension Node {
    /// Whether the node has an unsent change: the server lacks it, has it elsewhere, or has other
    /// content or facts.
    package var isOwed: Bool {
        inode != .root
            && Standing(
                hasPlace: place != nil, remote: remote, flags: flags, isStaged: staged != nil
            ).isOwed
    }
}

/// The subject of a user's change: a folder and the key of a name in it, so that the files which
/// atomic saves put there one after the other are one; or else a node without a place.
package enum ChangedPlace: Hashable, Sendable {
    case name(String, in: InodeID)
    case node(InodeID)
}

/// The facts of a node's row that decide whether it is in the journal. Pure.
struct Standing: Hashable, Sendable {
    /// Whether it is in the local tree.
    var hasPlace: Bool
    var remote: RemoteState
    var flags: NodeFlags
    var isStaged: Bool
    /// The parent folder, if that is `keptForLocal`.
    var keptFolder: InodeID?
    /// Where it is, in the local tree, if it is owed.
    var place: ChangedPlace?

    var isOwed: Bool {
        if flags.contains(.localOnly) { return false }
        guard hasPlace else { return remote == .displaced }
        return switch remote {
        case .absent: !flags.contains(.keptForLocal)
        case .displaced: true
        case .inPlace: isStaged || flags.contains(.factsOwed)
        }
    }

    /// The same rule for queries, over a row `node`. A test compares the two.
    static let isOwedInSQL = """
        node.inode <> 1 AND node.flags & 16 = 0 AND CASE
            WHEN node.parent IS NULL THEN node.remote = 2
            WHEN node.remote = 0 THEN node.flags & 256 = 0
            WHEN node.remote = 2 THEN 1
            ELSE node.flags & 1024 <> 0
                OR EXISTS (SELECT 1 FROM staged WHERE staged.inode = node.inode) END
        """
}

/// The nodes that a transaction has changed, in the order of their first change, and the due times
/// that it has set.
struct ChangedNodes {
    private(set) var inodes: [InodeID] = []
    private var known: Set<InodeID> = []
    /// Folders that a node has left.
    private(set) var left: Set<InodeID> = []
    /// Nodes whose due time this transaction has set: their entries keep it.
    private(set) var held: [InodeID: WallTime] = [:]

    mutating func note(_ inode: InodeID) {
        if known.insert(inode).inserted { inodes.append(inode) }
    }

    mutating func noteLeft(_ folder: InodeID) {
        left.insert(folder)
    }

    mutating func hold(_ inode: InodeID, until due: WallTime) {
        held[inode] = due
    }
}

extension TreeReading {
    /// Whether a child of a folder has an unsent change.
    func hasOwedChildren(_ folder: InodeID) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM node WHERE parent = ? AND \(Standing.isOwedInSQL) LIMIT 1")
        return try Int.fetchOne(statement, arguments: [folder.column]) != nil
    }

    /// The folders that are kept only for their local-only contents.
    func keptFolders() throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: "SELECT inode FROM node WHERE flags & 256 <> 0")
        return try Int64.fetchAll(statement).map { InodeID(column: $0) }
    }
}

extension Transaction {
    /// Notes that a node's place, content or deciding flags have changed.
    func noteChanged(_ inode: InodeID) {
        end.changed.note(inode)
    }

    /// Adds changed nodes with unsent changes to the journal, and removes those without. An entry
    /// that exists keeps its order, and its failed tries are reset, because its step has changed.
    ///
    /// `due` returns the due time of a change, unless the transaction has set it itself.
    func settleJournal(due: (ChangedPlace) -> WallTime) throws {
        for inode in end.changed.inodes { try settleJournal(of: inode, due: due) }
        // In a fixed order, because it decides the order in the journal.
        for folder in end.changed.left.sorted(by: { $0.rawValue < $1.rawValue }) {
            try reconsider(folder)
        }
    }

    private func settleJournal(of inode: InodeID, due: (ChangedPlace) -> WallTime) throws {
        guard let standing = try standing(of: inode) else { return }
        if standing.flags.contains(.keptForLocal) { return try reconsider(inode) }
        guard standing.isOwed else {
            return try run("DELETE FROM journal WHERE inode = ?", [inode.column])
        }
        if let held = end.changed.held[inode] {
            try enter(inode, due: held, isFresh: false)
        } else {
            try enter(inode, due: due(standing.place ?? .node(inode)), isFresh: true)
        }
        if let folder = standing.keptFolder { try release(folder) }
    }

    /// Decides whether a folder that was deleted on the server is still kept, unsent, for its
    /// local-only contents. As soon as it holds none, or also a node to be sent, it becomes an
    /// ordinary unsent folder; so do its parents.
    func reconsider(_ folder: InodeID) throws {
        guard let standing = try standing(of: folder), standing.flags.contains(.keptForLocal)
        else { return }
        if standing.hasPlace, standing.remote == .absent, try keepsLocalNodes(folder),
            try !hasOwedChildren(folder)
        {
            return try run("DELETE FROM journal WHERE inode = ?", [folder.column])
        }
        try release(folder)
    }

    private func release(_ folder: InodeID) throws {
        try run(
            "UPDATE node SET flags = flags & ~? WHERE inode = ?",
            [NodeFlags.keptForLocal.rawValue, folder.column])
        guard let standing = try standing(of: folder), standing.isOwed else { return }
        // Due at once, because the reason to wait is over.
        try enter(folder, due: .atOnce, isFresh: true)
        if let above = standing.keptFolder { try release(above) }
    }

    private func keepsLocalNodes(_ folder: InodeID) throws -> Bool {
        // Runs at each of many deletions, so the first hit ends it.
        let local = try database.cachedStatement(
            sql: "SELECT 1 FROM node WHERE parent = ? AND flags & 16 <> 0 LIMIT 1")
        let kept = try database.cachedStatement(
            sql: "SELECT inode FROM node WHERE parent = ? AND flags & 256 <> 0")
        var waiting = [folder]
        // A damaged row can name a folder that contains itself.
        var seen: Set<InodeID> = []
        while let folder = waiting.popLast() {
            guard seen.insert(folder).inserted else { continue }
            if try Int.fetchOne(local, arguments: [folder.column]) != nil { return true }
            let folders = try Int64.fetchAll(kept, arguments: [folder.column])
            waiting.append(contentsOf: folders.map { InodeID(column: $0) })
        }
        return false
    }

    private func standing(of inode: InodeID) throws -> Standing? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT node.parent, node.remote, node.flags,
                    EXISTS (SELECT 1 FROM staged WHERE staged.inode = node.inode),
                    (SELECT folder.inode FROM node AS folder
                    WHERE folder.inode = node.parent AND folder.flags & 256 <> 0),
                    node.fold
                FROM node WHERE inode = ? AND inode <> 1
                """)
        return try Standing.fetchFirst(statement, [inode.column])
    }
}

extension Standing: RowReadable {
    static let table = "node"

    init(_ row: Columns) throws {
        let parent = try row.inode(ifAny: 0)
        self.init(
            hasPlace: parent != nil, remote: try row.choice(1), flags: try row.flags(2),
            isStaged: try row.number(3) != 0, keptFolder: try row.inode(ifAny: 4))
        // Most rows of deltas owe nothing, and need no key.
        if isOwed, let parent, let key = try row.text(ifAny: 5) { place = .name(key, in: parent) }
    }
}

extension WallTime {
    /// Earlier than every clock time: always due.
    package static let atOnce = WallTime(nanoseconds: 0)
}
