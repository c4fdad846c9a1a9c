// The journal keeps order, due times and staged content across a restart.

import ContentHashing
import Core
import MetadataStore
import Testing

@Suite struct JournalTests {
    let path: String
    let store: MetadataStore

    init() throws {
        path = TemporaryStore.path()
        store = try MetadataStore(path: path)
    }

    @Test(
        "an entry that changes again keeps its order, takes the new time and forgets its failures")
    func order() throws {
        let first = try store.write(due: { _ in seconds(1) }) {
            try $0.insert(.file, at: place("1"), local: LocalFacts())
        }
        let second = try store.write(due: { _ in seconds(2) }) {
            try $0.insert(.file, at: place("2"), local: LocalFacts())
        }
        try store.write { transaction in
            try transaction.postpone(first, until: seconds(3), problem: .passing("no"))
            #expect(try transaction.journalEntry(of: first)?.attempts == 1)
        }
        try store.write(due: { _ in seconds(4) }) { try $0.move(first, to: place("3")) }
        try store.read { transaction in
            let entries = try transaction.journalEntries(limit: 10)
            #expect(entries.map(\.inode) == [first, second])
            #expect(entries.first?.attempts == 0)
            #expect(entries.first?.problem == nil)
            #expect(try transaction.dueEntries(at: seconds(2), limit: 9).map(\.inode) == [second])
            #expect(try transaction.nextDue(after: seconds(2)) == seconds(4))
        }
    }

    @Test("the entries of one due time become due together, and no others")
    func together() throws {
        let names = ["1", "2", "3"]
        let inodes = try zip(names, [5, 6, 5]).map { name, due in
            try store.write(due: { _ in seconds(due) }) {
                try $0.insert(.file, at: place(name), local: LocalFacts())
            }
        }
        try store.write { try $0.makeDue(insteadOf: seconds(5), at: seconds(2)) }
        try store.read { transaction in
            let due = try transaction.dueEntries(at: seconds(2), limit: 9)
            #expect(due.map(\.inode) == [inodes[0], inodes[2]])
            #expect(try transaction.nextDue(after: seconds(2)) == seconds(6))
        }
    }

    @Test("entries with a problem come in order, up to so many, among so many")
    func entriesWithProblem() throws {
        let inodes = try ["1", "2", "3"].map { name in
            try store.write { try $0.insert(.file, at: place(name), local: LocalFacts()) }
        }
        func problems(_ limit: Int, among examined: Int) throws -> [String?] {
            try store.read { snapshot in
                try snapshot.entriesWithProblem(limit: limit, among: examined).map(\.problem)
            }
        }
        #expect(try problems(9, among: 9) == [])
        try store.write { transaction in
            try transaction.postpone(inodes[2], until: seconds(3), problem: .passing("later"))
            try transaction.postpone(inodes[1], until: seconds(9), problem: .passing("first"))
        }
        #expect(try problems(9, among: 9) == ["first", "later"])
        #expect(try problems(1, among: 9) == ["first"])
        #expect(try problems(9, among: 2) == ["first"])
        #expect(try problems(9, among: 1) == [])
    }

    @Test("staged content comes back whole after a restart, and orphans do not")
    func restart() throws {
        let base = StagedContent.Base(
            revision: Revision("r"), hash: ContentHasher.hash([1, 2]), size: 9, limit: 5)
        let staged = StagedContent(file: 4, size: 77, generation: 3, base: base, blocks: [5])
        let (kept, orphan) = try store.write { transaction in
            let kept = try transaction.insert(.file, at: place("kept"), local: LocalFacts())
            try transaction.setStaged(staged, of: kept)
            let orphan = try transaction.insert(.file, at: place("gone"), local: LocalFacts())
            try transaction.setStaged(
                StagedContent(file: 5, size: 1, generation: 1, base: nil, blocks: []), of: orphan)
            try transaction.move(orphan, to: nil)
            return (kept, orphan)
        }
        try store.close()
        let reopened = try MetadataStore(path: path)
        #expect(try reopened.read { try $0.node(kept)?.staged } == staged)
        #expect(try reopened.read { try $0.node(kept)?.size } == 77)
        #expect(try reopened.read { try $0.node(orphan) } == nil)
        #expect(try reopened.read { try $0.stagingFiles() } == [4])
        #expect(try reopened.read { try $0.pending().bytes } == 77)
    }

    @Test("a transaction that fails leaves nothing behind")
    func rollback() throws {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try store.write { transaction in
                _ = try transaction.insert(.file, at: place("x"), local: LocalFacts())
                throw Refused()
            }
        }
        #expect(try store.read { try $0.hasChildren(.root) } == false)
    }

    @Test("extended attributes keep any bytes, the empty value too")
    func attributes() throws {
        try store.write { transaction in
            let file = try transaction.insert(.file, at: place("x"), local: LocalFacts())
            try transaction.setAttribute("user.a", of: file, to: [0, 255, 10])
            try transaction.setAttribute("user.b", of: file, to: [])
            #expect(try transaction.attribute("user.a", of: file) == [0, 255, 10])
            #expect(try transaction.attribute("user.b", of: file) == [])
            #expect(try transaction.attribute("user.c", of: file) == nil)
            try transaction.removeAttribute("user.a", of: file)
            #expect(try transaction.attributeNames(of: file) == ["user.b"])
        }
    }
}
