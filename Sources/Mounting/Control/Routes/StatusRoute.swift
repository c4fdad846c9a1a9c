// `status`: all that is known about a mount. `history-write`: the events so far, in the state
// folder's file.

extension ControlRoutes {
    /// Asks for the status.
    package static let status = ControlRoute<NoFields, StatusReply>(.status) {
        _, call throws(CommandError) in
        StatusReply(status: call.service.status())
    }

    /// Makes the mount write the events that it still has in memory.
    package static let writeHistory = ControlRoute<NoFields, AcceptedReply>(.writeHistory) {
        _, call throws(CommandError) in
        call.service.writeHistory()
        return AcceptedReply()
    }
}

/// The reply to `status`.
package struct StatusReply: Hashable, Sendable, Codable {
    /// The status at this moment.
    package var status: MountStatus
}
