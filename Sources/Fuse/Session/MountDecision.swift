// A one-shot event with a yes or no, for waiting tasks.

import Synchronization

/// Whether the mount works: undecided, then yes or no for good.
final class MountDecision: Sendable {
    private enum State {
        case unknown([CheckedContinuation<Bool, Never>])
        case known(Bool)
    }

    private let state = Mutex(State.unknown([]))

    /// Sets the result; only the first call counts.
    func decide(_ isReady: Bool) {
        let waiting = state.withLock { state in
            guard case .unknown(let waiting) = state else {
                return [CheckedContinuation<Bool, Never>]()
            }
            state = .known(isReady)
            return waiting
        }
        waiting.forEach { $0.resume(returning: isReady) }
    }

    /// Waits for the result.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                switch state {
                case .known(let isReady):
                    return isReady
                case .unknown(let waiting):
                    state = .unknown(waiting + [continuation])
                    return nil
                }
            }
            if let known {
                continuation.resume(returning: known)
            }
        }
    }
}
