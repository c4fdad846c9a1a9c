// Counting what never leaves this machine.

import Core
import GRDB
import Testing

@testable import MetadataStore

@Suite struct LocalNodeTests {
    let path = TemporaryStore.path()
    let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: path)
    }

    @Test("files, folders and links count, deleted nodes and those for the server do not")
    func totals() throws {
        #expect(
            try store.read { try $0.localTotals() }
                == LocalTotals(entries: 0, files: 0, bytes: 0, links: 0))
        let folder = try store.insert("d", .folder, flags: .localOnly)
        try store.stage(try store.insert("a", in: folder, flags: .localOnly), size: 10)
        try store.stage(try store.insert("b", in: folder, flags: [.localOnly, .readOnly]), size: 5)
        _ = try store.insert("l", .symbolicLink, flags: .localOnly)
        try store.stage(try store.insert("sent"), size: 100)
        let gone = try store.insert("gone", flags: .localOnly)
        try store.stage(gone, size: 1000)
        try store.write { try $0.move(gone, to: nil) }
        #expect(
            try store.read { try $0.localTotals() }
                == LocalTotals(entries: 4, files: 2, bytes: 15, links: 1))
    }

    @Test("they are counted without the other nodes, which may be a million")
    func plan() throws {
        let plan = try store.read { snapshot in
            try Row.fetchAll(
                snapshot.database,
                sql: "EXPLAIN QUERY PLAN " + LocalTotals.query.replacing("?", with: "1")
            ).map { $0["detail"] as String }
        }
        let ofNodes = plan.filter { $0.contains(" node ") }
        #expect(!ofNodes.isEmpty && ofNodes.allSatisfy { $0.contains("node_local") }, "\(plan)")
    }

    @Test("the topmost ones are those in folders that go to the server")
    func topmost() throws {
        let sent = try store.insert("s", .folder)
        let folder = try store.insert("d", .folder, in: sent, flags: .localOnly)
        _ = try store.insert("in", in: folder, flags: .localOnly)
        let file = try store.insert("f", flags: .localOnly)
        _ = try store.insert("other", in: sent)
        #expect(Set(try store.read { try $0.topmostLocalNodes() }) == [folder, file])
    }

    @Test("what a folder owes is in it, not below or beside it")
    func owed() throws {
        let folder = try store.insert("d", .folder)
        let inner = try store.write {
            try $0.insertRemote(
                .folder, at: Place(parent: folder, name: try FileName("i")), facts: RemoteFacts())
        }
        _ = try store.insert("f", in: inner)
        _ = try store.insert("l", in: folder, flags: .localOnly)
        #expect(try !store.read { try $0.hasOwedChildren(folder) })
        #expect(try store.read { try $0.hasOwedChildren(inner) })
    }

    @Test("a database from before is brought up to date, with all that is in it")
    func migration() throws {
        _ = try store.insert("f", flags: .localOnly)
        try store.write { transaction in
            try transaction.database.execute(
                sql: "DROP INDEX node_local; DELETE FROM grdb_migrations WHERE identifier = '3'")
        }
        try store.close()
        let reopened = try MetadataStore(path: path)
        #expect(try reopened.read { try $0.localTotals() }.entries == 1)
    }
}
