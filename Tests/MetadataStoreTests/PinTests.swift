// Pins: what they cover, and what becomes of them when nodes move, go and come.

import ContentHashing
import Core
import GRDB
import MetadataStore
import Testing

@Suite struct PinTests {
    let path = TemporaryStore.path()
    let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: path)
    }

    private func facts(_ text: String, flags: NodeFlags = []) -> RemoteFacts {
        RemoteFacts(
            id: FileID("id:" + text), revision: Revision("rev-" + text),
            size: Int64(text.utf8.count),
            hash: ContentHasher.hash(Array(text.utf8)), flags: flags)
    }

    private func folder(_ text: String, in parent: InodeID = .root) throws -> InodeID {
        try store.write {
            try $0.insertRemote(
                .folder, at: Place(parent: parent, name: name(text)),
                facts: RemoteFacts(id: FileID("id:folder-" + text)))
        }
    }

    @discardableResult
    private func file(
        _ text: String, in parent: InodeID = .root, flags: NodeFlags = []
    ) throws -> InodeID {
        try store.write {
            try $0.insertRemote(
                .file, at: Place(parent: parent, name: name(text)), facts: facts(text, flags: flags)
            )
        }
    }

    private func pin(_ inode: InodeID, _ isPinned: Bool = true) throws {
        try store.write { try $0.setPin(isPinned, of: inode) }
    }

    /// Names of all pinned files, sorted; a file that was named twice would be there twice.
    private func files(below roots: [InodeID]? = nil) throws -> [String] {
        try store.read { snapshot in
            var names: [String] = []
            try snapshot.forEachPinnedFile(below: roots) { file in
                names.append(try snapshot.node(file.inode)?.place?.name.string ?? "?")
            }
            return names.sorted()
        }
    }

    @Test("a folder's pin covers its content now and later, each file once")
    func folders() throws {
        let outer = try folder("outer")
        let inner = try folder("inner", in: outer)
        try file("a", in: outer)
        let deep = try file("b", in: inner)
        try file("c")
        try pin(outer)
        try pin(inner)
        try pin(deep)
        #expect(try files() == ["a", "b"])
        try file("later", in: inner)
        #expect(try files() == ["a", "b", "later"])
        #expect(try files(below: [inner]) == ["b", "later"])
        #expect(try files(below: [inner, deep, outer]) == ["a", "b", "later"])
        #expect(try files(below: []) == [])
        try pin(outer, false)
        try pin(inner, false)
        #expect(try files() == ["b"])
    }

    @Test("the root's pin covers everything")
    func root() throws {
        try file("a", in: try folder("folder"))
        try file("b")
        try pin(.root)
        #expect(try files() == ["a", "b"])
        #expect(try store.read { try $0.pins() } == [.root])
    }

    @Test("nodes moved in are covered, nodes moved out are not, and a folder keeps its pin")
    func moves() throws {
        let pinned = try folder("pinned")
        let inside = try file("inside", in: pinned)
        let outside = try file("outside")
        try pin(pinned)
        try store.write { transaction in
            try transaction.move(inside, to: place("inside"))
            try transaction.move(outside, to: Place(parent: pinned, name: name("outside")))
            try transaction.move(pinned, to: place("renamed"))
        }
        #expect(try files() == ["outside"])
        #expect(try store.read { try $0.pinnedFolder(above: outside) } == pinned)
        #expect(try store.read { try $0.pinnedFolder(above: inside) } == nil)
        #expect(try store.read { try $0.pinnedFolder(above: pinned) } == nil)
    }

    @Test("a deleted node's pin covers nothing, and goes with the node")
    func deletion() throws {
        let inode = try file("a")
        try pin(inode)
        try store.write { try $0.move(inode, to: nil) }
        #expect(try files() == [] && store.read { try $0.pins() } == [])
        try store.write { try $0.move(inode, to: place("a")) }
        #expect(try files() == ["a"])
        try store.write { try $0.remove(inode) }
        #expect(try store.read { try $0.isPinned(inode) } == false)
    }

    @Test("a node that takes over a file's identity takes over its pin")
    func handOver() throws {
        let old = try file("a")
        try pin(old)
        let new = try store.write { transaction in
            let new = try transaction.insert(.file, at: place("new"), local: LocalFacts())
            try transaction.move(old, to: nil)
            try transaction.handOverRemote(from: old, to: new)
            return new
        }
        #expect(try store.read { try $0.pins() } == [new])
    }

    @Test("a file says which content of it the server has, and which is staged over that")
    func content() throws {
        let inode = try file("a")
        let document = try file("document", flags: .notDownloadable)
        let base = facts("a")
        let hash = ContentHasher.hash([1, 2, 3])
        try pin(.root)
        func found() throws -> [PinnedFile] {
            try store.read { snapshot in
                var files: [PinnedFile] = []
                try snapshot.forEachPinnedFile { files.append($0) }
                return files.sorted { $0.inode < $1.inode }
            }
        }
        #expect(
            try found() == [
                PinnedFile(inode: inode, size: 1, revision: base.revision, hash: base.hash),
                PinnedFile(
                    inode: document, size: 8, revision: facts("document").revision,
                    hash: facts("document").hash, isDownloadable: false),
            ])
        try store.write { transaction in
            try transaction.setStaged(
                StagedContent(
                    file: 1, size: 3, generation: 1,
                    base: .init(
                        revision: Revision("rev-a"), hash: try #require(base.hash), size: 1,
                        limit: 1), blocks: [1], hash: hash), of: inode)
        }
        #expect(
            try found().first
                == PinnedFile(
                    inode: inode, size: 3, revision: base.revision, hash: base.hash,
                    isStaged: true, stagedHash: hash))
    }

    @Test("a database from before there were pins is brought up to date, with all that is in it")
    func migration() throws {
        try file("a")
        try store.write { transaction in
            try transaction.database.execute(
                sql: "DROP TABLE pin; DELETE FROM grdb_migrations WHERE identifier = '2'")
        }
        try store.close()
        let reopened = try MetadataStore(path: path)
        try reopened.write { try $0.setPin(true, of: .root) }
        var count = 0
        try reopened.read { try $0.forEachPinnedFile { _ in count += 1 } }
        #expect(count == 1)
    }

    @Test("pins are there after a restart")
    func restart() throws {
        try pin(try file("a"))
        try store.close()
        #expect(try MetadataStore(path: path).read { try $0.pins() }.count == 1)
    }

    @Test("an observer is called for each transaction, and for none after its end")
    func watching() async throws {
        let (news, teller) = AsyncStream.makeStream(of: Void.self)
        store.observeTransactions { teller.yield() }
        try file("a")
        store.observeTransactions(nil)
        try file("b")
        teller.finish()
        var count = 0
        for await _ in news { count += 1 }
        #expect(count == 1)
    }
}
