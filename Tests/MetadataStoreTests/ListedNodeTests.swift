// Nodes of a listing are added where nothing else has their place.

import Core
import MetadataStore
import Testing

@Suite struct ListedNodeTests {
    private struct Undone: Error {}

    let store: MetadataStore

    init() throws {
        store = try TemporaryStore.make()
    }

    /// Adds a file of a listing. Returns whether it was added.
    private func add(_ text: String, in transaction: Transaction) throws -> Bool {
        let facts = RemoteFacts(id: FileID("id:\(text)"))
        return try transaction.insertIfUnknown(.file, at: place(text), facts: facts, seenBy: 1)
            != nil
    }

    @Test("a listed node is added once")
    func once() throws {
        try store.write { (transaction: Transaction) throws in
            #expect(try add("a", in: transaction))
            #expect(try !add("a", in: transaction))
            #expect(try add("b", in: transaction))
        }
    }

    @Test("a place that a node has on the server alone is taken, also after others were added")
    func displaced() throws {
        try store.write { transaction in
            #expect(try add("a", in: transaction))
            let moved = try transaction.insertRemote(
                .file, at: place("b"), facts: RemoteFacts(id: FileID("id:1")))
            #expect(try add("c", in: transaction))
            try transaction.move(moved, to: place("d"))
            #expect(try !add("b", in: transaction))
            #expect(try add("e", in: transaction))
        }
    }

    @Test("a place is taken again once the part that freed it is undone")
    func undone() throws {
        try store.write { transaction in
            let moved = try transaction.insertRemote(
                .file, at: place("b"), facts: RemoteFacts(id: FileID("id:1")))
            try transaction.move(moved, to: place("d"))
            #expect(throws: Undone.self) {
                try transaction.undoable {
                    try transaction.move(moved, to: place("b"))
                    #expect(try add("d", in: transaction))
                    throw Undone()
                }
            }
            #expect(try !add("b", in: transaction))
        }
    }
}
