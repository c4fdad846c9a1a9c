// Calls that are carried out some time after they arrived, whatever has become of their clients: as a service
// does that is slow to commit.

import Synchronization

/// The calls that wait to be carried out.
final class DeferredCalls: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: Task<Reply, any Error>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Carries a call out after a time, even if the task that asks for it is cancelled meanwhile.
    ///
    /// Throws what the call throws, and `CancellationError` if the emulator stops first.
    func run(
        after delay: Duration, _ work: @escaping @Sendable () async throws -> Reply
    ) async throws -> Reply {
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

    /// How many wait or are being carried out.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Gives up all that wait, and returns once none is being carried out.
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
