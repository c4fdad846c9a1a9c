// The running accesses to a database that may be closed beside them: a read that GRDB starts while
// it closes gets a connection that is gone, and the process ends.

import Glibc
import Synchronization

/// Counts running accesses, and admits none after the end.
final class Accesses: Sendable {
    private let running = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)

    /// Runs an access. Throws `Closed` after the end.
    func run<Value>(_ body: () throws -> Value) throws -> Value {
        try begin()
        defer { finish() }
        return try body()
    }

    /// Begins an access, which `finish` must end. Throws `Closed` after the end.
    func begin() throws {
        // Counted first, so that `close` sees it or it sees the end.
        running.add(1, ordering: .sequentiallyConsistent)
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            finish()
            throw MetadataStore.Closed()
        }
    }

    /// Ends an access that was begun.
    func finish() {
        running.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Admits no more accesses, and returns after the last one.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        while running.load(ordering: .sequentiallyConsistent) != 0 { usleep(1000) }
    }
}

/// Counts who uses the connection that writes, or waits for it.
final class WriterUse: Sendable {
    private let count = Atomic<Int>(0)

    /// Runs an access that may have to wait for others.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        begin()
        defer { finish() }
        return try body()
    }

    /// Runs an access if there is no other one; returns nil if there is.
    func runIfFree<Value>(_ body: () throws -> Value) rethrows -> Value? {
        let (isFree, _) = count.compareExchange(expected: 0, desired: 1, ordering: .relaxed)
        guard isFree else { return nil }
        defer { finish() }
        return try body()
    }

    func begin() { count.add(1, ordering: .relaxed) }
    func finish() { count.subtract(1, ordering: .relaxed) }
}

extension MetadataStore {
    /// The mount is ending: its database is closed.
    package struct Closed: Error, Hashable, Sendable, CustomStringConvertible {
        /// One line for people.
        package var description: String { "the mount is ending" }
    }
}
