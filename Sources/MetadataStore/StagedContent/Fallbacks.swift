// The fallback of a node: flushed content in a staging file of its own, which a power cut leaves
// while the newest content is not flushed yet. Not responsible for choosing between the two after a
// cut, which is Staging's.

package import Core
import GRDB

extension TreeReading {
    /// The flushed content of a node that the unflushed `staged` has replaced; nil for most nodes.
    package func fallback(of inode: InodeID) throws -> StagedContent? {
        let statement = try database.cachedStatement(
            sql: Node.fallbackSelection + "WHERE node.inode = ?")
        return try Node.fetchFirst(statement, [inode.column])?.staged
    }
}

extension Transaction {
    /// Makes the fallback the node's content again, because its newest content was not flushed. The
    /// caller puts the newest staging file aside. There must be a fallback.
    package func returnToFallback(_ inode: InodeID) throws {
        noteChanged(inode)
        try run("DELETE FROM staged WHERE inode = ?", [inode.column])
        try run("INSERT INTO staged SELECT * FROM fallback WHERE inode = ?", [inode.column])
        try run("DELETE FROM fallback WHERE inode = ?", [inode.column])
        // Pending copy and upload session belong to the newest content.
        try run("DELETE FROM twin WHERE inode = ?", [inode.column])
        try forgetUpload(of: inode)
    }

    /// Makes the flushed content of a node that loses its place the fallback of the node that takes
    /// the place, until the content of the latter is flushed. The former has no content then.
    package func handOverAsFallback(from old: InodeID, to new: InodeID) throws {
        noteChanged(old)
        try run(
            """
            INSERT INTO fallback (inode, file, size, generation, base_revision, base_hash,
                base_size, base_limit, blocks, hash, flushed, promised, stamp)
            SELECT ?, file, size, generation, base_revision, base_hash,
                base_size, base_limit, blocks, hash, flushed, promised, stamp
            FROM staged WHERE inode = ?
            """, [new.column, old.column])
        try run("DELETE FROM staged WHERE inode = ?", [old.column])
        try run("DELETE FROM twin WHERE inode = ?", [old.column])
        try forgetUpload(of: old)
    }

    /// Keeps a node's flushed content as the fallback before the row of another staging file
    /// replaces it. An existing fallback stays, because its successor is not flushed.
    func keepFallback(of inode: InodeID, besides file: Int64) throws {
        guard let replaced = try node(inode)?.staged, replaced.file != file else { return }
        if replaced.isFlushed, try fallbackFile(of: inode) == nil {
            return try run(
                "INSERT INTO fallback SELECT * FROM staged WHERE inode = ?", [inode.column])
        }
        try run("INSERT OR IGNORE INTO ended (file) VALUES (?)", [replaced.file])
    }

    /// Drops a node's fallback if its successor is flushed.
    func dropSucceededFallback(of inode: InodeID) throws {
        guard let file = try fallbackFile(of: inode) else { return }
        let isFlushed = try database.number(
            "SELECT flushed >= generation FROM staged WHERE inode = ?", [inode.column])
        guard isFlushed != 0 else { return }
        try drop(file, of: inode)
    }

    /// Drops a node's fallback and its staging file.
    func dropFallback(of inode: InodeID) throws {
        if let file = try fallbackFile(of: inode) { try drop(file, of: inode) }
    }

    private func fallbackFile(of inode: InodeID) throws -> Int64? {
        try database.number("SELECT file FROM fallback WHERE inode = ?", [inode.column])
    }

    private func drop(_ file: Int64, of inode: InodeID) throws {
        try run("INSERT OR IGNORE INTO ended (file) VALUES (?)", [file])
        try run("DELETE FROM fallback WHERE inode = ?", [inode.column])
        endFile(file)
    }
}
