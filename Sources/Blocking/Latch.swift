// A one-shot event that threads wait for. Not for tasks: a waiting one would block a thread of the
// cooperative pool.

import CLibrary
import Dispatch
import Saturating
import Synchronization

/// An event that happens once.
package final class Latch: Sendable {
    private let isSet = Mutex(false)
    private let group = DispatchGroup()

    /// Creates an event that has not happened.
    package init() {
        group.enter()
    }

    /// Sets the event; a second call changes nothing.
    package func set() {
        let isFirst = isSet.withLock { isSet in
            defer { isSet = true }
            return !isSet
        }
        if isFirst { group.leave() }
    }

    /// Whether the event has happened.
    package var hasHappened: Bool { isSet.withLock { $0 } }

    /// Waits for the event.
    package func wait() {
        group.wait()
    }

    /// Waits for the event or a timeout; returns whether it has happened.
    package func wait(seconds: Double) -> Bool {
        let nanoseconds = Int(clamping: min(max(seconds, 0), 1e9) * 1e9)
        return group.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    }

    deinit {
        // Dispatch traps when a group is released while entered.
        set()
    }
}
