// Changes to what is known of the server: by deltas, listings and answers to what was sent.

public import Core
import Foundation
import GRDB

extension Transaction {
    /// Adds a node that the server has and users see in the same place. The place must be free.
    public func insertRemote(_ kind: NodeKind, at place: Place, facts: RemoteFacts) throws
        -> InodeID
    {
        let inode = try insert(kind, at: place, local: LocalFacts())
        try setFacts(facts, of: inode)
        try run("UPDATE node SET remote = 1 WHERE inode = ?", [inode.column])
        return inode
    }

    /// Adds a node that the server has and users see in the same place, if nothing is known of the place
    /// nor of the identity, and returns its inode. Else nothing is changed, and nil returned.
    ///
    /// Most entries of a listing are such nodes: one statement for each, instead of a dozen questions.
    public func insertIfUnknown(
        _ kind: NodeKind, at place: Place, facts: RemoteFacts, metBy listing: Int64
    ) throws -> InodeID? {
        let fold = place.name.folded
        let predicted = place.name.key == nil ? fold : Folding.fold(place.name.string)
        let parent = place.parent.column
        try run(
            """
            INSERT OR IGNORE INTO node (kind, parent, fold, name, remote, flags, met, id, revision,
                size, hash, client_modified, server_modified, target, shared)
            SELECT ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
            WHERE NOT EXISTS (SELECT 1 FROM displaced WHERE parent = ? AND fold = ?)
                AND NOT EXISTS (SELECT 1 FROM attempt WHERE parent = ? AND fold IN (?, ?))
            """,
            [
                kind.rawValue, parent, fold, nameColumn(place.name, fold: fold),
                facts.flags.intersection(.remoteFacts).union(place.name.keyFlags).rawValue, listing,
                facts.id?.rawValue, facts.revision?.rawValue, facts.size, facts.hash?.column,
                facts.clientModified?.column, facts.serverModified?.column,
                facts.target, facts.sharedFolderID, parent, fold, parent, fold,
                predicted,
            ])
        guard database.changesCount == 1 else { return nil }
        return InodeID(column: database.lastInsertedRowID)
    }

    /// Adds a node that the server has and users have deleted already.
    public func insertTombstone(_ kind: NodeKind, at place: Place, facts: RemoteFacts) throws
        -> InodeID
    {
        try run("INSERT INTO node (kind) VALUES (?)", [kind.rawValue])
        let inode = InodeID(column: database.lastInsertedRowID)
        try setFacts(facts, of: inode)
        try setRemotePlace(inode, place)
        return inode
    }

    /// Replaces what the server said of a node, its place aside.
    public func setFacts(_ facts: RemoteFacts, of inode: InodeID) throws {
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

    /// Sets where the server has a node. Users go on to see it where they do; a name that is the server's
    /// is filed under the server's key, unless users see another node under that.
    ///
    /// The server must not be believed to have another node there: of two that share a place, one
    /// would never be sent or removed. Throws `TreeContradiction` for such a place, for one in no folder, and for
    /// one in the node itself.
    public func setRemotePlace(_ inode: InodeID, _ place: Place) throws {
        guard let node = try node(inode) else {
            // A place of nobody's would be in the way of whoever comes there next, for ever.
            return assertionFailure("\(inode) is gone, and the server is said to have it")
        }
        try checkRemotePlace(of: node, at: place)
        noteChanged(inode)
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
            "INSERT INTO displaced (inode, parent, fold, name) VALUES (?, ?, ?, ?)",
            [inode.column, place.parent.column, place.name.folded, place.name.string])
    }

    /// The server does not have a node any more. Its content facts stay, for open handles and for
    /// staged content that lies over them; its identity goes.
    public func setRemoteAbsent(_ inode: InodeID) throws {
        noteChanged(inode)
        try run("DELETE FROM displaced WHERE inode = ?", [inode.column])
        try run("UPDATE node SET remote = 0, id = NULL WHERE inode = ?", [inode.column])
    }

    /// Gives what the server has as `old` to `new`: its place there, identity and revision.
    ///
    /// So content that replaces a file by way of another name is stored as the file's next revision,
    /// with its history and links, and stays pinned. `old` keeps its content facts, for open handles; `new`, which the
    /// server must not have, keeps the content that its staged base names.
    public func handOverRemote(from old: InodeID, to new: InodeID) throws {
        guard let source = try node(old), let place = try remotePlace(of: source) else { return }
        try setRemoteAbsent(old)
        try run("UPDATE attempt SET inode = ? WHERE inode = ?", [new.column, old.column])
        try run(
            "UPDATE node SET met = (SELECT met FROM node WHERE inode = ?) WHERE inode = ?",
            [old.column, new.column])
        try setFacts(source.facts, of: new)
        try setRemotePlace(new, place)
        try handOverPin(from: old, to: new)
    }

    // MARK: Listing everything

    /// Begins a full listing: from here on, nodes that are met are marked with its number.
    public func beginListing() throws {
        try setSetting(Self.listingKey, to: "\(try listingNumber() &+ 1)")
    }

    /// The number of the full listing that is running, or of the last one.
    public func listingNumber() throws -> Int64 {
        try setting(Self.listingKey).flatMap { Int64($0) } ?? 0
    }

    /// Marks a node as met by the full listing that is running. Returns whether it was not met before.
    @discardableResult
    public func markMet(_ inode: InodeID, by listing: Int64) throws -> Bool {
        try run(
            "UPDATE node SET met = ? WHERE inode = ? AND met <> ?",
            [listing, inode.column, listing])
        return database.changesCount > 0
    }

    /// Takes from all folders the mark that they have been listed.
    public func forgetListedFolders() throws {
        let mark = NodeFlags.listed.rawValue
        try run("UPDATE node SET flags = flags & ~? WHERE flags & ? <> 0", [mark, mark])
    }

    private static var listingKey: String { "feed.listing" }

    /// Whether two names are one to the server and to people: equal but for Unicode composition.
    private func isSameName(_ left: FileName, _ right: FileName) -> Bool {
        // String equality is canonical equivalence, which is what is wanted here.
        left.string == right.string
    }
}
