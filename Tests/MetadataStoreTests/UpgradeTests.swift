// Databases of every earlier version, with content, are opened by this one: nothing of the content
// is lost, unsent changes stay in the journal, and the tables are those of a new database. A later
// version's database is in `DamageTests`; whole folders of earlier builds, with their staging
// files, are in the scenario `earlier-state`.

import ContentHashing
import Core
import Foundation
import GRDB
import Testing

@testable import MetadataStore

@Suite struct UpgradeTests {
    static let latest = Schema.migrator.migrations.compactMap { Int($0) }.max() ?? 0
    let path = TemporaryStore.path()
    let hash = ContentHasher.hash(Array("text".utf8))

    /// Writes a database as the version of this number left it.
    private func makeDatabase(version: Int) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(
                sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            for (name, sql) in EarlierSchemas.statements(upTo: version) {
                try database.execute(sql: sql)
                try database.execute(
                    sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [name])
            }
            try database.execute(sql: Self.content)
            try database.execute(
                sql: "UPDATE staged SET base_hash = ? WHERE base_revision IS NOT NULL",
                arguments: [Data(hash.bytes)])
            try database.execute(
                sql: "UPDATE attempt SET hash = ? WHERE id = 1", arguments: [Data(hash.bytes)])
            for (first, sql) in Self.laterContent where version >= first {
                try database.execute(sql: sql)
            }
        }
        try queue.close()
    }

    /// Rows of any version: synced, changed, new, moved, deleted and restored nodes.
    private static let content = """
        INSERT INTO node (inode, kind, parent, fold, name, remote, flags, id, revision, size) VALUES
            (2, 0, 1, 'docs', 'Docs', 1, 0, 'id:2', NULL, 0),
            (3, 1, 2, 'a.txt', NULL, 1, 0, 'id:3', 'rev3', 4),
            (4, 1, 1, 'edited', NULL, 1, 0, 'id:4', 'rev4', 4),
            (5, 1, 2, 'new', NULL, 0, 0, NULL, NULL, 0),
            (6, 0, 1, 'made here', 'Made here', 0, 0, NULL, NULL, 0),
            (7, 1, 1, 'moved', NULL, 2, 0, 'id:7', 'rev7', 4),
            (8, 2, 1, 'link', NULL, 0, 0, NULL, NULL, 0),
            (9, 1, NULL, NULL, NULL, 2, 0, 'id:9', 'rev9', 4),
            (10, 1, 1, 'copy', NULL, 0, 0, NULL, NULL, 0),
            (11, 1, 1, 'é', 'É', 1, 0, 'id:11', 'rev11', 4);
        UPDATE node SET target = 'Docs' WHERE inode = 8;
        UPDATE node SET permissions = 420, user = 1000, "group" = 1000, modified = 1700000000000000000
            WHERE inode = 4;
        INSERT INTO displaced (inode, parent, fold, name) VALUES (7, 2, 'before', 'Before'), (9, 1, 'gone', 'gone');
        INSERT INTO journal (inode, sequence, due, attempts, problem) VALUES
            (4, 1, 0, 0, NULL), (5, 2, 0, 3, 'quota'), (6, 3, 0, 0, NULL), (7, 4, 0, 0, NULL),
            (9, 5, 0, 0, NULL), (10, 6, 0, 0, NULL);
        INSERT INTO staged (inode, file, size, generation, base_revision, base_size, base_limit, blocks)
            VALUES (4, 1, 6, 3, 'rev4', 4, 4, X'01'), (5, 2, 7, 1, NULL, 0, 0, X'01');
        INSERT INTO twin VALUES (10, 3, 0, 1, 'rev3');
        INSERT INTO upload VALUES (5, 'session', 2, NULL, 1700000000000000000);
        INSERT INTO attempt (id, inode, parent, fold) VALUES (1, 5, 2, 'new');
        INSERT INTO departure VALUES (7, 2, 'before');
        INSERT INTO attribute VALUES (3, 'user.note', X'78');
        INSERT INTO setting VALUES ('feed.cursor', 'cursor'), ('feed.root', 'root'),
            ('staging.next', '2'), ('account.id', 'dbid:1');
        """

    /// Rows that only databases from a version on can have.
    private static let laterContent = [
        (2, "INSERT INTO pin VALUES (2)"),
        (
            3,
            """
            INSERT INTO node (inode, kind, parent, fold, remote, flags) VALUES
                (12, 0, 1, 'left', 0, 0), (13, 1, 12, 'ignored', 0, 16);
            INSERT INTO staged (inode, file, size, generation, blocks) VALUES (13, 3, 1, 1, X'01');
            UPDATE setting SET value = '3' WHERE key = 'staging.next';
            """
        ),
        (5, "UPDATE staged SET flushed = generation, promised = 1 WHERE inode = 4"),
        (6, "INSERT INTO unconfirmed VALUES ('id:7')"),
        (
            7,
            """
            INSERT INTO fallback (inode, file, size, generation, base_size, base_limit, blocks, flushed,
                promised) VALUES (5, 9, 2, 1, 0, 0, X'01', 1, 1)
            """
        ),
        (
            8,
            "UPDATE node SET flags = 16 WHERE inode = 8; UPDATE node SET flags = 256 WHERE inode = 12"
        ),
        (9, "INSERT INTO search VALUES (1, NULL, '/x', X'', 'cursor', 1, 1)"),
        (11, "UPDATE attempt SET folder = '/docs'"),
        (12, "INSERT INTO aside VALUES (8, 'note')"),
        (
            13,
            "INSERT INTO node (inode, kind, parent, fold, remote, flags) VALUES (14, 3, 1, 'fifo', 0, 16)"
        ),
        (15, "UPDATE node SET own = X'ff5c', own_fold = 'own' WHERE inode = 5"),
        (16, "INSERT INTO told VALUES (3, 'm=755')"),
        (17, "UPDATE journal SET problem_lasts = 1 WHERE inode = 5"),
    ]

    @Test("a database of each earlier version opens with all of its content", arguments: 1...latest)
    func opens(version: Int) throws {
        try makeDatabase(version: version)
        var store = try MetadataStore(path: path)
        try check(store, version)
        // A second start finds nothing left to do.
        try store.close()
        store = try MetadataStore(path: path)
        try check(store, version)
        let inode = try store.write {
            try $0.insert(.file, at: place("later"), local: LocalFacts())
        }
        #expect(inode.rawValue > 14 || version < 13 && inode.rawValue > 11)
        #expect(try store.read { try $0.brokenInvariants() } == [])
        try store.close()
    }

    private func check(_ store: MetadataStore, _ version: Int) throws {
        #expect(store.damage == nil)
        try store.read { snapshot in
            #expect(try snapshot.brokenInvariants() == [])
            try checkNodes(snapshot, version)
            try checkUnsent(snapshot, version)
            // Version 4 compares everything once if a name is not ASCII.
            #expect(try snapshot.setting(StoredSetting.feedRoot) == (version < 4 ? "" : "root"))
            #expect(try snapshot.setting(StoredSetting.feedCursor) == "cursor")
            #expect(try snapshot.setting(StoredSetting.accountID) == "dbid:1")
            #expect(try snapshot.pins() == (version < 2 ? [] : [InodeID(2)]))
            #expect(try snapshot.attribute("user.note", of: InodeID(3)) == [0x78])
        }
    }

    private func checkNodes(_ snapshot: Snapshot, _ version: Int) throws {
        var expected: [UInt64: String] = [
            2: "Docs", 3: "Docs/a.txt", 4: "edited", 5: "Docs/new", 6: "Made here", 7: "moved",
            8: "link",
            10: "copy", 11: "É",
        ]
        if version >= 3 { (expected[12], expected[13]) = ("left", "left/ignored") }
        if version >= 13 { expected[14] = "fifo" }
        for (inode, path) in expected {
            let names = try snapshot.localPath(of: InodeID(inode))
            #expect(names?.map(\.string).joined(separator: "/") == path)
        }
        #expect(
            try snapshot.node(InodeID(5))?.place?.name.shown
                == (version < 15 ? Array("new".utf8) : [0xFF, 0x5C]))
        let edited = try #require(try snapshot.node(InodeID(4)))
        #expect(edited.local.permissions == 0o644)
        #expect(edited.local.modified == WallTime(seconds: 1_700_000_000))
        #expect(edited.facts.revision == Revision("rev4"))
        #expect(try snapshot.node(InodeID(8))?.facts.target?.text == "Docs")
        #expect(try snapshot.node(InodeID(8))?.flags.contains(.localOnly) == true)
        #expect(try snapshot.node(InodeID(9))?.isTombstone == true)
        #expect(try snapshot.remotePath(of: InodeID(7)) == "/Docs/Before")
        if version >= 3 {
            #expect(try snapshot.node(InodeID(12))?.flags.contains(.keptForLocal) == true)
        }
    }

    private func checkUnsent(_ snapshot: Snapshot, _ version: Int) throws {
        // Neither a link nor a folder that is kept for its ignored files is waiting.
        let waiting = try snapshot.journalEntries(limit: 100)
        #expect(waiting.map(\.inode.rawValue).sorted() == [4, 5, 6, 7, 9, 10])
        #expect(waiting.first { $0.inode == InodeID(5) }?.problem == "quota")
        #expect(try snapshot.database.number(Self.lasting) == (version < 17 ? 0 : 1))
        let edited = try #require(try snapshot.node(InodeID(4))?.staged)
        #expect((edited.file, edited.size, edited.generation) == (1, 6, 3))
        #expect(
            edited.base == .init(revision: Revision("rev4"), hash: hash, size: 4, limit: 4))
        // Content that an earlier version may not have flushed does not count as flushed.
        #expect(edited.flushed == (version < 5 ? 0 : 3))
        #expect(try snapshot.stagingFiles().isSuperset(of: version < 3 ? [1, 2] : [1, 2, 3]))
        #expect(try snapshot.pendingCopy(of: InodeID(10))?.source == InodeID(3))
        #expect(try snapshot.partialUpload(of: InodeID(5))?.session == "session")
        #expect(try snapshot.hasIntent(withHash: hash, for: InodeID(5)))
        #expect(try (snapshot.fallback(of: InodeID(5)) != nil) == (version >= 7))
        #expect(try snapshot.filesToPutAside().map(\.file) == (version < 12 ? [] : [8]))
        #expect(try snapshot.isUnconfirmed(FileID("id:7")) == (version >= 6))
    }

    private static let lasting = "SELECT problem_lasts FROM journal WHERE inode = 5"

    @Test("a problem that an earlier version has noted may pass, until the next try says that not")
    func earlierProblem() throws {
        try makeDatabase(version: 16)
        let store = try MetadataStore(path: path)
        #expect(try store.read { try !$0.isRefused(InodeID(5)) })
        try store.write {
            try $0.postpone(InodeID(5), until: seconds(1), problem: .lasting("quota"))
        }
        #expect(try store.read { try $0.isRefused(InodeID(5)) })
        try store.close()
    }

    @Test("each earlier version's journal is read before it is upgraded", arguments: 1...latest)
    func inspected(version: Int) throws {
        try makeDatabase(version: version)
        let entries = try DatabaseInspection(path: path).read { try $0.journalEntries(limit: 9) }
        #expect(entries.first { $0.inode == InodeID(5) }?.problem == "quota")
    }

    @Test("the tables of an upgraded database are those of a new one", arguments: 1...latest)
    func tables(version: Int) throws {
        let new = try MetadataStore(path: TemporaryStore.path())
        try makeDatabase(version: version)
        let upgraded = try MetadataStore(path: path)
        #expect(try Self.tables(upgraded) == Self.tables(new))
        try upgraded.close()
        try new.close()
    }

    private static func tables(_ store: MetadataStore) throws -> [String] {
        try store.read {
            try String.fetchAll(
                $0.database,
                sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        }
    }
}
