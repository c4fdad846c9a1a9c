// Changes of the local tree. FileSystem decides whether a change is allowed; here the rows are kept
// consistent, and the remote place of a node is never lost.

package import Core
import Foundation
import GRDB

extension Transaction {
    /// Adds a node that the server lacks, and returns its inode.
    package func insert(_ kind: NodeKind, at place: Place, local: LocalFacts, flags: NodeFlags = [])
        throws -> InodeID
    {
        try insertNode(kind, at: place, local: local, flags: flags).inode
    }

    /// Adds a node that the server lacks, and returns it.
    package func insertNode(
        _ kind: NodeKind, at place: Place, local: LocalFacts, flags: NodeFlags = []
    ) throws -> Node {
        let place = try shownAlone(try filed(place), for: nil)
        let fold = place.name.folded
        try run(
            """
            INSERT INTO node (kind, parent, fold, name, own, own_fold, flags, permissions, user, "group",
                accessed, modified, changed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                kind.rawValue, place.parent.column, fold, nameColumn(place.name, fold: fold),
                place.name.ownColumn, place.name.ownFoldColumn,
                flags.union(place.name.flags).rawValue,
                local.permissions.map { Int(clamping: $0) },
                local.userID.map { Int64(clamping: $0) },
                local.groupID.map { Int64(clamping: $0) },
                local.accessed?.column, local.modified?.column,
                local.changed?.column,
            ])
        let inode = InodeID(column: database.lastInsertedRowID)
        noteChanged(inode)
        return Node(
            inode: inode, kind: kind, place: place, remote: .absent, flags: flags,
            facts: RemoteFacts(), local: local, staged: nil)
    }

    /// Moves a node to another place in the local tree, or to none, which deletes it.
    ///
    /// The new place must be free. The remote place is unchanged. Throws `TreeContradiction` for a
    /// place in no folder, or in the node itself.
    package func move(_ inode: InodeID, to place: Place?) throws {
        guard let node = try node(inode) else { return }
        if let place { try checkPlace(of: node, in: place.parent) }
        let old = try remotePlace(of: node)
        try setPlace(inode, place)
        if node.flags.contains(.betweenMoves) { try setFlags(.betweenMoves, false, of: inode) }
        if let old {
            try setRemotePlace(inode, old)
        }
        if let folder = node.place?.parent, folder != place?.parent {
            end.changed.noteLeft(folder)
        }
    }

    /// Takes a node, as it is in this transaction, out of `folder`: out of the local tree, as a
    /// user deletes it at a time. The remote place is unchanged. Returns the node as it is then.
    package func delete(_ node: Node, from folder: Node, at time: WallTime) throws -> Node {
        var node = node
        let old = try remotePlace(of: node)
        if node.remote == .absent, !node.flags.contains(.keptForLocal) {
            // The server is owed nothing: the rule of the journal, applied without reading the row
            // again.
            try run("DELETE FROM journal WHERE inode = ?", [node.inode.column])
        } else {
            noteChanged(node.inode)
        }
        if try mayReturnNames(), let place = node.place {
            end.freed.note(place, leftBy: node.inode)
        }
        node.place = nil
        node.flags.remove(.betweenMoves)
        node.local.changed = time
        let lost = FileName.allFlags.union(.betweenMoves)
        try run(
            """
            UPDATE node SET parent = NULL, fold = NULL, name = NULL, own = NULL, own_fold = NULL,
                flags = flags & ~?, changed = ?
            WHERE inode = ?
            """, [lost.rawValue, time.column, node.inode.column])
        if let old {
            try setRemotePlace(node.inode, old)
            node.remote = .displaced
            node.flags.remove(.keptForLocal)
        }
        if folder.flags.contains(.keptForLocal) { end.changed.noteLeft(folder.inode) }
        return node
    }

    /// Swaps the places of two nodes in the local tree.
    package func exchange(_ first: InodeID, _ second: InodeID) throws {
        guard let one = try node(first)?.place, let other = try node(second)?.place else { return }
        try move(first, to: nil)
        try move(second, to: one)
        try move(first, to: other)
    }

    /// Replaces the local facts.
    package func setLocal(_ local: LocalFacts, of inode: InodeID) throws {
        try run(
            """
            UPDATE node SET permissions = ?, user = ?, "group" = ?, accessed = ?, modified = ?,
                changed = ?
            WHERE inode = ?
            """,
            [
                local.permissions.map { Int(clamping: $0) },
                local.userID.map { Int64(clamping: $0) },
                local.groupID.map { Int64(clamping: $0) },
                local.accessed?.column, local.modified?.column,
                local.changed?.column,
                inode.column,
            ])
    }

    /// Sets a folder's modification and change time, as adding or removing a name does.
    package func touch(_ inode: InodeID, at time: WallTime) throws {
        try run(
            "UPDATE node SET modified = ?, changed = ? WHERE inode = ?",
            [time.column, time.column, inode.column])
    }

    /// Sets or clears flags.
    package func setFlags(_ flags: NodeFlags, _ isOn: Bool, of inode: InodeID) throws {
        try run(
            isOn
                ? "UPDATE node SET flags = flags | ? WHERE inode = ?"
                : "UPDATE node SET flags = flags & ~? WHERE inode = ?",
            [flags.rawValue, inode.column])
        if !flags.isDisjoint(with: .decidingMembership) { noteChanged(inode) }
    }

    /// Makes a symbolic link of a file.
    package func makeLink(_ inode: InodeID, to target: LinkTarget) throws {
        try run(
            "UPDATE node SET kind = ?, target = ? WHERE inode = ?",
            [NodeKind.symbolicLink.rawValue, target, inode.column])
    }

    /// Sets a symbolic link's target.
    package func setTarget(_ target: LinkTarget, of inode: InodeID) throws {
        try run("UPDATE node SET target = ? WHERE inode = ?", [target, inode.column])
    }

    /// Removes a node and all rows of its inode. Its children, if any, are unchanged.
    package func remove(_ inode: InodeID) throws {
        try noteLeaving(inode)
        let parent = "SELECT parent FROM node WHERE inode = ?"
        if let folder = try database.number(parent, [inode.column]) {
            end.changed.noteLeft(InodeID(column: folder))
        }
        let tables = try tablesBesideNode(of: inode)
        if tables.contains(.staged) { try noteEnded(of: inode) }
        if tables.contains(.fallback) { try dropFallback(of: inode) }
        try run("DELETE FROM node WHERE inode = ?", [inode.column])
        try removeRows(of: inode, from: tables)
    }

    /// Removes state that only open handles of an ended process could reach: nodes that are neither
    /// in the local tree nor on the server, and the content of tombstones. Places without a node,
    /// which an earlier version could leave, are removed as well.
    package func removeOrphans() throws {
        try run("DELETE FROM displaced WHERE inode NOT IN (SELECT inode FROM node)", [])
        let orphans = try nodes(
            "WHERE node.parent IS NULL AND node.remote = 0 AND node.inode <> 1", [])
        for orphan in orphans {
            try remove(orphan.inode)
        }
        let deleted = "inode IN (SELECT inode FROM node WHERE parent IS NULL AND inode <> 1)"
        try run("INSERT OR IGNORE INTO ended SELECT file FROM staged WHERE " + deleted, [])
        try run("DELETE FROM staged WHERE " + deleted, [])
        try run("INSERT OR IGNORE INTO ended SELECT file FROM fallback WHERE " + deleted, [])
        try run("DELETE FROM fallback WHERE " + deleted, [])
    }

    // MARK: Extended attributes and settings

    /// Creates or replaces an extended attribute.
    package func setAttribute(_ name: String, of inode: InodeID, to value: [UInt8]) throws {
        try run(
            "INSERT OR REPLACE INTO attribute (inode, name, value) VALUES (?, ?, ?)",
            [inode.column, name, blob(value)])
    }

    /// Deletes an extended attribute.
    package func removeAttribute(_ name: String, of inode: InodeID) throws {
        try run("DELETE FROM attribute WHERE inode = ? AND name = ?", [inode.column, name])
    }

    /// Sets or, with nil, removes a setting.
    package func setSetting(_ key: String, to value: String?) throws {
        if let value {
            try run("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", [key, value])
        } else {
            try run("DELETE FROM setting WHERE key = ?", [key])
        }
    }

    // MARK: Rows

    func setPlace(_ inode: InodeID, _ place: Place?) throws {
        noteChanged(inode)
        let left = try noteLeaving(inode)
        let place = try place.map { try shownAlone(try filed($0), for: inode) }
        if let place, let left, left.parent != place.parent { try noteArrival(at: place) }
        let fold = place?.name.folded
        try run(
            """
            UPDATE node SET parent = ?, fold = ?, name = ?, own = ?, own_fold = ?,
                flags = (flags & ~?) | ?
            WHERE inode = ?
            """,
            [
                place?.parent.column, fold,
                place.flatMap { nameColumn($0.name, fold: fold ?? "") }, place?.name.ownColumn,
                place?.name.ownFoldColumn,
                FileName.allFlags.rawValue, place?.name.flags.rawValue ?? 0, inode.column,
            ])
    }

    func nameColumn(_ name: FileName, fold: String) -> String? {
        name.key == nil && name.string.utf8.elementsEqual(fold.utf8) ? nil : name.string
    }

    /// The place with the key that the server already has for this name, if a node with it was only
    /// moved or deleted locally, and no other node is filed under that key.
    private func filed(_ place: Place) throws -> Place {
        if place.name.key != nil || place.name.isASCII { return place }
        let key = try database.text(
            "SELECT fold FROM displaced WHERE parent = ? AND name = ?",
            [place.parent.column, place.name.string])
        guard let key, try child(folded: key, of: place.parent) == nil else { return place }
        return Place(
            parent: place.parent,
            name: try FileName(place.name.string, key: key, own: place.name.own))
    }

    /// Files a node's name under the server's key for it. Returns false, and changes nothing, if
    /// another local node has that.
    package func file(_ inode: InodeID, under key: String) throws -> Bool {
        guard let place = try node(inode)?.place else { return true }
        if place.name.folded.utf8.elementsEqual(key.utf8) { return true }
        guard try child(folded: key, of: place.parent) == nil else { return false }
        let name = try FileName(place.name.string, key: key)
        try run(
            "UPDATE node SET fold = ?, name = ?, flags = (flags & ~?) | ? WHERE inode = ?",
            [
                key, nameColumn(name, fold: key), NodeFlags.foreignKey.rawValue,
                name.keyFlags.rawValue, inode.column,
            ])
        return true
    }

    /// Runs a statement that changes rows. There is no other way to do so in a transaction: the
    /// change log has what comes this way.
    func run(_ sql: String, _ arguments: Arguments) throws {
        try end.changes.run(sql, arguments, in: database)
    }
}

extension FileName {
    /// The flags of a row with this name.
    var flags: NodeFlags { own?.isGiven == false ? keyFlags.union(.madeOwnName) : keyFlags }

    /// All flags that a name decides.
    static let allFlags: NodeFlags = [.foreignKey, .madeOwnName]

    var keyFlags: NodeFlags { key == nil ? [] : .foreignKey }

    /// The own name as the rows of nodes have it.
    var ownColumn: ColumnValue? { own.map { blob($0.bytes) } }

    /// The key that the server would have for the own name.
    var ownFoldColumn: String? { own.map { _ in Folding.fold(text) } }

    /// The own name of a name that users gave.
    var givenColumn: ColumnValue? { own.flatMap { $0.isGiven ? blob($0.bytes) : nil } }

    /// Whether both are one name on the server, byte by byte.
    package func hasBytes(of other: FileName) -> Bool {
        string.utf8.elementsEqual(other.string.utf8)
    }
}
