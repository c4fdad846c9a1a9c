// The rows of staged content: which staging file holds a node's bytes, and how far they are
// flushed. Not responsible for the files themselves, which are Staging's.

import ContentHashing
package import Core
import GRDB
import Saturating

/// Staged content that was flushed.
package struct FlushedContent: Hashable, Sendable {
    /// Inode of the node.
    package var inode: InodeID
    /// Number of the staging file.
    package var file: Int64
    /// The generation that its row had before the flush began, at least.
    package var generation: Int64

    /// Memberwise and without defaults.
    package init(inode: InodeID, file: Int64, generation: Int64) {
        self.inode = inode
        self.file = file
        self.generation = generation
    }
}

extension FlushedContent: RowReadable {
    static let table = "staged"

    init(_ row: Columns) throws {
        self.init(
            inode: try row.inode(0), file: try row.number(1), generation: try row.number(2))
    }
}

extension TreeReading {
    /// All nodes with staged content, in the order of their inodes.
    package func stagedNodes() throws -> [Node] {
        try nodes("WHERE staged.inode IS NOT NULL ORDER BY node.inode", [])
    }

    /// The numbers of all staging files with a row, also of removed nodes.
    package func stagingFiles() throws -> Set<Int64> {
        try Int64.fetchSet(
            database, sql: "SELECT file FROM staged UNION ALL SELECT file FROM fallback")
    }

    /// Whether there is staged content whose hash has not been computed.
    package func hasUnhashedContent() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM staged WHERE hash IS NULL)")
        return try Bool.fetchOne(statement) ?? false
    }

    /// Staging files whose row was removed on purpose: their content is stored, replaced or
    /// deleted.
    package func endedFiles() throws -> Set<Int64> {
        try Int64.fetchSet(database, sql: "SELECT file FROM ended")
    }
}

extension Transaction {
    /// Numbers of staging files are below it: the other half of the bits counts the generations of
    /// a file.
    private static let fileLimit: Int64 = 1 << 30

    /// The next number for a staging file, never used before.
    package func nextStagingFile() throws -> Int64 {
        try nextStagingFiles(1).lowerBound
    }

    /// The next numbers for so many staging files, none of them ever used before.
    package func nextStagingFiles(_ count: Int64) throws -> Range<Int64> {
        let last = try setting(StoredSetting.lastStagingFile).flatMap { Int64($0, radix: 10) } ?? 0
        guard last >= 0, last < Self.fileLimit else {
            throw DatabaseError(resultCode: .SQLITE_TOOBIG)
        }
        let next = last +| 1
        try setSetting(StoredSetting.lastStagingFile, to: String(last +| count))
        return next ..<| last +| count +| 1
    }

    /// Reserves all numbers up to this one, because files without a row have them.
    package func reserveStagingFiles(upTo number: Int64) throws {
        let last = try setting(StoredSetting.lastStagingFile).flatMap { Int64($0, radix: 10) } ?? 0
        if number > last {
            try setSetting(
                StoredSetting.lastStagingFile, to: String(min(number, Self.fileLimit -| 1)))
        }
    }

