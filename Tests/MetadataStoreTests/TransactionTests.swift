// Effects after a transaction: they follow a commit, and none follows a rollback.

import Core
import Foundation
import Glibc
import MetadataStore
import Synchronization
import Testing

@Suite struct TransactionTests {
    private struct Refused: Error {}

    let path: String
    let store: MetadataStore
    private let told = Notes()

    init() throws {
        path = TemporaryStore.path()
        store = try MetadataStore(path: path)
    }

    /// Changes something, and notes under a name how that ends.
    private func change(_ title: String, in transaction: Transaction) throws {
        let told = told
        transaction.afterCommit { told.note("\(title) committed") }
        transaction.afterEnd { told.note("\(title) ended") }
        _ = try transaction.insert(.folder, at: place(title), local: LocalFacts())
    }

    @Test("an observer is called as directly after many transactions as after the first")
    func observation() throws {
        let depths = Mutex<[Int]>([])
        store.observeTransactions {
            var local = 0
            let depth = withUnsafeMutablePointer(to: &local) { Int(bitPattern: $0) }
            depths.withLock { $0.append(depth) }
        }
        for _ in 0..<500 { try store.write { _ in } }
        let seen = depths.withLock { $0 }
        #expect(seen.count == 500)
        let (first, last) = (try #require(seen.first), try #require(seen.last))
        #expect(abs(first - last) < 4096)
    }

    @Test("what follows a commit is done once, before the call returns")
    func committed() throws {
        try store.write { try change("a", in: $0) }
        #expect(told.notes == ["a committed", "a ended"])
        try store.write { try change("b", in: $0) }
        #expect(told.notes.suffix(2) == ["b committed", "b ended"])
    }

    @Test("what follows a commit is not done if the transaction is undone")
    func undone() throws {
        #expect(throws: Refused.self) {
            try store.write { transaction in
                try change("a", in: transaction)
                throw Refused()
            }
        }
        #expect(told.notes == ["a ended"])
    }

    @Test("what follows a commit is not done if the disk is full, nor after the next commit")
    func failed() throws {
        try store.write { try change("a", in: $0) }
        // /dev/full cannot be read either.
        try TemporaryStore.withLog(of: path, replacedBy: open("/dev/full", O_RDWR)) {
            #expect(throws: (any Error).self) { try store.write { try change("b", in: $0) } }
        }
        try store.write { _ = try $0.node(.root) }
        #expect(told.notes == ["a committed", "a ended", "b ended"])
        try store.write { try change("c", in: $0) }
        #expect(told.notes.suffix(2) == ["c committed", "c ended"])
        let names = try store.read { try $0.children(of: .root).map(\.name.string) }
        #expect(names == ["a", "c"])
    }
}

/// Shared by closures, which a lock in a struct cannot be.
private final class Notes: Sendable {
    private let lines = Mutex<[String]>([])

    var notes: [String] { lines.withLock { $0 } }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
