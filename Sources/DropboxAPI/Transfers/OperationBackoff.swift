// Backoff of operations that consist of many calls and continue after one has given up: an endless
// change feed, or a commit whose response was lost. The client's policy decides what is retried,
// and when; this file holds the counts of one operation, and the waiting.

import Saturating

/// The failures of one operation since its last progress.
package struct OperationBackoff: Sendable {
    private var faults = 0
    private var throttles = 0

    package init() {}

    /// Waits as long as the client's policy asks after a failure. False when the policy gives up,
    /// or when the task was cancelled during the wait.
    ///
    /// `maxAttempts` limits the faults in a row that are waited out, `deadline` the time.
    /// `waitsOutThrottling` is for operations that the policy's `maxThrottles` does not end.
    package mutating func pause(
        after event: RetryPolicy.Event, of client: DropboxClient, maxAttempts: Int? = nil,
        deadline: ContinuousClock.Instant? = nil, waitsOutThrottling: Bool = false
    ) async -> Bool {
        if RetryPolicy.isThrottling(event) { throttles +|= 1 } else { faults +|= 1 }
        var decisive = event
        // The end of one call's time is not that of the operation, which is `deadline`.
        if case .transport(let error) = event, error.kind == .timedOut(.deadline) {
            decisive = .serverFault
        }
        let remaining = deadline.map { max(.zero, client.clock.now().duration(to: $0)) }
        let progress = RetryPolicy.Progress(
            faults: faults, throttles: throttles, remaining: remaining, isSafeToRepeat: true,
            maxAttempts: maxAttempts)
        var policy = client.configuration.retryPolicy
        if waitsOutThrottling { policy.maxThrottles = nil }
        switch policy.decide(decisive, progress, random: client.clock.random()) {
        case .giveUp: return false
        case .retry(let delay), .holdAllCalls(let delay):
            return (try? await client.clock.sleep(delay)) != nil
        }
    }
}

extension CallError.Kind {
    /// Whether every further call of this client will fail with the same error.
    package var concernsAllCalls: Bool {
        switch self {
        case .auth, .pathRoot: true
        case .transport(let error), .token(.transport(let error)): error.kind == .shutDown
        case .token(let error): !error.isTemporary
        default: false
        }
    }
}
