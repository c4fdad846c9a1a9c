// Deletions by users, and the rows that remain of an inode that has ended.

import Core
import Foundation
import GRDB
import Testing

@testable import MetadataStore

@Suite struct RemovalTests {
    private struct Refused: Error {}

    let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: TemporaryStore.path())
    }

    /// The tables with rows of inodes, besides that of nodes, by the statement that adds one.
    static let tables = [
        "fallback":
            "(inode, file, size, generation, base_size, base_limit, blocks, flushed, promised) "
            + "VALUES (?, 5, 0, 1, 0, 0, x'', 1, 0)",
        "staged": "(inode, file, size, generation, blocks) VALUES (?, 6, 0, 1, x'')",
        "displaced": "(inode, parent, fold, name) VALUES (?, 1, 'a', 'a')",
        "journal": "(inode, sequence, due) VALUES (?, 1, 1)",
        "twin": "(inode, source, source_generation, generation) VALUES (?, 1, 1, 1)",
        "upload": "(inode, session, file, begun) VALUES (?, 's', 1, 1)",
        "piece": "(inode, start, digests) VALUES (?, 0, x'')",
        "attribute": "(inode, name, value) VALUES (?, 'user.a', x'')",
        "eviction": "(inode, parent, name) VALUES (?, 1, 'a')",
        "pin": "(inode) VALUES (?)",
        "told": "(inode, facts) VALUES (?, 'x')",
    ]

    @Test(
        "a removed inode leaves no row in any table", arguments: RemovalTests.tables.keys.sorted())
    func nothingLeft(table: String) throws {
        let statement = try #require(Self.tables[table])
        let inode = try store.write { transaction in
            let inode = try transaction.insert(.file, at: place("f"), local: LocalFacts())
            try transaction.run("DELETE FROM journal", [])
            try transaction.run("INSERT INTO \(table) \(statement)", [inode.column])
            return inode
        }
        try store.write { try $0.remove(inode) }
        let rows = try store.read { snapshot in
            try (Self.tables.keys + ["node"]).filter { table in
                try snapshot.database.number(
                    "SELECT 1 FROM \(table) WHERE inode = ?", [inode.column]) != nil
            }
        }
        #expect(rows.isEmpty)
        // Their staging files are no lost content.
        let ended = try store.read { try $0.endedFiles() }
        #expect(ended == (["fallback": [5], "staged": [6]][table] ?? []))
    }

    @Test("all tables with rows of an inode are known")
    func allKnown() throws {
        // Intents and previous paths outlive their nodes.
        let others = ["node", "attempt", "departure"]
        let names = try store.read { snapshot in
            try String.fetchAll(
                snapshot.database,
                sql: """
                    SELECT DISTINCT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
                    WHERE m.type = 'table' AND c.name = 'inode'
                    """)
        }
        #expect(Set(names).subtracting(others) == Set(Self.tables.keys))
    }

    @Test("a deletion returns the remaining node", arguments: [false, true])
    func deletion(isRemote: Bool) throws {
        let (node, folder) = try store.write { transaction in
            let inode = try transaction.insert(
                .file, at: place("f"), local: LocalFacts(), flags: .betweenMoves)
            if isRemote { try transaction.setRemotePlace(inode, place("f")) }
            return (
                try #require(try transaction.node(inode)), try #require(try transaction.node(.root))
            )
        }
        let time = WallTime(nanoseconds: 7)
        let rest = try store.write { try $0.delete(node, from: folder, at: time) }
        let row = try store.read { try $0.node(node.inode) }
        #expect(row == rest)
        #expect(rest.place == nil && rest.local.changed == time)
        #expect(rest.isTombstone == isRemote)
        #expect(try store.read { try $0.journalEntry(of: node.inode) != nil } == isRemote)
        if isRemote {
            #expect(try store.read { try $0.remotePlace(of: rest) } == place("f"))
        }
    }

    @Test("a new node is the one that its row has")
    func newNode() throws {
        for (name, local) in [
            ("plain", LocalFacts()),
            (
                "Ünï",
                LocalFacts(
                    permissions: 0o7777, userID: .max, groupID: 0,
                    accessed: WallTime(seconds: .max, nanoseconds: 1),
                    modified: WallTime(nanoseconds: -1), changed: WallTime(nanoseconds: 3))
            ),
        ] {
            let made = try store.write {
                try $0.insertNode(.file, at: place(name), local: local, flags: .localOnly)
            }
            #expect(try store.read { try $0.node(made.inode) } == made)
        }
    }

    @Test("what follows a change that was undone has the numbers that it has after a crash")
    func numbersAfterUndo() throws {
        let path = TemporaryStore.path()
        let store = try ChangeGroupTests.store(path)
        func add(_ name: String, fails: Bool = false) throws {
            try store.change(due: { _ in .atOnce }) {
                _ = try $0.insert(.folder, at: place(name), local: LocalFacts())
                if fails { throw Refused() }
            }
        }
        for number in 0..<20 {
            try add("a\(number)")
            #expect(throws: Refused.self) { try add("b\(number)", fails: true) }
        }
        let copy = try ChangeGroupTests.crash(path)
        #expect(try ChangeGroupTests.rows(afterCrash: copy) == ChangeGroupTests.rows(store))
        #expect(try store.read { try $0.nodeCount() } == 20)
    }
}
