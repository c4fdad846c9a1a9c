// When a transfer has waited for too long. Pure: time and progress come from outside.
// Name resolution, connection and TLS handshake are timed by libcurl itself.

/// The patience that is left with one transfer.
struct TransferTimer {
    /// Where a transfer is.
    enum Phase {
        /// Waiting for its turn or for a connection.
        case starting
        /// Sending the body.
        case sending
        /// The server has everything and has not begun to answer.
        case waiting
        /// Receiving the body.
        case receiving
        /// Held up from this side: the reader is slow or the bandwidth is limited.
        case heldUp
    }

    private let timeouts: TransferTimeouts
    private let submitted: ContinuousClock.Instant
    private var lastProgress: ContinuousClock.Instant

    init(_ timeouts: TransferTimeouts, submitted: ContinuousClock.Instant) {
        self.timeouts = timeouts
        self.submitted = submitted
        lastProgress = submitted
    }

    /// Bytes moved, a phase ended, or the transfer is held up from this side.
    mutating func noteProgress(at now: ContinuousClock.Instant) {
        lastProgress = max(lastProgress, now)
    }

    /// When patience ends if nothing happens, and what has then failed; nil for never.
    func expiry(
        in phase: Phase
    ) -> (moment: ContinuousClock.Instant, phase: TransportError.Phase)? {
        let idle: (ContinuousClock.Instant, TransportError.Phase)? =
            switch phase {
            case .starting, .heldUp: nil
            case .sending, .receiving: (lastProgress.advanced(by: timeouts.stall), .body)
            case .waiting: (lastProgress.advanced(by: timeouts.response), .response)
            }
        guard let total = timeouts.total else { return idle }
        let end = submitted.advanced(by: total)
        if let idle, idle.0 < end { return idle }
        return (end, .deadline)
    }
}
