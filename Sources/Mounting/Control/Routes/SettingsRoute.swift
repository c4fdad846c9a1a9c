// `set`: settings that change while a mount runs. `LiveSettings` decides which do. `pause`: what a
// mount does not do for a while.

extension ControlRoutes {
    /// Changes settings, all of them or none.
    package static let set = ControlRoute<SettingsRequest, SettingsReply>(.set) {
        request, call throws(CommandError) in
        SettingsReply(limits: try call.service.change(request.settings ?? []))
    }

    /// Pauses a mount, or has it go on.
    package static let pause = ControlRoute<PauseRequest, AcceptedReply>(.pause) {
        request, call throws(CommandError) in
        call.service.setPaused(request.isPaused, seconds: request.seconds)
        return AcceptedReply()
    }
}

/// A request to pause a mount, or to have it go on.
package struct PauseRequest: Hashable, Sendable, Codable {
    /// Whether the mount pauses, or goes on.
    package var isPaused: Bool
    /// Seconds until it goes on by itself; nil for never.
    package var seconds: Double?

    /// Memberwise and without defaults.
    package init(isPaused: Bool, seconds: Double?) {
        self.isPaused = isPaused
        self.seconds = seconds
    }

    private enum CodingKeys: String, CodingKey {
        case isPaused = "paused"
        case seconds
    }
}

/// A request to change settings.
package struct SettingsRequest: Hashable, Sendable, Codable {
    /// The settings to change, by name.
    package var settings: [MountOptionSetting]?

    /// Memberwise and without defaults.
    package init(settings: [MountOptionSetting]) {
        self.settings = settings
    }
}

/// The reply to `set`.
package struct SettingsReply: Hashable, Sendable, Codable {
    /// The settings in force.
    package var limits: LiveSettings
}
