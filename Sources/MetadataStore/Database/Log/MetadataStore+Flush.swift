// Making the database survive power loss, and closing it. Not responsible for what its log must
// have at the next opening: that is `LogMark`.

import Foundation
import GRDB
import Glibc
import LocalFiles
import Saturating
import Synchronization

extension MetadataStore {
    /// Makes everything committed so far survive power loss. Blocks for the disk. Must not be
    /// called in a transaction.
    ///
    /// A commit under `synchronous = NORMAL` is complete in the WAL file but perhaps not on the
    /// platter; flushing that file is all that `FULL` would add. Pages that have left the WAL were
    /// flushed by the checkpoint that moved them.
    package func synchronize() throws {
        guard let path, let logFile else {
            try gate?(.flush)
            return
        }
        try commitGroup()
        guard !isSafe else { return }
        // Callers take turns: of two flushes at once, the system tells one of a failure.
        let isDoubtful = try hasFlushFailed.withLock { hasFailed in
            if hasFailed { return true }
            // Read before the flush, which may or may not include later commits.
            let extent = index?.extent
            if let extent, isSafe(extent) { return false }
            let failure = try logFile.use { flush($0) == 0 ? nil : Self.systemError }
            // Without a log, nothing was flushed.
            guard let failure else { return false }
            if let failure {
                hasFailed = true
                throw failure
            }
            if let extent { noteFlushed(extent) }
            return false
        }
        if isDoubtful { try rewriteLog(path) }
    }

    /// Writes the log's bytes anew and flushes them. After a failed flush, the system takes them
    /// for written: another flush would return success. The bytes read are the bytes written if
    /// their checksums are right.
    private func rewriteLog(_ path: String) throws {
        try writer.run {
            try database.writeWithoutTransaction { database in
                try group?.commit(in: database)
                // The transaction keeps commits and restarts of the log out until it is written.
                try database.inTransaction(.immediate) {
                    try hasFlushFailed.withLock { hasFailed in
                        try self.rewriteFlushedLog(path)
                        hasFailed = false
                    }
                    return .rollback
                }
            }
        }
    }

    private func rewriteFlushedLog(_ path: String) throws {
        guard let extent = index?.extent,
            let bytes = (try? RegularFile.contents(of: path + "-wal")) ?? nil
        else { throw POSIXError(.EIO) }
        // Without frames, a checkpoint has flushed all of them in the database.
        guard extent.frames > 0 else { return noteFlushed(extent) }
        guard let found = LogExtent(log: bytes), found.salts == extent.salts,
            found.frames >= extent.frames
        else { throw POSIXError(.EIO) }
        let descriptor = open(path + "-wal", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.systemError }
        defer { Glibc.close(descriptor) }
        let count = bytes.withUnsafeBytes { FileBytes.write($0, at: 0, to: descriptor) }
        guard count == bytes.count, flush(descriptor) == 0 else { throw Self.systemError }
        noteFlushed(extent)
    }

    private func noteFlushed(_ extent: LogExtent) {
        guard let path else { return }
        mark.withLock { mark in
            mark.salts = extent.salts
            mark.frames = extent.frames
            mark.isClosed = false
            mark.write(to: Self.markPath(path))
        }
    }

    /// Whether every transaction so far is known to survive power loss.
    package var isSafe: Bool {
        guard path != nil else { return true }
        if group?.isPending == true { return false }
        return index?.extent.map { isSafe($0) } ?? false
    }

    private func isSafe(_ extent: LogExtent) -> Bool {
        mark.withLock { $0.salts == extent.salts && $0.frames == extent.frames && !$0.isClosed }
    }

    static var systemError: POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }

    /// Waits for running work and closes the file. Later accesses throw `Closed`.
    package func close() throws {
        guard let path else { return }
        accesses.close()
        reserve?.prepare()
        let isCommitted = committedGroup()
        let changes = try? countClosing()
        // Before the last connection deletes the log: no commit follows.
        mark.withLock { mark in
            mark.isClosed = true
            if let changes { mark.changes = changes }
            mark.write(to: Self.markPath(path), flushedBy: flush)
        }
        try database.close()
        index?.close()
        logFile?.close()
        // Otherwise the next start repeats its changes.
        if isCommitted { group?.removeFile() }
        // For the next start, which other programs may precede.
        reserve?.take()
    }

    /// Notes the end of a store that is released without `close`, as by a mount whose start fails
    /// after the opening. SQLite then ends the log as it does at a close, and the next start must
    /// not take that for a loss. The changes of the group stay in the change log.
    ///
    /// Damage that was found stays noted, because the staging files may not have been checked for
    /// it: the mark demands the log that is gone.
    func noteRelease() {
        guard let path, damage == nil else { return }
        mark.withLock { mark in
            // Without salts, the mark on the disk is that of the process before.
            guard !mark.isClosed, mark.salts != nil else { return }
            mark.isClosed = true
            mark.write(to: Self.markPath(path), flushedBy: flush)
        }
    }

    /// Counts the end, so that a copy made before it is older than the mark. It is flushed before
    /// the mark demands it.
    private func countClosing() throws -> Int64 {
        let changes = (mark.withLock { $0.changes } ?? 0) +| 1
        try Self.noteChanges(changes, database)
        try synchronize()
        return changes
    }

    static func noteChanges(_ changes: Int64, _ database: any DatabaseWriter) throws {
        try database.write { database in
            let transaction = Transaction(database: database, end: TransactionEnd())
            try transaction.setSetting(StoredSetting.databaseUses, to: String(changes))
        }
    }
}

extension Transaction {
    /// How many openings and closings the database counts.
    func changes() throws -> Int64 {
        try setting(StoredSetting.databaseUses).flatMap { Int64($0, radix: 10) } ?? 0
    }
}
