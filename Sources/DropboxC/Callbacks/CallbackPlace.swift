// Where callbacks are called: a thread of the library, or the thread of a blocking function. Not
// responsible for queues of programs: CallerQueue.

import Dispatch
import Synchronization

/// A callback that waits for its turn.
struct Callback: Sendable {
    let run: @Sendable () -> Void
    /// It happens instead if there will be no turn.
    var drop: @Sendable () -> Void = {}
}

/// A place where callbacks are called, in order and one at a time.
protocol CallbackPlace: Sendable {
    /// Takes over a callback; it is run or dropped, once.
    func post(_ callback: Callback)
}

/// A thread of the library, for operations without a queue.
struct LibraryThread: CallbackPlace {
    private static let queue = DispatchQueue(label: "dropbox.callbacks")

    /// Has the callback run behind those of all other operations.
    func post(_ callback: Callback) {
        Self.queue.async(execute: callback.run)
    }
}

/// The thread of a blocking function, which runs callbacks until its operation has ended.
final class CallingThread: CallbackPlace {
    private let waiting = Mutex<[Callback]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Wakes the thread for a callback.
    func post(_ callback: Callback) {
        waiting.withLock { $0.append(callback) }
        count.signal()
    }

    /// Waits for the next callback and runs it.
    func runNext() {
        count.wait()
        let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        next?.run()
    }
}

/// A function of C and the context that it is called with.
///
/// Unchecked: the header demands of programs that both may be used on the thread that it names.
struct Callee<Function>: @unchecked Sendable {
    let function: Function
    let context: UnsafeMutableRawPointer?
}
