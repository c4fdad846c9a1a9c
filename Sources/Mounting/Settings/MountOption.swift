// The options of dbxfs for `-o`, as a table, from which `--help` and the keys of the configuration
// file are made. `Tests/packaging/check-manual` compares the manual with it; `MountSettings.swift`
// applies the options.

import Saturating

/// An option of a mount.
package struct MountOption: Hashable, Sendable {
    let key: SettingKey
    /// The placeholder of its value in help texts; nil for a flag.
    package let value: String?
    /// The option that negates a flag.
    package let opposite: String?
    /// Its description, in lines that fit beside the name.
    package let meaning: [String]

    fileprivate init(
        _ key: SettingKey, value: String? = nil, opposite: String? = nil, _ meaning: String...
    ) {
        self.key = key
        self.value = value
        self.opposite = opposite
        self.meaning = meaning
    }

    /// The name behind `-o`.
    package var name: String { key.rawValue }

    /// Whether the value is a set of permission bits, which is written in octal.
    var isMask: Bool { value == "OCT" }

    /// All options, in the order of `--help`.
    package static let all = SettingKey.allCases.compactMap(\.option)

    /// The option of that name.
    static func named(_ name: String) -> MountOption? { all.first { $0.name == name } }

    /// The option that this name negates, such as `nosuid` for `suid`.
    static func takenBack(by name: String) -> MountOption? { all.first { $0.opposite == name } }

    /// The table as text, for `--help`.
    package static var help: String {
        let width = 21
        return all.map { option in
            let head = option.value.map { option.name + "=" + $0 } ?? option.name
            let gap = String(repeating: " ", count: max(width -| head.count, 2))
            let indentation = "\n" + String(repeating: " ", count: width)
            return head + gap + option.meaning.joined(separator: indentation) + "\n"
        }.joined()
    }

    /// Whether an option in an fstab line is meant for mount(8), systemd or the desktop.
    static func isForOthers(_ name: String) -> Bool {
        name.hasPrefix("x-") || name.hasPrefix("X-") || generic.contains(name)
    }

    private static let generic: Set<String> = [
        "defaults", "auto", "noauto", "user", "nouser", "users", "owner", "group", "nofail",
        "_netdev", "comment", "sync", "async", "dirsync", "diratime", "nodiratime", "relatime",
        "norelatime", "strictatime", "nostrictatime", "lazytime", "nolazytime", "mand", "nomand",
        "iversion", "noiversion", "silent", "loud",
    ]
}

extension SettingKey {
    /// The option of that key; nil for one of the configuration file only.
    fileprivate var option: MountOption? {
        switch self {
        case .readOnly: MountOption(self, opposite: "rw", "nothing can be changed")
        case .allowOther: MountOption(self, "other users may enter")
        case .allowRoot: MountOption(self, "root may enter")
        case .defaultPermissions: MountOption(self, "the kernel checks permission bits")
        case .user: MountOption(self, value: "N", "owner to show")
        case .group: MountOption(self, value: "N", "group to show")
        case .mask: MountOption(self, value: "OCT", "permission bits to take from everything")
        case .fileMask: MountOption(self, value: "OCT", "permission bits to take from files")
        case .folderMask: MountOption(self, value: "OCT", "permission bits to take from folders")
        case .synchronization:
            MountOption(self, value: "local|remote", "when fsync(2) returns")
        case .writebackCache: MountOption(self, "the kernel gathers small writes")
        case .cacheFolder: MountOption(self, value: "PATH", "where cached content lies")
        case .cacheSize:
            MountOption(self, value: "SIZE", "how much of it is kept, such as 20G")
        case .writeDelay:
            MountOption(
                self, value: "TIME", "longest time for which a change waits for",
                "others to be sent with it, such as 5s")
        case .names:
            MountOption(
                self, value: "exact|fold", "whether a name also finds what differs in",
                "case only")
        case .root:
            MountOption(
                self, value: "home|team|ID", "what paths start from: the person's folder,",
                "the team's whole space, or a team folder or", "shared folder by its number")
        case .member:
            MountOption(
                self, value: "ID", "the member (dbmid:…) as whom a team's token", "acts")
        case .uploadRate:
            MountOption(self, value: "SIZE", "bytes per second to send, such as 2M")
        case .downloadRate:
            MountOption(self, value: "SIZE", "bytes per second to fetch, such as 2M")
        case .noExecution:
            MountOption(self, opposite: "exec", "no programs can be run from it")
        case .noSetUserID: MountOption(self, opposite: "suid", "set-user-ID bits have no effect")
        case .noDevices: MountOption(self, opposite: "dev", "device files have no effect")
        case .noAccessTimes:
            MountOption(self, opposite: "atime", "reading leaves access times alone")
        case .endpoint, .logLevel, .account, .appKey, .ignored, .mountpoint, .folder: nil
        }
    }
}

/// An option with its value, from any source.
package struct MountOptionSetting: Hashable, Sendable, Codable {
    /// The option's name before `=`.
    package var name: String
    /// The value behind `=`; nil without one.
    package var value: String?

    /// Creates a setting, by default without a value.
    package init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    /// The key of that name; nil if there is none.
    var key: SettingKey? { SettingKey(rawValue: name) }

    /// Splits `NAME=VALUE`; without `=`, all of it is the name.
    package init(assignment text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// Splits the list behind `-o`. A backslash before a comma makes it part of a value, as in
    /// libfuse.
    static func parse(_ list: String) -> [MountOptionSetting] {
        var options: [String] = []
        var current = ""
        var isEscaped = false
        for character in list {
            if isEscaped {
                current.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                options.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        options.append(current)
        return options.filter { !$0.isEmpty }.map(MountOptionSetting.init(assignment:))
    }
}
