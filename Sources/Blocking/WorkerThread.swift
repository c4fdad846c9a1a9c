// Threads for work that blocks, which the cooperative pool must not do: it has as many threads as
// the machine has cores.

import CLibrary
import Dispatch
import Synchronization

/// Threads for work that blocks.
package enum WorkerThread {
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

    /// The same for work that may fail.
    package static func result<Value: Sendable, Failure: Error>(
        of work: @escaping @Sendable () async throws(Failure) -> Value
    ) -> Result<Value, Failure>? {
        waiting { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
