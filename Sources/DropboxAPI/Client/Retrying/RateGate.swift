// Blocks all requests of a client until a moment, because the server asked for a pause.

import Synchronization

/// Delays all calls of a client after a rate limit.
final class RateGate: Sendable {
    /// Held for a comparison only.
    private let opening = Mutex<ContinuousClock.Instant?>(nil)

    /// Closes the gate until `moment`, unless it already stays closed for longer.
    func close(until moment: ContinuousClock.Instant) {
        opening.withLock { opening in
            opening = max(opening ?? moment, moment)
        }
    }

    /// The time from `now` until the gate opens; nil when it is open.
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
