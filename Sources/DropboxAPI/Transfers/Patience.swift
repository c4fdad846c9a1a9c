// Pauses of work that consists of many calls and goes on after a call has given up: a feed that never ends, a
// commit whose reply was lost. What is worth another attempt, and when, is the client's policy; here are the
// counts of one piece of work, and the waiting.

/// What one piece of work has been through since it last got on.
package struct Patience: Sendable {
    private var faults = 0
    private var throttles = 0

    package init() {}

    /// Waits as long as the client's policy wants after a failure. False when the policy gives up, or when the task
    /// was cancelled meanwhile.
    ///
    /// `maxAttempts` limits how many faults in a row are waited out, `deadline` until when.
    package mutating func pause(
        after event: RetryPolicy.Event, of client: DropboxClient, maxAttempts: Int? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async -> Bool {
        if RetryPolicy.isThrottling(event) { throttles += 1 } else { faults += 1 }
        let remaining = deadline.map { max(.zero, client.clock.now().duration(to: $0)) }
        let progress = RetryPolicy.Progress(
            faults: faults, throttles: throttles, remaining: remaining, retryAfterSend: true,
            maxAttempts: maxAttempts)
        let policy = client.configuration.retryPolicy
        switch policy.decide(event, progress, random: client.clock.random()) {
        case .giveUp: return false
        case .retry(let delay), .holdAllCalls(let delay):
            return (try? await client.clock.sleep(delay)) != nil
        }
    }
}

extension CallError.Kind {
    /// Whether each further call of this client will fail with it, too.
    package var concernsAllCalls: Bool {
        switch self {
        case .auth, .pathRoot, .token: true
        case .transport(let error): error.kind == .shutDown
        default: false
        }
    }
}
