// `finish` and `hurry`: the end of a mount, as `MountEnding` coordinates it.

import Blocking
import Dispatch

extension ControlRoutes {
    /// Announces that the mount is about to be detached: the first reply comes at once, the other
    /// one at its end.
    package static let finish = ControlRoute<TimedRequest, FinishReply>(.finish) {
        request, call throws(CommandError) in
        let ending = call.ending
        ending.listeners.enter()
        // After the outcome was sent: then the process may end.
        defer { ending.listeners.leave() }
        let number = ending.ask(limit: request.timeout)
        guard call.send(.accepted) else {
            ending.withdraw(number)
            return nil
        }
        while !ending.hasEnded.wait(seconds: abandonedPause) {
            // The mount is still in use, and its client has given up.
            if call.isAbandoned {
                ending.withdraw(number)
                return nil
            }
        }
        if let outcome = ending.waitForOutcome() { _ = call.send(.outcome(outcome)) }
        return nil
    }

    /// Stops sending and ends, if the mount is detached already.
    package static let hurry = ControlRoute<NoFields, AcceptedReply>(.hurry) {
        _, call throws(CommandError) in
        // The process may not have noticed yet that the mount is detached.
        for _ in 0..<20 {
            if call.service.status().state == .finishing {
                call.ending.isHurried.set()
                break
            }
            if call.ending.hasEnded.wait(seconds: 0.1) { break }
        }
        return AcceptedReply()
    }

    /// Seconds between two checks whether a client still waits for the mount's end.
    private static let abandonedPause = 1.0
}

/// The reply to a request that has no result.
package struct AcceptedReply: Hashable, Sendable, Codable {
    /// Always true; a refusal is a failure.
    package var isAccepted = true
}

/// A reply to `finish`.
package enum FinishReply: Hashable, Sendable, Codable {
    /// The mount can be detached.
    case accepted
    /// The mount has ended.
    case outcome(DrainOutcome)

    private enum CodingKeys: CodingKey {
        case isAccepted, outcome
    }

    /// Reads the field that there is.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let outcome = try fields.decodeIfPresent(DrainOutcome.self, forKey: .outcome)
        self = outcome.map { .outcome($0) } ?? .accepted
    }

    /// Writes the field of the case.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .accepted: try fields.encode(true, forKey: .isAccepted)
        case .outcome(let outcome): try fields.encode(outcome, forKey: .outcome)
        }
    }
}
