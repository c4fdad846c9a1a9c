// Rows are filed under the server's keys; users' names find them under any of these keys.

import Core
import GRDB
import Testing

@testable import MetadataStore

@Suite struct KeyTests {
    let path = TemporaryStore.path()
    let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: path)
    }

    private func name(_ text: String, key: String) -> FileName {
        do {
            return try FileName(text, key: key)
        } catch {
            preconditionFailure("not a name: \(text)")
        }
    }

    private func place(_ text: String, key: String) -> Place {
        Place(parent: .root, name: name(text, key: key))
    }

    @Test("a name keeps only a key that is not the predicted one, and is equal by its bytes alone")
    func names() throws {
        #expect(name("Odd", key: "odd").key == nil)
        #expect(name("ΟΔΟΣ", key: "οδοσ").key == nil)
        let filed = name("ΟΔΟΣ", key: "οδος")
        #expect(filed.folded == "οδος")
        #expect(filed == MetadataStoreTests.name("ΟΔΟΣ"))
        #expect(filed.hashValue == MetadataStoreTests.name("ΟΔΟΣ").hashValue)
    }

    @Test("a node is found by its exact name and by the server's key, predicted or not")
    func lookup() throws {
        try store.write { transaction in
            let street = try transaction.insertRemote(
                .folder, at: place("ΟΔΟΣ", key: "οδος"), facts: RemoteFacts())
            let other = try transaction.insertRemote(
                .file, at: MetadataStoreTests.place("οδοσ"), facts: RemoteFacts())
            let plain = MetadataStoreTests.name("ΟΔΟΣ")
            #expect(try transaction.child(plain, of: .root)?.inode == street)
            #expect(try transaction.child(like: plain, of: .root)?.inode == street)
            #expect(try transaction.remoteChild(like: plain, of: .root)?.inode == street)
            #expect(try transaction.child(folded: "οδος", of: .root)?.inode == street)
            #expect(try transaction.child(folded: "οδοσ", of: .root)?.inode == other)
            #expect(try transaction.child(MetadataStoreTests.name("οδος"), of: .root) == nil)
            #expect(try transaction.remoteNode(foldedPath: "/οδος")?.inode == street)
            #expect(try transaction.remoteKeyPath(of: street) == "/οδος")
            #expect(try transaction.remotePath(of: street) == "/ΟΔΟΣ")
            let below = [plain, MetadataStoreTests.name("New")]
            #expect(try transaction.remoteKeyPath(ofNames: below) == "/οδος/new")
            #expect(try transaction.children(of: .root).map(\.name.folded) == ["οδος", "οδοσ"])
            #expect(try transaction.node(street)?.flags == [])
        }
    }

    @Test("a key that is the name itself finds it, too")
    func keyIsName() throws {
        try store.write { transaction in
            let inode = try transaction.insertRemote(
                .file, at: place("ẞ", key: "ẞ"), facts: RemoteFacts())
            #expect(try transaction.child(MetadataStoreTests.name("ẞ"), of: .root)?.inode == inode)
            #expect(try transaction.child(folded: "ẞ", of: .root)?.inode == inode)
        }
    }

    @Test("a node that is moved away, deleted or made again under its name keeps the server's key")
    func movedAway() throws {
        try store.write { transaction in
            let old = try transaction.insertRemote(
                .file, at: place("ΟΔΟΣ", key: "οδος"),
                facts: RemoteFacts(id: FileID("id:1"), revision: Revision("r1")))
            let plain = MetadataStoreTests.place("ΟΔΟΣ")
            try transaction.move(old, to: MetadataStoreTests.place("elsewhere"))
            #expect(try transaction.remoteKeyPath(of: old) == "/οδος")
            #expect(try transaction.remoteChild(like: plain.name, of: .root)?.inode == old)
            try transaction.move(old, to: plain)
            #expect(try transaction.node(old)?.remote == .inPlace)
            #expect(try transaction.child(folded: "οδος", of: .root)?.inode == old)

            try transaction.move(old, to: nil)
            let new = try transaction.insert(.file, at: plain, local: LocalFacts())
            #expect(try transaction.child(folded: "οδος", of: .root)?.inode == new)
            try transaction.handOverRemote(from: old, to: new)
            #expect(try transaction.node(new)?.remote == .inPlace)
            #expect(try transaction.remoteKeyPath(of: new) == "/οδος")
        }
    }

    @Test("a node made here is filed anew when the server says its key, unless that is taken")
    func filed() throws {
        try store.write { transaction in
            let plain = MetadataStoreTests.place("ΟΔΟΣ")
            let inode = try transaction.insert(.folder, at: plain, local: LocalFacts())
            #expect(try transaction.child(folded: "οδοσ", of: .root)?.inode == inode)
            try transaction.setRemotePlace(inode, place("ΟΔΟΣ", key: "οδος"))
            #expect(try transaction.node(inode)?.remote == .inPlace)
            #expect(try transaction.child(folded: "οδοσ", of: .root) == nil)
            #expect(try transaction.child(folded: "οδος", of: .root)?.inode == inode)
            #expect(try transaction.child(plain.name, of: .root)?.inode == inode)

            let second = try transaction.insert(
                .file, at: MetadataStoreTests.place("ΣΣ"), local: LocalFacts())
            #expect(try !transaction.file(second, under: "οδος"))
            #expect(try transaction.child(folded: "σσ", of: .root)?.inode == second)
            // The server is not to be believed to have two in one place, nor users to see two.
            try transaction.setRemotePlace(second, place("ΣΣ", key: "οδος2"))
            #expect(try transaction.node(second)?.remote == .inPlace)
        }
    }

    @Test("a commit is known by the predicted key that it was noted under")
    func intents() throws {
        try store.write { transaction in
            let plain = MetadataStoreTests.place("ΟΔΟΣ")
            let inode = try transaction.insert(.folder, at: plain, local: LocalFacts())
            _ = try transaction.noteIntent(
                inode, at: plain, hash: nil, modified: nil, sent: seconds(1))
            let told = place("ΟΔΟΣ", key: "οδος")
            #expect(try transaction.intent(at: told, hash: nil, modified: nil)?.inode == inode)
            #expect(
                try transaction.insertIfUnknown(
                    .folder, at: told, facts: RemoteFacts(), seenBy: 0) == nil)
        }
    }

    @Test("an ASCII name is found by one statement; the absence of a name takes two, or three")
    func statements() throws {
        try store.write { transaction in
            _ = try transaction.insert(
                .file, at: MetadataStoreTests.place("Plain"), local: LocalFacts())
        }
        let costs = try store.read { (snapshot: Snapshot) throws -> [Int] in
            let counter = Counter()
            snapshot.database.trace(options: .statement) { _ in counter.count += 1 }
            defer { snapshot.database.trace(options: []) }
            return try ["Plain", "absent", "PLAIN", "ΟΔΟΣ"].map { text in
                counter.count = 0
                _ = try snapshot.child(MetadataStoreTests.name(text), of: .root)
                return counter.count
            }
        }
        #expect(costs == [1, 2, 2, 3])
    }

    private final class Counter {
        var count = 0
    }

    @Test(
        "nodes of unconfirmed commits are found by their identities, and not all nodes are listed",
        arguments: [UnconfirmedQuery.withNode, UnconfirmedQuery.deletionWithoutNode])
    func unconfirmed(query: String) throws {
        let plan = try store.read { snapshot in
            try Row.fetchAll(
                snapshot.database,
                sql: "EXPLAIN QUERY PLAN " + query.replacing("?", with: "1")
            ).map { $0["detail"] as String }
        }
        let ofNodes = plan.filter { $0.contains(" node ") }
        #expect(!ofNodes.isEmpty && ofNodes.allSatisfy { $0.contains("node_id (id=?)") }, "\(plan)")
    }

    @Test("an exact name with another key is found by its index")
    func index() throws {
        let plan = try store.read { snapshot in
            try Row.fetchAll(
                snapshot.database,
                sql: "EXPLAIN QUERY PLAN " + Node.selection
                    + "WHERE node.parent = 1 AND node.name = 'x' AND node.flags & 64 <> 0"
            ).map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("node_foreign") }, "\(plan)")
    }

    @Test("a database from before is compared with the server once, if a name is not ASCII")
    func migration() throws {
        for text in ["plain", "ΟΔΟΣ"] {
            let path = TemporaryStore.path()
            let store = try MetadataStore(path: path)
            try store.write { transaction in
                _ = try transaction.insertRemote(
                    .folder, at: MetadataStoreTests.place(text), facts: RemoteFacts())
                try transaction.setSetting("feed.root", to: "1")
                try transaction.database.execute(
                    sql:
                        "DROP INDEX node_foreign; DELETE FROM grdb_migrations WHERE identifier = '4'"
                )
            }
            try store.close()
            let reopened = try MetadataStore(path: path)
            let root = try reopened.read { try $0.setting("feed.root") }
            #expect(root == (text == "plain" ? "1" : ""))
            try reopened.close()
        }
    }
}
