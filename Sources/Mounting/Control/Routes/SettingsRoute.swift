// `set`: settings that change while a mount runs. `LiveSettings` decides which do.

extension ControlRoutes {
    /// Changes settings, all of them or none.
    package static let set = ControlRoute<SettingsRequest, SettingsReply>(.set) {
        request, call throws(CommandError) in
        SettingsReply(limits: try call.service.change(request.settings ?? []))
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
