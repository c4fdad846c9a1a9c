// The tree's rows stay consistent during all changes of places by users and by the server.

import ContentHashing
import Core
import MetadataStore
import Testing

@Suite struct TreeTests {
    let store: MetadataStore

    init() throws {
        store = try TemporaryStore.make()
    }

    @Test("a name is found by its exact bytes only, and its collisions by folding")
    func exactNames() throws {
        try store.write { transaction in
            let inode = try transaction.insert(.file, at: place("Straße É"), local: LocalFacts())
            #expect(try transaction.child(name("Straße É"), of: .root)?.inode == inode)
            #expect(try transaction.child(name("straße é"), of: .root) == nil)
            #expect(try transaction.child(name("Straße E\u{301}"), of: .root) == nil)
            let twin = name("STRAßE e\u{301}")
            #expect(try transaction.child(folded: twin.folded, of: .root)?.inode == inode)
        }
    }

    @Test(
        "every time comes back as it was stored, and one that an earlier version clamped can be read"
    )
    func times() throws {
        let times = [
            WallTime.distantPast, .distantFuture, WallTime(seconds: -62_135_596_800),
            WallTime(seconds: -9_223_372_037, nanoseconds: 145_224_191),
            WallTime(nanoseconds: .min), WallTime(nanoseconds: .max), WallTime(nanoseconds: -1),
            WallTime(seconds: 253_402_300_799, nanoseconds: 5),
        ]
        for (index, time) in times.enumerated() {
            let local = LocalFacts(accessed: time, modified: time, changed: time)
            let facts = RemoteFacts(
                id: FileID("id:\(index)"), clientModified: time, serverModified: time)
            let stored = try store.write { transaction in
                let inode = try transaction.insertRemote(
                    .file, at: place("t\(index)"), facts: facts)
                try transaction.setLocal(local, of: inode)
                return try transaction.node(inode)
            }
            #expect(stored?.local == local)
            #expect(stored?.facts == facts)
        }
    }

