// A queue for local work that runs some seconds later, and whose end no caller waits for. A
// protocol, because a process with a clock of its own brings its own queue.

import Dispatch
import Saturating

/// Runs work later, one piece after the other.
package protocol BackgroundQueue: Sendable {
    /// Runs the work after so many seconds.
    func run(after seconds: Double, _ work: @escaping @Sendable () -> Void)
    /// Runs the work now, after a running piece; returns when it is done.
    func run<Value>(_ work: () throws -> Value) rethrows -> Value
}

/// A queue with a thread of its own while it has work.
package struct ThreadQueue: BackgroundQueue {
    private let queue: DispatchQueue

    /// Makes a queue; `label` shows in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    /// Runs the work after so many seconds of the machine's clock.
    package func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        let nanoseconds = Int(clamping: seconds * 1e9)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: work)
    }

    /// Runs the work now; must not be called by other work of this queue.
    package func run<Value>(_ work: () throws -> Value) rethrows -> Value {
        try queue.sync(execute: work)
    }
}
