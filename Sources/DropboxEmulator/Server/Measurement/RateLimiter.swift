// A limit on bytes per second, shared by all transfers.

import Synchronization

/// Delays bytes to keep to a rate.
final class RateLimiter: Sendable {
    private struct State {
        /// Bytes per second; nil for no limit.
        var rate: Int64?
        /// When the next byte may pass.
        var free = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// Sets the limit in bytes per second; nil or 0 for none.
    func setRate(_ rate: Int64?) {
        state.withLock { $0.rate = rate.flatMap { $0 > 0 ? $0 : nil } }
    }

    /// Waits until `count` bytes are within the rate.
    func pass(_ count: Int) async throws {
        let end: ContinuousClock.Instant? = state.withLock { state in
            guard let rate = state.rate else { return nil }
            let start = max(state.free, .now)
            state.free = start + .nanoseconds(Int64(Double(count) / Double(rate) * 1e9))
            return state.free
        }
        if let end { try await Task.sleep(until: end, clock: .continuous) }
    }
}
