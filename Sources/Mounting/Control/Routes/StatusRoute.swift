// `status`: all that is known about a mount.

extension ControlRoutes {
    /// Asks for the status.
    package static let status = ControlRoute<NoFields, StatusReply>(.status) {
        _, call throws(CommandError) in
        StatusReply(status: call.service.status())
    }
}

/// The reply to `status`.
package struct StatusReply: Hashable, Sendable, Codable {
    /// The status at this moment.
    package var status: MountStatus
}
