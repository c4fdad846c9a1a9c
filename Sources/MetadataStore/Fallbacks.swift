// The content that a power cut leaves of a node whose newest content the disk may not have yet: what had
// reached the disk before, in a staging file of its own. Not responsible for deciding which of the two holds
// after a cut, which is Sync's.

public import Core
import GRDB

extension TreeReading {
    /// The content that the disk has of a node, if `staged` has taken its place and may not be on the disk; nil
    /// for most nodes.
    public func fallback(of inode: InodeID) throws -> StagedContent? {
        let statement = try database.cachedStatement(
            sql: Node.fallbackSelection + "WHERE node.inode = ?")
        return try Node.fetchFirst(statement, [inode.column])?.staged
    }
}

extension Transaction {
    /// The disk does not have a node's newest content: the fallback is the node's content again. The staging
    /// file of the newest content is the caller's to put aside. There must be a fallback.
    public func returnToFallback(_ inode: InodeID) throws {
        noteChanged(inode)
        try run("DELETE FROM staged WHERE inode = ?", [inode.column])
        try run("INSERT INTO staged SELECT * FROM fallback WHERE inode = ?", [inode.column])
        try run("DELETE FROM fallback WHERE inode = ?", [inode.column])
        // Both speak of the newest content.
        try run("DELETE FROM twin WHERE inode = ?", [inode.column])
        try forgetUpload(of: inode)
    }

    /// The row of another staging file is about to replace a node's: if the disk has what the row speaks of, it
    /// becomes the fallback. One that is there already stays: the disk does not have its successor.
    func keepFallback(of inode: InodeID, besides file: Int64) throws {
        guard let replaced = try node(inode)?.staged, replaced.file != file else { return }
        if replaced.isFlushed, try fallbackFile(of: inode) == nil {
            return try run(
                "INSERT INTO fallback SELECT * FROM staged WHERE inode = ?", [inode.column])
        }
        try run("INSERT OR IGNORE INTO ended (file) VALUES (?)", [replaced.file])
    }

    /// Drops a node's fallback if the disk has the content that has taken its place.
    func dropSucceededFallback(of inode: InodeID) throws {
        guard let file = try fallbackFile(of: inode) else { return }
        let statement = try database.cachedStatement(
            sql: "SELECT flushed >= generation FROM staged WHERE inode = ?")
        guard try Bool.fetchOne(statement, arguments: [inode.column]) ?? true else { return }
        try drop(file, of: inode)
    }

    /// A node needs no fallback any more.
    func dropFallback(of inode: InodeID) throws {
        if let file = try fallbackFile(of: inode) { try drop(file, of: inode) }
    }

    private func fallbackFile(of inode: InodeID) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: "SELECT file FROM fallback WHERE inode = ?")
        return try Int64.fetchOne(statement, arguments: [inode.column])
    }

    private func drop(_ file: Int64, of inode: InodeID) throws {
        try run("INSERT OR IGNORE INTO ended (file) VALUES (?)", [file])
        try run("DELETE FROM fallback WHERE inode = ?", [inode.column])
        endFile(file)
    }
}
