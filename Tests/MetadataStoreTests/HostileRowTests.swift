// Rows that no version of this program writes: each column of each table holds, in turn, what it
// never should.

import ContentHashing
import Core
import Foundation
import GRDB
import Testing

@testable import MetadataStore

@Suite("damaged rows")
struct HostileRowTests {
    /// SQL of the replacement for a value.
    private static let values = [
        "NULL", "'text'", "''", "x'00ff80'", "x''", "-9223372036854775808", "9223372036854775807",
        "-1", "1e300", "'9223372036854775808'", "zeroblob(1048576)",
    ]

    private struct Undone: Error {}

    private func undone(_ store: MetadataStore, _ body: (Transaction) throws -> Void) throws {
        do {
            try store.write { transaction in
                try body(transaction)
                throw Undone()
            }
        } catch is Undone {}
    }

    /// A store with at least one row in each table, where no column must have a value.
    private func makeStore() throws -> (store: MetadataStore, path: String, inode: InodeID) {
        let path = TemporaryStore.path()
        let store = try MetadataStore(path: path)
        let inode = try store.write { try Self.fill($0) }
        try store.close()
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')
                        WHERE type = 'table';
                    PRAGMA writable_schema = RESET;
                    """)
        }
        try queue.close()
        return (try MetadataStore(path: path), path, inode)
    }

    private static func fill(_ transaction: Transaction) throws -> InodeID {
        let folder = try transaction.insertRemote(
            .folder, at: place("folder"), facts: RemoteFacts(id: FileID("id:folder")))
        let facts = RemoteFacts(
            id: FileID("id:file"), revision: Revision("r1"), size: 3,
            hash: ContentHasher.hash([1]), clientModified: seconds(1), serverModified: seconds(2),
            target: LinkTarget("t"), sharedFolderID: "9")
        let file = try transaction.insertRemote(
            .file, at: Place(parent: folder, name: name("file")), facts: facts)
        let base = StagedContent.Base(
            revision: Revision("r1"), hash: ContentHasher.hash([1]), size: 3, limit: 3)
        var staged = StagedContent(
            file: 1, size: 5, generation: 2, base: base, blocks: [1], hash: .empty)
        staged.flushed = 2
        staged.stamp = seconds(3)
        try transaction.setStaged(staged, of: file)
        staged.file = 2
        staged.flushed = 0
        try transaction.setStaged(staged, of: file)
        try transaction.settleJournal { _ in seconds(1) }
        try transaction.postpone(file, until: seconds(2), problem: .passing("no"))
        try transaction.setLocal(
            LocalFacts(
                permissions: 0o644, userID: 1, groupID: 1, accessed: seconds(1),
                modified: seconds(1), changed: seconds(1)), of: file)
        let own = try FileName("moved", key: nil, own: OwnName([0xFF]))
        try transaction.move(file, to: Place(parent: .root, name: own))
        try transaction.setPendingCopy(
            PendingCopy(source: folder, sourceGeneration: 1, generation: 2), of: file)
        _ = try transaction.beginUpload(
            PartialUpload(session: "s", file: 2, begun: seconds(1)), of: file)
        try transaction.notePiece(at: 0, digests: [.empty], session: "s", of: file)
        _ = try transaction.noteIntent(
            file, at: place("moved"), hash: .empty, modified: seconds(1), sent: seconds(1))
        _ = try transaction.noteMove(of: folder, to: "/elsewhere", sent: nil)
        try transaction.notePreviousPath(of: folder, from: place("before"))
        try transaction.noteDetached(of: file, from: Place(parent: .root, name: own))
        try transaction.setAttribute("user.a", of: file, to: [1])
        try transaction.setSetting("staging.next", to: "3")
        try transaction.setSetting("feed.listing", to: "1")
        try transaction.setPin(true, of: file)
        try transaction.noteUnconfirmed(FileID("id:file"))
        try transaction.database.execute(sql: "INSERT INTO ended (file) VALUES (7)")
        return file
    }

    /// Asks everything that is ever asked of the tables. An answer may be an error.
    private func ask(_ tree: Transaction, of file: InodeID) throws {
        let folder = try? tree.node(id: FileID("id:folder"))?.inode
        let questions: [() throws -> Void] = [
            { try checkSizes([tree.node(file)].compactMap(\.self)) },
            { try checkSizes(tree.everyNode()) },
            { _ = try tree.node(id: FileID("id:file")) },
            { _ = try tree.child(name("moved"), of: .root) },
            { _ = try tree.child(like: name("MOVED"), of: .root) },
            { _ = try tree.child(folding: FileName(shown: [0xFF]), of: .root) },
            { _ = try tree.children(of: .root) },
            { _ = try tree.contents(below: .root, limit: 10) },
            { _ = try tree.contents(ofSizes: [1, 2, 3]) },
            { _ = try tree.unlistedFolders(after: .root, limit: 9) },
            { _ = try tree.childNodes(of: .root, afterFolded: nil, limit: 9) },
            { _ = try tree.nodes(foldedNameHolding: "o") },
            { _ = try tree.localPath(of: file) },
            { _ = try tree.remotePath(of: file) },
            { _ = try tree.remoteKeyPath(of: file) },
            { _ = try tree.remoteKeyPath(ofNames: [name("folder"), name("file")]) },
            { _ = try tree.remoteChildren(of: folder ?? .root) },
            { _ = try tree.remoteNode(foldedPath: "/folder/file") },
            { _ = try tree.remoteFile(revision: Revision("r1")) },
            { _ = try tree.isInode(file, within: .root) },
            { _ = try tree.isRemote(file, within: .root) },
            { _ = try tree.attribute("user.a", of: file) },
            { _ = try tree.attributeNames(of: file) },
            { _ = try tree.setting("staging.next") },
            { _ = try tree.intent(at: place("moved"), hash: .empty, modified: seconds(1)) },
            { _ = try tree.intendedMoves() },
            { _ = try tree.hasIntent(withHash: .empty, for: file) },
            { _ = try tree.nodes(previousFoldedPath: "/before/file") },
            { _ = try tree.nodesBelowPreviousPaths(endingLike: "/x/file", limit: 9) },
            { _ = try tree.detachedPlace(of: file) },
            { _ = try tree.fallback(of: file) },
            { _ = try tree.journalEntry(of: file) },
            { _ = try tree.dueEntries(at: .distantFuture, limit: 9) },
            { _ = try tree.journalEntries(limit: 9) },
            { _ = try tree.entriesWithProblem(limit: 9, among: 9) },
            { _ = try tree.nextDue(after: .distantPast) },
            { _ = try tree.pending() },
            { _ = try tree.topmostNotRefused(limit: 9) },
            { _ = try tree.isRefused(file) },
            { _ = try tree.localTotals() },
            { _ = try tree.topmostLocalNodes() },
            { _ = try tree.partialUpload(of: file) },
            { _ = try tree.pins() },
            { _ = try tree.pinnedFolder(above: file) },
            { try tree.forEachPinnedFile { #expect($0.size >= 0) } },
            { try checkSizes(tree.stagedNodes()) },
            { _ = try tree.stagingFiles() },
            { _ = try tree.endedFiles() },
            { _ = try tree.filesToPutAside() },
            { _ = try tree.pendingCopy(of: file) },
            { _ = try tree.unconfirmedIDs(limit: 9) },
        ]
        for question in questions { try? question() }
    }

    private func checkSizes(_ nodes: [Node]) {
        for node in nodes {
            #expect((0...Columns.largestSize).contains(node.size))
            #expect((0...Columns.largestSize).contains(node.facts.size))
        }
    }

    /// Makes changes that read rows first.
    private func change(_ transaction: Transaction, _ file: InodeID) {
        let staged = StagedContent(file: 9, size: 1, generation: 9, base: nil, blocks: [])
        let content = FlushedContent(inode: file, file: 2, generation: 9)
        // Callers know that it is there.
        func present(_ inode: InodeID) throws -> InodeID {
            guard try transaction.node(inode) != nil else { throw Undone() }
            return inode
        }
        let steps: [() throws -> Void] = [
            { _ = try transaction.nextStagingFile() },
            { try transaction.reserveStagingFiles(upTo: 9) },
            { try transaction.beginListing() },
            { _ = try transaction.markSeen(file, by: 2) },
            { try transaction.postpone(file, until: seconds(9), problem: nil) },
            { try transaction.makeSynced(file) },
            { try transaction.settleJournal { _ in seconds(1) } },
            { _ = try transaction.brokenInvariants() },
            { try transaction.noteFlushed(content, stamp: nil) },
            { _ = try transaction.updateStaged(staged, of: file, isNew: true) },
            { try transaction.setStaged(staged, of: file) },
            { try transaction.setRemotePlace(present(file), place("there")) },
            { _ = try transaction.file(file, under: "key") },
            { try transaction.handOverRemote(from: file, to: present(.root)) },
            { try transaction.move(file, to: place("new")) },
            { try transaction.returnToFallback(file) },
            { try transaction.removeOrphans() },
            { try transaction.removeStaged(of: file) },
            { try transaction.remove(file) },
        ]
        for step in steps { try? transaction.undoable(step) }
    }

    private static func columns(_ store: MetadataStore) throws -> [(String, String)] {
        try store.read { snapshot in
            let tables = try String.fetchAll(
                snapshot.database,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'
                    """)
            return try tables.flatMap { table in
                try String.fetchAll(
                    snapshot.database, sql: "SELECT name FROM pragma_table_info('\(table)')"
                ).map { (table, $0) }
            }
        }
    }

    @Test("with any value in a column, queries and changes end, with an answer or an error")
    func everyColumn() throws {
        let (store, _, file) = try makeStore()
        let columns = try Self.columns(store)
        #expect(columns.count > 80)
        var damaged = 0
        for (table, column) in columns {
            for value in Self.values {
                try undone(store) { transaction in
                    let statement = "UPDATE OR IGNORE \(table) SET \"\(column)\" = \(value)"
                    guard (try? transaction.database.execute(sql: statement)) != nil else { return }
                    damaged += transaction.database.changesCount > 0 ? 1 : 0
                    try ask(transaction, of: file)
                    change(transaction, file)
                }
            }
        }
        // SQLite keeps keys integers.
        #expect(damaged > 700)
    }

    @Test("a damaged row leads to an error that names its column")
    func named() throws {
        let (store, _, file) = try makeStore()
        for (table, column) in [
            ("node", "size"), ("node", "kind"), ("node", "hash"), ("node", "parent"),
            ("staged", "generation"), ("staged", "blocks"), ("staged", "file"),
        ] {
            try undone(store) { transaction in
                try transaction.database.execute(sql: "UPDATE \(table) SET \(column) = 'x'")
                let error = #expect(throws: DamagedRow.self) { try transaction.node(file) }
                #expect(error == DamagedRow(table: table, column: column))
            }
        }
    }

    @Test("a size that an older version believed is the largest one, not an error")
    func oldSize() throws {
        let (store, _, file) = try makeStore()
        try store.write { try $0.database.execute(sql: "UPDATE node SET size = 1 << 50") }
        #expect(try store.read { try $0.node(file)?.facts.size } == 1 << 42)
    }

    @Test("a store with damaged rows opens, or says why not")
    func opening() throws {
        let (store, path, file) = try makeStore()
        let columns = try Self.columns(store)
        try store.close()
        let copy = TemporaryStore.path()
        for table in Set(columns.map(\.0)) {
            for value in Self.values {
                try? FileManager.default.removeItem(atPath: copy)
                try FileManager.default.copyItem(atPath: path, toPath: copy)
                let queue = try DatabaseQueue(path: copy)
                try queue.write { database in
                    for (_, column) in columns where column != "inode" {
                        try? database.execute(
                            sql: "UPDATE OR IGNORE \(table) SET \"\(column)\" = \(value)")
                    }
                }
                try queue.close()
                guard let damaged = try? MetadataStore(path: copy) else { continue }
                try? damaged.write { try ask($0, of: file) }
                try damaged.close()
            }
        }
    }
}
