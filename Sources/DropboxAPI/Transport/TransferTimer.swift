// The timeouts of a transfer. Pure: time and progress come from outside.

/// The remaining time until a transfer's timeout.
package struct TransferTimer: Sendable {
    /// The phase of a transfer.
    package enum Phase: Sendable {
        /// Queued, or waiting for a connection that the HTTP library itself times.
        case starting
        /// Waiting for a connection: name resolution, connection and TLS handshake.
        case connecting
        /// Sending the request's body.
        case sending
        /// The server has the whole request and has not begun to respond.
        case waiting
        /// Receiving the response's body.
        case receiving
        /// Paused from this side: the reader is slow or the bandwidth is limited.
        case heldUp
    }

    private let timeouts: TransferTimeouts
    private let submitted: ContinuousClock.Instant
    private var lastProgress: ContinuousClock.Instant

    package init(_ timeouts: TransferTimeouts, submitted: ContinuousClock.Instant) {
        self.timeouts = timeouts
        self.submitted = submitted
        lastProgress = submitted
    }

    /// Restarts the timeout: bytes moved, a phase ended, or the transfer is paused from this side.
    package mutating func noteProgress(at now: ContinuousClock.Instant) {
        lastProgress = max(lastProgress, now)
    }

    /// When the timeout of a phase expires, and the error then; nil for never.
    package func expiry(
        in phase: Phase
    ) -> (moment: ContinuousClock.Instant, phase: TransportError.Phase)? {
        let idle: (ContinuousClock.Instant, TransportError.Phase)? =
            switch phase {
            case .starting, .heldUp: nil
            case .connecting: (lastProgress.advanced(by: timeouts.connect), .connect)
            case .sending, .receiving: (lastProgress.advanced(by: timeouts.stall), .body)
            case .waiting: (lastProgress.advanced(by: timeouts.response), .response)
            }
        guard let total = timeouts.total else { return idle }
        let end = submitted.advanced(by: total)
        if let idle, idle.0 < end { return idle }
        return (end, .deadline)
    }
}
