// The settings that the options of a mount result in. The table of options is in
// `MountOption.swift`.

/// The settings of a mount.
package struct MountSettings: Hashable, Sendable, Codable {
    /// The condition on which `fsync` returns.
    package enum Synchronization: String, Hashable, Sendable, Codable {
        /// When the data survives power loss here.
        case local
        /// When the data is on Dropbox.
        case remote
    }

    /// The root of a mount's paths.
    package enum Root: Hashable, Sendable, Codable {
        /// The person's own folder.
        case home
        /// The whole space of the person's team.
        case team
        /// A namespace, by its number: a team folder or a shared folder.
        case namespace(String)

        /// Parses `home`, `team` or a number.
        init?(_ text: String) {
            switch text {
            case "home": self = .home
            case "team": self = .team
            default:
                guard (1...20).contains(text.utf8.count),
                    text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
                else { return nil }
                self = .namespace(text)
            }
        }
    }

    /// How lookups compare names.
    package enum Names: String, Hashable, Sendable, Codable {
        /// Byte by byte, as POSIX does.
        case exact
        /// As Dropbox does, without case.
        case fold
    }

    /// Whether the mount refuses all changes.
    package var isReadOnly = false
    /// Whether other users may use the mount.
    package var allowsOthers = false
    /// Whether root may use the mount, but no other user.
    package var allowsRoot = false
    /// Whether the kernel checks permission bits. Without it, every user with access may do
    /// everything.
    package var checksPermissions = false
    /// Owner to show; nil for the user who mounts.
    package var user: UInt32?
    /// Group to show; nil for the group of the user who mounts.
    package var group: UInt32?
    /// Permission bits cleared in files.
    package var fileMask: UInt16?
    /// Permission bits cleared in folders.
    package var folderMask: UInt16?
    /// The condition on which `fsync` returns.
    package var synchronization = Synchronization.local
    /// Whether the kernel gathers small writes (`writeback_cache`).
    package var gathersWrites = false
    /// Folder of cached content; nil for the default.
    package var cacheFolder: String?
    /// Limit of cached content in bytes; nil for the default.
    package var cacheSize: Int64?
    /// Seconds between the last change of a file and its upload; nil for the default.
    package var writeDelay: Double?
    /// Limit of uploads in bytes per second; nil for none.
    package var uploadRate: Int64?
    /// Limit of downloads in bytes per second; nil for none.
    package var downloadRate: Int64?
    /// How lookups compare names.
    package var names = Names.exact
    /// The root of the paths.
    package var root = Root.home
    /// The member of a team as whom a team's token acts (`dbmid:…`); nil for a person's own token.
    package var member: String?
    /// Flags that the kernel enforces itself, such as `noexec`.
    package var kernelFlags: Set<String> = []

    /// Creates settings with all defaults.
    package init() {}

    /// Parses option lists behind `-o`, later ones over earlier ones, and all of them over
    /// `configured`.
    ///
    /// - Parameter toleratesUnknown: Whether unknown options are ignored, as `mount -s` wants it,
    ///   instead of being an error.
    package init(
        parsing lists: [String], over configured: [MountOptionSetting] = [],
        toleratesUnknown: Bool = false
    ) throws(CommandError) {
        self.init()
        for setting in [configured, lists.flatMap(MountOptionSetting.parse)].joined() {
            do throws(CommandError) {
                try apply(setting)
            } catch {
                guard case .unknownOption = error, toleratesUnknown else { throw error }
            }
        }
    }

    private mutating func apply(_ setting: MountOptionSetting) throws(CommandError) {
        let name = setting.name
        if MountOption.isForOthers(name) { return }
        if let option = MountOption.named(name), (option.value == nil) == (setting.value == nil) {
            try apply(option.key, setting.value ?? "")
        } else if setting.value == nil, let option = MountOption.takenBack(by: name) {
            takeBack(option.key)
        } else {
            throw .unknownOption(name)
        }
    }

    private mutating func apply(_ key: SettingKey, _ value: String) throws(CommandError) {
        func read<Value>(_ parsed: Value?, _ expected: String) throws(CommandError) -> Value {
            guard let parsed else {
                throw .badOptionValue(name: key.rawValue, value: value, expected: expected)
            }
            return parsed
        }
        switch key {
        case .readOnly: isReadOnly = true
        case .allowOther: allowsOthers = true
        case .allowRoot: allowsRoot = true
        case .defaultPermissions: checksPermissions = true
        case .writebackCache: gathersWrites = true
        case .noSetUserID, .noDevices, .noExecution, .noAccessTimes:
            kernelFlags.insert(key.rawValue)
        case .user: user = try read(OptionValue.identifier(value), "a user number")
        case .group: group = try read(OptionValue.identifier(value), "a group number")
        case .mask:
            fileMask = try read(OptionValue.mask(value), Self.maskForm)
            folderMask = fileMask
        case .fileMask: fileMask = try read(OptionValue.mask(value), Self.maskForm)
        case .folderMask: folderMask = try read(OptionValue.mask(value), Self.maskForm)
        case .synchronization:
            synchronization = try read(Synchronization(rawValue: value), "local or remote")
        case .cacheFolder:
            cacheFolder = try read(
                value.hasPrefix("/") ? value : nil, "a path from the root on")
        case .cacheSize:
            cacheSize = try read(OptionValue.bytes(value), "a size such as 512M or 20G")
        case .writeDelay:
            writeDelay = try read(OptionValue.seconds(value), "a time such as 5s or 1m")
        case .uploadRate: uploadRate = try read(Self.rate(value), Self.rateForm)
        case .downloadRate: downloadRate = try read(Self.rate(value), Self.rateForm)
        case .names: names = try read(Names(rawValue: value), "exact or fold")
        case .root: root = try read(Root(value), "home, team or the number of a namespace")
        case .member:
            member = try read(
                value.hasPrefix("dbmid:") ? value : nil, "a team member's id such as dbmid:AAH…")
        case .endpoint, .logLevel, .account, .appKey, .ignored, .mountpoint, .folder:
            throw .unknownOption(key.rawValue)
        }
    }

    /// Takes a flag back, such as `ro` for `rw`.
    private mutating func takeBack(_ key: SettingKey) {
        if key == .readOnly { isReadOnly = false }
        kernelFlags.remove(key.rawValue)
    }

    private static func rate(_ value: String) -> Int64? {
        OptionValue.bytes(value).flatMap { $0 > 0 ? $0 : nil }
    }

    private static let rateForm = "bytes per second such as 500K or 2M"
    private static let maskForm = "permission bits in octal such as 022"
}