    @Test("two names that fold to one cannot both be in a folder")
    func collision() throws {
        try store.write { _ = try $0.insert(.file, at: place("a"), local: LocalFacts()) }
        #expect(throws: (any Error).self) {
            try store.write { _ = try $0.insert(.file, at: place("A"), local: LocalFacts()) }
        }
    }

    @Test("a moved node stays where it was on the server, and is in place again when moved back")
    func moveAndBack() throws {
        try store.write { transaction in
            let folder = try transaction.insertRemote(
                .folder, at: place("folder"), facts: RemoteFacts(id: FileID("id:f")))
            let file = try transaction.insertRemote(
                .file, at: place("File"), facts: RemoteFacts(id: FileID("id:1")))
            try transaction.move(file, to: Place(parent: folder, name: name("other")))
            #expect(try transaction.node(file)?.remote == .displaced)
            #expect(try transaction.remotePath(of: file) == "/File")
            #expect(try transaction.remoteChild(folded: "file", of: .root)?.inode == file)
            #expect(try transaction.child(folded: "file", of: .root) == nil)
            try transaction.move(file, to: place("File"))
            #expect(try transaction.node(file)?.remote == .inPlace)
            #expect(try transaction.remotePath(of: file) == "/File")
        }
    }

    @Test("moving a folder moves the paths of all below here, and none on the server")
    func folderMove() throws {
        try store.write { transaction in
            let folder = try transaction.insertRemote(
                .folder, at: place("a"), facts: RemoteFacts())
            let file = try transaction.insertRemote(
                .file, at: Place(parent: folder, name: name("x")), facts: RemoteFacts())
            try transaction.move(folder, to: place("b"))
            #expect(try transaction.localPath(of: file)?.map(\.string) == ["b", "x"])
            #expect(try transaction.knownNames(of: file)?.map(\.string) == ["b", "x"])
            #expect(try transaction.remotePath(of: file) == "/a/x")
            #expect(try transaction.remoteNode(foldedPath: "/a/x")?.inode == file)
            #expect(try transaction.node(file)?.remote == .inPlace)
        }
    }

    @Test("a deleted node is a tombstone while the server has it, and an orphan after")
    func tombstone() throws {
        try store.write { transaction in
            let file = try transaction.insertRemote(
                .file, at: place("x"), facts: RemoteFacts(id: FileID("id:1"), size: 7))
            try transaction.move(file, to: nil)
            #expect(try transaction.node(file)?.isTombstone == true)
            #expect(try transaction.remotePath(of: file) == "/x")
            #expect(try transaction.localPath(of: file) == nil)
            #expect(try transaction.knownNames(of: file)?.map(\.string) == ["x"])
            try transaction.setRemoteAbsent(file)
            #expect(try transaction.knownNames(of: file) == nil)
            #expect(try transaction.node(file)?.isOrphan == true)
            #expect(try transaction.node(file)?.facts.size == 7)
            #expect(try transaction.node(id: FileID("id:1")) == nil)
        }
    }

    @Test("a new file takes over the place and identity of the one that it replaces")
    func handOver() throws {
        try store.write { transaction in
            let facts = RemoteFacts(id: FileID("id:1"), revision: Revision("r1"), size: 3)
            let old = try transaction.insertRemote(.file, at: place("doc"), facts: facts)
            let new = try transaction.insert(.file, at: place("doc.tmp"), local: LocalFacts())
            try transaction.move(old, to: nil)
            try transaction.move(new, to: place("doc"))
            try transaction.handOverRemote(from: old, to: new)
            #expect(try transaction.node(new)?.remote == .inPlace)
            #expect(try transaction.node(new)?.facts.id == FileID("id:1"))
            #expect(try transaction.node(new)?.facts.revision == Revision("r1"))
            #expect(try transaction.node(old)?.isOrphan == true)
            #expect(try transaction.node(old)?.facts.revision == Revision("r1"))
        }
    }

    @Test("an inode number is never given twice, not even after its node is gone")
    func inodesAreNotReused() throws {
        let first = try store.write { transaction in
            let inode = try transaction.insert(.file, at: place("x"), local: LocalFacts())
            try transaction.remove(inode)
            return inode
        }
        let second = try store.write {
            try $0.insert(.file, at: place("x"), local: LocalFacts())
        }
        #expect(second > first)
    }

    @Test("exchanged nodes have each other's places, and the server has neither moved")
    func exchange() throws {
        try store.write { transaction in
            let one = try transaction.insertRemote(.file, at: place("one"), facts: RemoteFacts())
            let two = try transaction.insertRemote(.file, at: place("two"), facts: RemoteFacts())
            try transaction.exchange(one, two)
            #expect(try transaction.child(name("one"), of: .root)?.inode == two)
            #expect(try transaction.child(name("two"), of: .root)?.inode == one)
            #expect(try transaction.remotePath(of: one) == "/one")
            #expect(try transaction.remotePath(of: two) == "/two")
        }
    }

    @Test("children come in pages, each once, in a fixed order")
    func paging() throws {
        let names = (0..<250).map { "File \($0)" }
        try store.write { transaction in
            for text in names {
                _ = try transaction.insert(.file, at: place(text), local: LocalFacts())
            }
        }
        var seen: [String] = []
        var last: String?
        while true {
            let page = try store.read {
                try $0.childNodes(of: .root, afterFolded: last, limit: 64)
            }
            guard let end = page.last else { break }
            seen += page.compactMap { $0.place?.name.string }
            last = end.place?.name.folded
        }
        #expect(seen.sorted() == names.sorted())
        let children = try store.read { try $0.children(of: .root) }
        #expect(children.map(\.name.string) == seen)
    }

    @Test("contents are found by size, of the server's files that users see")
    func contentsBySize() throws {
        func facts(_ text: String) -> RemoteFacts {
            let bytes = Array(text.utf8)
            return RemoteFacts(
                id: FileID("id:" + text), revision: Revision("rev-" + text),
                size: Int64(bytes.count), hash: ContentHasher.hash(bytes))
        }
        func hashes(_ texts: String...) -> Set<ContentHash> {
            Set(texts.compactMap { facts($0).hash })
        }
        let found = try store.write { transaction in
            for text in ["one", "two", "longer", "long", "gone", "lost"] {
                let inode = try transaction.insertRemote(
                    .file, at: place(text), facts: facts(text))
                // Users have deleted one of them, and others another one.
                if text == "gone" { try transaction.move(inode, to: nil) }
                if text == "lost" { try transaction.setRemoteAbsent(inode) }
            }
            _ = try transaction.insert(.file, at: place("new"), local: LocalFacts())
            return try transaction.contents(ofSizes: [0, 3, 4, 5])
        }
        #expect(found == [3: hashes("one", "two"), 4: hashes("long")])
    }
}
