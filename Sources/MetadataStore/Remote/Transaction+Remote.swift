// Changes of remote facts by deltas, listings and responses.

package import Core
import Foundation
import GRDB

extension Transaction {
    /// Adds a node that the server has, in the same local place. The place must be free.
    package func insertRemote(_ kind: NodeKind, at place: Place, facts: RemoteFacts) throws
        -> InodeID
    {
        let inode = try insert(kind, at: place, local: LocalFacts())
        try setFacts(facts, of: inode)
        try run("UPDATE node SET remote = 1 WHERE inode = ?", [inode.column])
        return inode
    }

    /// Adds a node that the server has and users have deleted already.
    package func insertTombstone(_ kind: NodeKind, at place: Place, facts: RemoteFacts) throws
        -> InodeID
    {
        let inode = try insertWithoutPlace(kind)
        try setFacts(facts, of: inode)
        try setRemotePlace(inode, place)
        return inode
    }

    /// Adds a row in no place, which is to get the server's one in this transaction.
    func insertWithoutPlace(_ kind: NodeKind) throws -> InodeID {
        try run("INSERT INTO node (kind) VALUES (?)", [kind.rawValue])
        return InodeID(column: database.lastInsertedRowID)
    }

    /// Replaces the server's facts of a node, except its place.
    package func setFacts(_ facts: RemoteFacts, of inode: InodeID) throws {
        noteChanged(inode)
        try run(
            """
            UPDATE node SET id = ?, revision = ?, size = ?, hash = ?, client_modified = ?,
                server_modified = ?, target = COALESCE(?, target), shared = ?,
                flags = (flags & ~?) | ?
            WHERE inode = ?
            """,
            [
                facts.id?.rawValue, facts.revision?.rawValue, facts.size, facts.hash?.column,
                facts.clientModified?.column, facts.serverModified?.column,
                facts.target, facts.sharedFolderID, NodeFlags.remoteFacts.rawValue,
                facts.flags.intersection(.remoteFacts).rawValue, inode.column,
            ])
    }

    /// Sets the remote place of a node. Its local place is unchanged; a name that equals the
    /// server's is filed under the server's key, unless another local node has that.
    ///
    /// No other node may have this remote place: of two that share one, one would never be sent or
    /// removed. Throws `TreeContradiction` for such a place, for one in no folder, and for one in
    /// the node itself.
    package func setRemotePlace(_ inode: InodeID, _ place: Place) throws {
        guard let node = try node(inode) else {
            // A place of a missing inode would block the place for every later node.
            return assertionFailure("\(inode) is gone, and the server is said to have it")
        }
        try checkRemotePlace(of: node, at: place)
        noteChanged(inode)
        try noteLeavingServer(node)
        try run("DELETE FROM displaced WHERE inode = ?", [inode.column])
        if let seen = node.place, seen.parent == place.parent, isSameName(seen.name, place.name),
            try file(inode, under: place.name.folded)
        {
            try run(
                "UPDATE node SET remote = 1, flags = flags & ~256 WHERE inode = ?", [inode.column])
            return
        }
        try run("UPDATE node SET remote = 2, flags = flags & ~256 WHERE inode = ?", [inode.column])
        try run(
            "INSERT INTO displaced (inode, parent, fold, name, own) VALUES (?, ?, ?, ?, ?)",
            [
                inode.column, place.parent.column, place.name.folded, place.name.string,
                place.name.givenColumn,
            ])
    }

    /// Marks a node as absent on the server. Its content facts are kept, for open handles and as
    /// the base of staged content; its ID is dropped.
    package func setRemoteAbsent(_ inode: InodeID) throws {
        noteChanged(inode)
        if try mayReturnNames(), let node = try node(inode) { try noteLeavingServer(node) }
        try run("DELETE FROM displaced WHERE inode = ?", [inode.column])
        // Its next identity is owed the facts that the server has lost with this one.
        try run(
            "UPDATE node SET flags = flags | ? WHERE inode IN (SELECT inode FROM told WHERE inode = ?)",
            [NodeFlags.factsOwed.rawValue, inode.column])
        try run("DELETE FROM told WHERE inode = ?", [inode.column])
        // Rights, and content to be replaced, are those of the node that the server had.
        try run(
            "UPDATE node SET remote = 0, id = NULL, shared = NULL, flags = flags & ~? WHERE inode = ?",
            [NodeFlags.rights.union(.replacing).rawValue, inode.column])
    }

    /// Transfers the remote identity of `old` to `new`: its place there, ID and revision.
    ///
    /// So content that replaces a file through another name is stored as the file's next revision,
    /// with its history and links, and stays pinned. `old` keeps its content facts, for open
    /// handles; `new`, which the server must not have, keeps the content of its staged base.
    package func handOverRemote(from old: InodeID, to new: InodeID) throws {
        guard let source = try node(old), let place = try remotePlace(of: source) else { return }
        try handOverRemote(of: source, at: place, to: new)
        if try node(new)?.staged != nil { try setFlags(.replacing, true, of: new) }
        try handOverPin(from: old, to: new)
    }

    /// The same without the pin.
    func handOverRemote(of source: Node, at place: Place, to new: InodeID) throws {
        let old = source.inode
        let told = try toldFacts(of: old)
        try setRemoteAbsent(old)
        try run("UPDATE attempt SET inode = ? WHERE inode = ?", [new.column, old.column])
        try run(
            "UPDATE node SET met = (SELECT met FROM node WHERE inode = ?) WHERE inode = ?",
            [old.column, new.column])
        try setFacts(source.facts, of: new)
        try setToldFacts(told, of: new)
        try setRemotePlace(new, place)
        // Facts of the old node may be on their way, and are not those of the new one.
        if source.flags.contains(.factsOwed), try hasIntent(for: new) {
            try setFlags(.factsOwed, true, of: new)
        }
    }

    /// Makes a file or link an unsent one. A tombstone is the server's node from now on, which is
    /// to be deleted there.
    package func leaveTombstone(of node: Node) throws {
        try handOverRemote(from: node.inode, to: insertWithoutPlace(node.kind))
    }

    /// Whether two names are equal except for Unicode composition, as for the server and people.
    private func isSameName(_ left: FileName, _ right: FileName) -> Bool {
        // String equality is canonical equivalence, as needed here.
        left.string == right.string
    }
}
