// The moment before which a client sends nothing, because the server asked all of it to wait.

import Synchronization

/// Holds all calls of a client back after a rate limit.
final class RateGate: Sendable {
    /// Held for a comparison only.
    private let opening = Mutex<ContinuousClock.Instant?>(nil)

    /// Closes the gate until `moment`, unless it is closed for longer already.
    func close(until moment: ContinuousClock.Instant) {
        opening.withLock { opening in
            opening = max(opening ?? moment, moment)
        }
    }

    /// How long the gate stays closed from `now` on; nil when it is open.
    func delay(at now: ContinuousClock.Instant) -> Duration? {
        opening.withLock { opening in
            guard let moment = opening, moment > now else {
                opening = nil
                return nil
            }
            return now.duration(to: moment)
        }
    }
}
