// Makes operations wait, as the network would, until a test lets them go or cancels them.

import Synchronization

/// Closed for some keys; a caller at a closed gate waits until it opens.
final class Gate: Sendable {
    private struct State {
        var closed: Set<String> = []
        var waiting: [Int: (key: String, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var last = 0
        var isImmediate = false
    }

    private let state = Mutex(State())

    /// Whether an operation has to be answered by a task.
    func isClosed(for key: String) -> Bool {
        state.withLock { $0.isImmediate || $0.closed.contains(key) }
    }

    /// Has every operation answered by a task that does not wait, to measure what the task costs.
    func setImmediate(_ isImmediate: Bool) {
        state.withLock { $0.isImmediate = isImmediate }
    }

    /// How many callers wait.
    var waitingCount: Int {
        state.withLock { $0.waiting.count }
    }

    func close(for key: String) {
        state.withLock { _ = $0.closed.insert(key) }
    }

    func open(for key: String) {
        let freed = state.withLock { state in
            state.closed.remove(key)
            let freed = state.waiting.filter { $0.value.key == key }
            freed.keys.forEach { state.waiting[$0] = nil }
            return freed.values.map(\.continuation)
        }
        freed.forEach { $0.resume(returning: true) }
    }

    /// Waits for the gate to open; false if the task was cancelled.
    func pass(_ key: String) async -> Bool {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if state.closed.contains(key), !Task.isCancelled {
                        state.waiting[number] = (key, continuation)
                        return false
                    }
                    return true
                }
                if isOpen {
                    continuation.resume(returning: !Task.isCancelled)
                }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
            waiting?.continuation.resume(returning: false)
        }
    }
}
