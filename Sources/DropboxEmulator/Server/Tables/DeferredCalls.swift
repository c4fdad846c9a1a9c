// Calls that are executed some time after they arrived, even if their clients have disconnected:
// like a service that is slow to commit.

import Synchronization

/// The deferred calls that have not ended.
final class DeferredCalls: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: Task<RouteResponse, any Error>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Executes a call after a delay, even if the calling task is cancelled.
    ///
    /// Throws the call's error, or `CancellationError` if the emulator stops first.
    func run(
        after delay: Duration, _ work: @escaping @Sendable () async throws -> RouteResponse
    ) async throws -> RouteResponse {
        let (number, task) = try state.withLock { state in
            guard !state.isClosed else { throw CancellationError() }
            let task = Task.detached {
                try await Task.sleep(for: delay)
                return try await work()
            }
            state.next += 1
            state.tasks[state.next] = task
            return (state.next, task)
        }
        defer { state.withLock { _ = $0.tasks.removeValue(forKey: number) } }
        return try await task.value
    }

    /// Number of calls that wait or are being executed.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Cancels all waiting calls, and returns once none is being executed.
    func close() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return state.tasks
        }
        for task in tasks.values {
            task.cancel()
            _ = await task.result
        }
    }
}
