// The journal: the nodes whose change is still to be sent. Their content is in `StagedRows.swift`.
//
// An entry contains no operation. The step follows from the node's local facts and the server's, at
// the moment of sending: so create, write and rename become one upload, and a node that is deleted
// before it was sent is never sent.

package import Core
import GRDB

extension TreeReading {
    /// The entry of a node, and then those of the folders above that the server lacks, upwards.
    package func journalEntries(neededBy inode: InodeID) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var next: InodeID? = inode
        // A damaged row can name a folder that contains itself.
        var seen: Set<InodeID> = []
        while let current = next, seen.insert(current).inserted,
            let entry = try journalEntry(of: current)
        {
            entries.append(entry)
            next = entry.unsentFolder
        }
        return entries
    }

    /// The journal entry of a node.
    package func journalEntry(of inode: InodeID) throws -> JournalEntry? {
        let statement = try database.cachedStatement(sql: Self.entries + "WHERE inode = ?")
        return try JournalEntry.fetchFirst(statement, [inode.column])
    }

    /// How many entries wait because of the problem with this text.
    package func entryCount(problem: String) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT COUNT(*) FROM journal WHERE problem = ?")
        return try Int.fetchOne(statement, arguments: [problem]) ?? 0
    }

    /// The nodes that owe the server a name in a folder, in order: those that are new there, and
    /// those that were moved into it, moved out of it, or deleted; also those whose content is to
    /// replace that of the file which the server still has under the name. Also nodes that must
    /// leave a place first: one that such a node is to take, or one in a folder that is to be
    /// deleted.
    package func nodesOwing(namesIn folder: InodeID) throws -> [InodeID] {
        // The journal comes first: a folder may have far more names than it has entries.
        let statement = try database.cachedStatement(
            sql: """
                WITH RECURSIVE owing (inode) AS (
                    SELECT journal.inode FROM journal CROSS JOIN node USING (inode)
                    WHERE node.parent = ?1 AND (node.remote <> 1 OR node.flags & ?2 <> 0)
                    UNION SELECT inode FROM displaced WHERE parent = ?1
                    UNION SELECT displaced.inode FROM owing JOIN node ON node.inode = owing.inode
                    JOIN displaced ON displaced.parent = node.parent AND displaced.fold = node.fold
                        OR displaced.parent = node.inode AND node.parent IS NULL)
                SELECT journal.inode FROM journal JOIN owing USING (inode) ORDER BY sequence
                """)
        let arguments: StatementArguments = [folder.column, NodeFlags.replacing.rawValue]
        return try Int64.fetchAll(statement, arguments: arguments).map { InodeID(column: $0) }
    }

    /// Up to `limit` entries that are due at `time`, in order, after one.
    package func dueEntries(
        at time: WallTime, after sequence: Int64 = 0, limit: Int
    ) throws -> [JournalEntry] {
        let statement = try database.cachedStatement(
            sql: Self.entries + "WHERE due <= ? AND sequence > ? ORDER BY sequence LIMIT ?")
        return try JournalEntry.fetchEvery(statement, [time.nanoseconds, sequence, limit])
    }

    /// Up to `limit` entries, in order.
    package func journalEntries(limit: Int) throws -> [JournalEntry] {
        let statement = try database.cachedStatement(
            sql: Self.entries + "ORDER BY sequence LIMIT ?")
        return try JournalEntry.fetchEvery(statement, [limit])
    }

    /// When the next entry after a time is due; nil if there is none.
    package func nextDue(after time: WallTime) throws -> WallTime? {
        let statement = try database.cachedStatement(
            sql: "SELECT min(due) FROM journal WHERE due > ?")
        return try Int64.fetchOne(statement, arguments: [time.nanoseconds])
            .map { WallTime(nanoseconds: $0) }
    }

    /// Whether nothing is left to send.
    package func isQueueEmpty() throws -> Bool {
        try database.number("SELECT 1 FROM journal LIMIT 1") == nil
    }

    /// Number of journal entries, and the bytes of their staged content.
    package func pending() throws -> (operations: Int, bytes: Int64) {
        let operations = try database.cachedStatement(sql: "SELECT count(*) FROM journal")
        let bytes = try database.cachedStatement(
            sql:
                "SELECT coalesce(sum(staged.size), 0) FROM journal JOIN staged USING (inode)")
        return (try Int.fetchOne(operations) ?? 0, try Int64.fetchOne(bytes) ?? 0)
    }

    /// Up to `limit` entries with a problem, in order. `examined` entries are read for them, so
    /// that it takes no longer with a long queue.
    package func entriesWithProblem(limit: Int, among examined: Int) throws -> [JournalEntry] {
        let statement = try database.cachedStatement(
            sql: Self.entries + """
                WHERE problem IS NOT NULL AND sequence <= (SELECT max(sequence) FROM (
                    SELECT sequence FROM journal ORDER BY sequence LIMIT ?))
                ORDER BY sequence LIMIT ?
                """)
        return try JournalEntry.fetchEvery(statement, [examined, limit])
    }

    /// Whether a node's entry has a problem that does not pass by itself.
    package func isRefused(_ inode: InodeID) throws -> Bool {
        try database.number(
            "SELECT 1 FROM journal WHERE inode = ? AND \(Self.hasLastingProblem)", [inode.column])
            != nil
    }

    /// Up to `limit` nodes with an entry that is not refused. Left out are those in a folder that
    /// is queued as a new one: they may be many, and wait for the folder.
    package func topmostNotRefused(limit: Int) throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT inode FROM journal WHERE NOT (\(Self.hasLastingProblem)) AND NOT EXISTS (
                    SELECT 1 FROM node JOIN node AS folder ON folder.inode = node.parent
                    JOIN journal AS above ON above.inode = folder.inode
                    WHERE node.inode = journal.inode AND folder.remote = ?)
                LIMIT ?
                """)
        let arguments: StatementArguments = [RemoteState.absent.rawValue, limit]
        return try Int64.fetchAll(statement, arguments: arguments).map { InodeID(column: $0) }
    }

    /// Whether a row is of a refused entry.
    private static var hasLastingProblem: String {
        "problem IS NOT NULL AND (problem_lasts = 1 OR attempts >= \(Problem.lastingTries))"
    }

    /// Whether the journal has an entry without a problem.
    package func hasSendableEntry() throws -> Bool {
        try database.number("SELECT 1 FROM journal WHERE problem IS NULL LIMIT 1") != nil
    }

    /// Only columns of the first version: an inspection reads the files of every version.
    private static var entries: String {
        """
        SELECT inode, sequence, due, attempts, problem,
            (SELECT folder.inode FROM node JOIN node AS folder ON folder.inode = node.parent
            WHERE node.inode = journal.inode AND folder.remote = 0 AND folder.inode <> 1)
        FROM journal\u{20}
        """
    }
}

extension JournalEntry: RowReadable {
    static let table = "journal"

    init(_ row: Columns) throws {
        self.init(
            inode: try row.inode(0), sequence: try row.number(1), due: try row.time(2),
            attempts: try row.count(3), problem: try row.text(ifAny: 4),
            unsentFolder: try row.inode(ifAny: 5))
    }
}

extension Transaction {
    /// Puts a node into the journal, or changes its due time. `isFresh` resets its failed tries.
    func enter(_ inode: InodeID, due: WallTime, isFresh: Bool) throws {
        try run(isFresh ? Self.freshEntry : Self.entry, [inode.column, due.nanoseconds])
    }

    /// All changes of a burst have the same due time: a row that has it is not written, nor its
    /// indexes.
    private static let entry = """
        INSERT INTO journal (inode, sequence, due)
        VALUES (?, 1 + (SELECT coalesce(max(sequence), 0) FROM journal), ?)
        ON CONFLICT (inode) DO UPDATE SET due = excluded.due WHERE due <> excluded.due
        """

    private static let freshEntry = """
        INSERT INTO journal (inode, sequence, due)
        VALUES (?, 1 + (SELECT coalesce(max(sequence), 0) FROM journal), ?)
        ON CONFLICT (inode) DO UPDATE
            SET due = excluded.due, attempts = 0, problem = NULL, problem_lasts = 0
            WHERE due <> excluded.due OR attempts <> 0 OR problem IS NOT NULL
        """

    /// Notes a failed try: its reason, and the due time of the next one.
    package func postpone(
        _ inode: InodeID, until due: WallTime, problem: Problem?, after attempts: Int = 0
    ) throws {
        end.changed.hold(inode, until: due)
        try run(
            """
            UPDATE journal
            SET due = ?, attempts = max(attempts, ?) + 1, problem = ?, problem_lasts = ?
            WHERE inode = ?
            """,
            [
                due.nanoseconds, attempts, problem?.text, problem?.isLasting ?? false,
                inode.column,
            ])
    }

    /// Sets a node's due time, and nothing else, also if this transaction puts it into the journal.
    package func reschedule(_ inode: InodeID, due: WallTime) throws {
        end.changed.hold(inode, until: due)
        try run("UPDATE journal SET due = ? WHERE inode = ?", [due.nanoseconds, inode.column])
    }

    /// Makes a node's entry due, and those of the folders above that the server lacks. A node
    /// between two moves of another client waits on, as in `makeAllDue`, unless it has content to
    /// be sent.
    package func makeDue(_ inode: InodeID, at time: WallTime) throws {
        for entry in try journalEntries(neededBy: inode) where entry.due > time {
            if let node = try node(entry.inode), node.flags.contains(.betweenMoves),
                node.staged == nil
            {
                continue
            }
            try reschedule(entry.inode, due: time)
        }
    }

    /// Leaves a node's entry as it is, also if this transaction changes the node.
    package func keepEntry(of inode: InodeID) throws {
        guard let entry = try journalEntry(of: inode) else { return }
        end.changed.hold(inode, until: entry.due)
    }

    /// Makes the entries due that wait because of the problem with this text.
    package func makeDue(problem: String, at time: WallTime) throws {
        try run(
            "UPDATE journal SET due = ? WHERE problem = ? AND due > ?",
            [time.nanoseconds, problem, time.nanoseconds])
    }

    /// Makes the entries due that would wait beyond the longest possible delay: of those that were
    /// tried, and of those that were not.
    package func makeDue(
        ifAfter limit: WallTime, untriedAfter untried: WallTime, at time: WallTime
    ) throws {
        try run(
            "UPDATE journal SET due = ? WHERE due > ? "
                + "OR (attempts = 0 AND problem IS NULL AND due > ?)",
            [time.nanoseconds, limit.nanoseconds, untried.nanoseconds])
    }

    /// Makes the entries due that would become due at exactly this time.
    package func makeDue(insteadOf due: WallTime, at time: WallTime) throws {
        try run(
            "UPDATE journal SET due = ? WHERE due = ?", [time.nanoseconds, due.nanoseconds])
    }

    /// Makes every entry due, or only those without a failed try. Nodes between two moves of
    /// another client wait on: it is that client's turn, and no user here has moved them.
    package func makeAllDue(at time: WallTime, onlyFresh: Bool) throws {
        try run(
            """
            UPDATE journal SET due = ? WHERE due > ? AND (attempts = 0 OR NOT ?)
                AND NOT EXISTS (
                    SELECT 1 FROM node WHERE node.inode = journal.inode AND node.flags & ? <> 0)
            """,
            [
                time.nanoseconds, time.nanoseconds, onlyFresh, NodeFlags.betweenMoves.rawValue,
            ])
    }
}
