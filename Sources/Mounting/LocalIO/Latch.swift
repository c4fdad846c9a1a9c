// A one-shot event that threads wait for, and the threads themselves. Only for threads of this
// process's own: a waiting task would block a thread of the cooperative pool.

import Dispatch
import Glibc
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

/// Threads for work that blocks.
package enum Thread {
    /// Runs work on a new detached thread.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Work(run: work))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                pthread_detach(pthread_self())
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if status != 0 {
            box.release()
            DispatchQueue.global().async(execute: work)
        }
    }

    /// Runs work that may block for ever on a new thread. Returns nil after so many seconds; the
    /// thread is abandoned then.
    package static func within<Value: Sendable>(
        seconds: Double, _ work: @escaping @Sendable () -> Value
    ) -> Value? {
        let done = Latch()
        let result = Mutex<Value?>(nil)
        start {
            let value = work()
            result.withLock { $0 = value }
            done.set()
        }
        _ = done.wait(seconds: seconds)
        return result.withLock { $0 }
    }

    /// Runs async work from a thread that may block, and waits for it.
    package static func waiting<Value: Sendable>(
        for work: @escaping @Sendable () async -> Value
    ) -> Value? {
        let done = Latch()
        let result = Mutex<Value?>(nil)
        Task.detached {
            let value = await work()
            result.withLock { $0 = value }
            done.set()
        }
        done.wait()
        return result.withLock { $0 }
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
