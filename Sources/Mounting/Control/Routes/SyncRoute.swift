// `sync`: waits until the queue is empty. `Drain` decides for how long.

import Saturating

extension ControlRoutes {
    /// Sends everything; the replies are the backlog as it shrinks, then the outcome.
    package static let sync = ControlRoute<TimedRequest, SyncReply>(.sync) {
        request, call throws(CommandError) in
        .outcome(
            Drain(limit: request.timeout)
                .run(
                    call.service, isHurried: call.ending.hasEnded,
                    isAbandoned: { call.isAbandoned },
                    report: { call.send(.progress($0)) }))
    }
}

/// A request that ends after a time.
package struct TimedRequest: Hashable, Sendable, Codable {
    /// Timeout in seconds; nil for none.
    package var timeout: Double?

    /// Creates a request of at most `timeout` seconds.
    package init(timeout: Double?) {
        self.timeout = timeout
    }
}

/// A reply to `sync`.
package enum SyncReply: Hashable, Sendable, Codable {
    /// The changes that are still queued.
    case progress(Backlog)
    /// The end of the wait.
    case outcome(DrainOutcome)

    private enum CodingKeys: CodingKey {
        case progress, outcome
    }

    /// Reads the field that there is.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let outcome = try fields.decodeIfPresent(DrainOutcome.self, forKey: .outcome) {
            self = .outcome(outcome)
        } else {
            self = .progress(try fields.decode(Backlog.self, forKey: .progress))
        }
    }

    /// Writes the field of the case.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let backlog): try fields.encode(backlog, forKey: .progress)
        case .outcome(let outcome): try fields.encode(outcome, forKey: .outcome)
        }
    }
}

/// The queued changes of a mount.
package struct Backlog: Hashable, Sendable, Codable {
    /// Number of queued changes.
    package var operations: Int
    /// Bytes of their content.
    package var bytes: Int64
    /// The mount's connection to the server.
    package var state: MountStatus.State
    /// Whether only a user's action can unblock them.
    package var isStuck: Bool
    /// Why the last attempt failed, if one did.
    package var problem: String?
    /// The part of the bytes that the network has taken; nil from a mount of an earlier version.
    package var sentBytes: Int64?
    /// Bytes per second that are being sent; nil if unknown.
    package var rate: Int64?
    /// Whether a user has paused the mount; nil from a mount of an earlier version.
    package var isPaused: Bool?

    /// Memberwise; by default neither stuck nor failed.
    package init(
        operations: Int, bytes: Int64, state: MountStatus.State, isStuck: Bool = false,
        problem: String? = nil
    ) {
        self.operations = operations
        self.bytes = bytes
        self.state = state
        self.isStuck = isStuck
        self.problem = problem
    }
}

extension Backlog {
    /// Bytes that are still to be sent.
    package var missingBytes: Int64 { max(0, bytes -| (sentBytes ?? 0)) }
    /// Seconds until they are sent; nil if unknown.
    package var secondsLeft: Double? { TimeLeft.seconds(for: missingBytes, at: rate) }
}