    /// Records a node's staged content. If flushed content of another staging file was there, that
    /// content is the node's fallback until the new content is flushed. `isNew`: this transaction
    /// has made the node, so no other content was there.
    package func setStaged(
        _ staged: StagedContent, of inode: InodeID, isNew: Bool = false
    ) throws {
        noteChanged(inode)
        if !isNew { try keepFallback(of: inode, besides: staged.file) }
        try run(
            """
            INSERT OR REPLACE INTO staged (inode, file, size, generation, base_revision, base_hash,
                base_size, base_limit, blocks, hash, flushed, promised, stamp)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                inode.column, staged.file, staged.size, staged.generation,
                staged.base?.revision.rawValue, staged.base?.hash.column,
                staged.base?.size ?? 0, staged.base?.limit ?? 0, blob(staged.blocks),
                staged.hash?.column, staged.flushed, staged.promised, staged.stamp?.column,
            ])
    }

    /// Updates the row of a node's staged content, unless the node has given up this staging file
    /// since. `isNew`: the row does not have this generation yet. If the row has other blocks than
    /// before, only the content itself can say that it is flushed: an earlier flush of the
    /// generation did not cover them.
    ///
    /// Returns whether the row still existed.
    package func updateStaged(
        _ staged: StagedContent, of inode: InodeID, isNew: Bool
    ) throws -> Bool {
        try run(
            """
            UPDATE staged SET size = ?, generation = ?, base_revision = ?, base_hash = ?,
                base_size = ?, base_limit = ?, blocks = ?, hash = ?,
                flushed = CASE WHEN blocks IS ? THEN max(flushed, ?) ELSE ? END,
                promised = max(promised, ?), stamp = ?
            WHERE inode = ? AND file = ? AND generation <= ?
            """,
            [
                staged.size, staged.generation,
                staged.base?.revision.rawValue, staged.base?.hash.column,
                staged.base?.size ?? 0, staged.base?.limit ?? 0, blob(staged.blocks),
                staged.hash?.column, blob(staged.blocks), staged.flushed, staged.flushed,
                staged.promised, staged.stamp?.column, inode.column, staged.file, staged.generation,
            ])
        guard database.changesCount > 0 else { return false }
        if isNew { noteChanged(inode) }
        try dropSucceededFallback(of: inode)
        return true
    }

    /// Notes that a generation was flushed. `stamp` is the staging file's time, if the file has
    /// nothing else; it is the row's from then on, if the row has this generation.
    package func noteFlushed(_ content: FlushedContent, stamp: WallTime?) throws {
        try run(
            """
            UPDATE staged SET flushed = max(flushed, ?),
                stamp = CASE WHEN generation = ? THEN coalesce(?, stamp) ELSE stamp END
            WHERE inode = ? AND file = ?
            """,
            [
                content.generation, content.generation, stamp?.column, content.inode.column,
                content.file,
            ])
        try dropSucceededFallback(of: content.inode)
    }

    /// Notes that an fsync has acknowledged the flushed contents of the files in a folder. Returns
    /// the contents that were not acknowledged before.
    package func promiseFlushed(in folder: InodeID) throws -> [FlushedContent] {
        let unpromised = """
            flushed >= generation AND promised < generation
                AND inode IN (SELECT inode FROM node WHERE parent = ?)
            """
        let statement = try database.cachedStatement(
            sql: "SELECT inode, file, generation FROM staged WHERE \(unpromised)")
        let promised = try FlushedContent.fetchEvery(statement, [folder.column])
        try run("UPDATE staged SET promised = generation WHERE \(unpromised)", [folder.column])
        return promised
    }

    /// Removes a node's staged content, with its fallback, pending copy and upload session.
    package func removeStaged(of inode: InodeID) throws {
        noteChanged(inode)
        try noteEnded(of: inode)
        try noteReplaced(by: inode)
        let tables = try tablesBesideNode(of: inode)
        try removeRows(
            of: inode, from: tables.filter { [.staged, .twin, .upload, .piece].contains($0) })
        if tables.contains(.fallback) { try dropFallback(of: inode) }
    }

    /// Notes that the server has content of a node that has replaced another one, or that there is
    /// none to be sent.
    package func noteReplaced(by inode: InodeID) throws {
        try run(
            "UPDATE node SET flags = flags & ~?1 WHERE inode = ?2 AND flags & ?1 <> 0",
            [NodeFlags.replacing.rawValue, inode.column])
    }

    /// Gives up unverified staged content: the node becomes the server's version, or is removed if
    /// the server never had it. The caller puts the staging files aside, including the fallback's.
    package func abandonStaged(of node: Node) throws {
        try forgetUnverified(of: node.inode)
        guard node.remote != .absent else { return try remove(node.inode) }
        var local = node.local
        // These times were the lost content's.
        local.modified = nil
        local.accessed = nil
        local.changed = nil
        // So was the mode, unless a user has set it: that is still to be sent.
        if !node.flags.contains(.factsOwed), let told = try toldFacts(of: node.inode) {
            local.permissions = told.permissions
        }
        try setLocal(local, of: node.inode)
    }

    /// Gives up unverified staged content for other content, which has nothing of it. The caller
    /// puts the staging files aside, including the fallback's.
    package func replaceUnverified(of inode: InodeID, by content: StagedContent) throws {
        try forgetUnverified(of: inode)
        try setStaged(content, of: inode)
    }

    private func forgetUnverified(of inode: InodeID) throws {
        noteChanged(inode)
        try run("DELETE FROM staged WHERE inode = ?", [inode.column])
        try run("DELETE FROM fallback WHERE inode = ?", [inode.column])
        try run("DELETE FROM twin WHERE inode = ?", [inode.column])
        try forgetUpload(of: inode)
        // If it has reached the server after all, it counts as another client's upload, because
        // this mount does not have it.
        try run("DELETE FROM attempt WHERE inode = ?", [inode.column])
    }

    /// Marks a staging file as ended on purpose.
    func noteEnded(of inode: InodeID) throws {
        try run(
            "INSERT OR IGNORE INTO ended SELECT file FROM staged WHERE inode = ?", [inode.column])
    }

    /// Drops the marks of ended files, which were removed, besides those that are still there.
    package func forgetEndedFiles(besides present: [Int64]) throws {
        // Most marks are dropped, and only a killed process leaves files.
        try run("DELETE FROM ended", [])
        for number in present { try run("INSERT INTO ended (file) VALUES (?)", [number]) }
    }
}
