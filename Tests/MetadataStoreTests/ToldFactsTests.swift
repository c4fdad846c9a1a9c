// The rows of facts that the server has: they follow the server's identity of a file, not its
// inode.

import Core
import GRDB
import Testing

@testable import MetadataStore

@Suite struct ToldFactsTests {
    private let store: MetadataStore
    private let facts = PosixFacts(permissions: 0o755, attributes: ["a": [0, 255]])

    init() throws {
        store = try MetadataStore(path: TemporaryStore.path())
    }

    private func place(_ name: String) throws -> Place {
        Place(parent: .root, name: try FileName(name))
    }

    private func remote(_ name: String) throws -> InodeID {
        try store.write {
            let inode = try $0.insertRemote(
                .file, at: place(name), facts: RemoteFacts(id: FileID("id:" + name)))
            try $0.setToldFacts(facts, of: inode)
            return inode
        }
    }

    @Test("facts are there as they were told, and gone with the file")
    func rows() throws {
        let inode = try remote("f")
        #expect(try store.read { try $0.toldFacts(of: inode) } == facts)
        #expect(try store.read { try $0.hasToldFacts() })
        try store.write { try $0.remove(inode) }
        #expect(try store.read { try !$0.hasToldFacts() })
    }

    @Test("a damaged text is none, and harms nothing")
    func damaged() throws {
        let inode = try remote("f")
        try store.write {
            try $0.database.execute(sql: "UPDATE told SET facts = '7 m=x'")
        }
        #expect(try store.read { try $0.toldFacts(of: inode) } == nil)
    }

    @Test("a file that the server loses owes its facts to its next identity")
    func absent() throws {
        let inode = try remote("f")
        try store.write { try $0.setRemoteAbsent(inode) }
        #expect(try store.read { try $0.toldFacts(of: inode) } == nil)
        #expect(try store.read { try $0.node(inode)?.flags.contains(.factsOwed) } == true)
        // One without facts owes none.
        let plain = try store.write {
            try $0.insertRemote(
                .file, at: place("g"), facts: RemoteFacts(id: FileID("id:g")))
        }
        try store.write { try $0.setRemoteAbsent(plain) }
        #expect(try store.read { try $0.node(plain)?.flags.contains(.factsOwed) } == false)
    }

    @Test("a file that becomes the next revision of another one takes over what the server has")
    func handedOver() throws {
        let old = try remote("f")
        try store.write { try $0.move(old, to: nil) }
        let new = try store.write {
            try $0.insert(.file, at: place("f"), local: LocalFacts())
        }
        try store.write { try $0.handOverRemote(from: old, to: new) }
        #expect(try store.read { try $0.toldFacts(of: new) } == facts)
        #expect(try store.read { try $0.toldFacts(of: old) } == nil)
    }
}
