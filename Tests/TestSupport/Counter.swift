// Counting events of tasks and threads.

import Synchronization

/// A number of events that several tasks count.
public final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    /// Begins without an event.
    public init() {}

    /// The number of events so far.
    public var count: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Counts an event, and returns its number, from 1.
    @discardableResult
    public func increment() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}
