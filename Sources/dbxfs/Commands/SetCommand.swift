// `dbxfs set`: changes settings of a running mount. `LiveSettings` lists them.

import ArgumentParser
import Mounting

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change settings of a running mount, until it is unmounted.",
        usage: "dbxfs set [<path>] <setting>=<value> ...",
        discussion: """
            What can be changed: bwlimit_up, bwlimit_down (none or 0: no limit), cache_size, write_delay (for \
            changes from now on) and log_level. The next mount begins with its options and the configuration \
            file again. `dbxfs status` shows what is in force.
            """)

    @Argument(
        help: """
            A mountpoint or anything below it (without it: all mounts), then settings such as bwlimit_up=500K.
            """,
        completion: .settings)
    var words: [String]

    /// The mount, if one is named, and the settings.
    private func parsed() throws(CommandError) -> (path: String?, settings: [MountOptionSetting]) {
        var words = words[...]
        var path: String?
        if let first = words.first, !Self.isSetting(first) {
            path = first
            words = words.dropFirst()
        }
        let settings = words.map(MountOptionSetting.init(assignment:))
        // Invalid settings are reported before any mount gets a request.
        _ = try LiveSettings().changed(by: settings)
        return (path, settings)
    }

    /// A path that resembles a setting must contain a slash.
    private static func isSetting(_ word: String) -> Bool {
        let name = word.prefix { $0 != "=" }
        return name.endIndex != word.endIndex && !name.contains("/")
    }

    func validate() throws {
        guard words.contains(where: Self.isSetting) else {
            throw ValidationError("name a setting and its value, such as bwlimit_up=500K")
        }
    }

    func run() throws {
        let (path, settings) = try parsed()
        let environment = try Environment.ofRunningMounts()
        try RunningMount.forEach(path, environment) { mount in
            _ = try mount.connectOrFail(environment)
                .ask(
                    ControlRoutes.set, SettingsRequest(settings: settings), about: mount.mountpoint)
        }
    }
}
