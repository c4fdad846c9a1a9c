// The options of a mount, as a table. A row is all that `-o`, the configuration file, `--help` and
// `dbxfs set` know of an option; the manual (docs/man/mount.dbxfs.8) is compared with the table by
// `Tests/packaging/check-manual`. Not responsible for what a setting does: the parts of a mount get
// it from `MountSettings`.

import Saturating

/// An option of a mount: a row of the table.
package struct MountOption: Sendable {
    /// The name behind `-o`, in the configuration file and for `dbxfs set`.
    package let name: String
    /// The placeholder of its value in help texts; nil for a flag.
    package let value: String?
    /// The option that negates a flag.
    package let opposite: String?
    /// Its description, in lines that fit beside the name.
    package let meaning: [String]
    /// The values that it takes, for messages.
    let expected: String
    /// The values that are words, for completion at the Tab key.
    let words: [String]
    /// Whether the configuration file has to quote its value.
    let isQuoted: Bool
    /// Puts a value into settings; returns false if it is none for this option.
    let apply: @Sendable (inout MountSettings, String) -> Bool
    /// Takes a flag back.
    let takeBack: @Sendable (inout MountSettings) -> Void
    /// How `dbxfs set` changes it; nil if only a new mount can.
    let change: SettingChange?

    /// All options, in the order of `--help`.
    package static let all: [MountOption] = [
        .flag("ro", \.isReadOnly, opposite: "rw", "nothing can be changed"),
        .flag("allow_other", \.allowsOthers, "other users may enter"),
        .flag("allow_root", \.allowsRoot, "root may enter"),
        .flag("default_permissions", \.checksPermissions, "the kernel checks permission bits"),
        .value("uid", .user, \.user, "owner to show"),
        .value("gid", .group, \.group, "group to show"),
        mask,
        .value("fmask", .mask, \.fileMask, "permission bits to take from files"),
        .value("dmask", .mask, \.folderMask, "permission bits to take from folders"),
        .value("fsync", .synchronization, \.synchronization, "when fsync(2) returns"),
        .flag("writeback_cache", \.gathersWrites, "the kernel gathers small writes"),
        cacheFolder,
        .value(
            "cache_size", .size, \.cacheSize, live: .to(\.cacheSize, .size),
            "how much of it is kept, such as 20G"),
        .value(
            "write_delay", .time, \.writeDelay, live: .to(\.writeDelay, .timeOrNone),
            "longest time for which a change waits for", "others to be sent with it, such as 5s"),
        .value(
            "case", .names, \.names, "whether a name also finds what differs in", "case only"),
        .value(
            "names", .allowedNames, \.allowedNames, "whether all names can be given, or those only",
            "that Dropbox can have"),
        .value(
            "posix", .posix, \.posix, "whether other machines get modes, exact times,",
            "links, names and attributes"),
        .value(
            "cached_only", .programs, \.cachedOnly, "programs for which nothing is fetched, with",
            "colons; standard means the usual indexers"),
        .value(
            "cloud_documents", .cloudDocuments, \.cloudDocuments,
            "whether documents of Paper and the like can", "be read, as exports"),
        .value(
            "trash", .trash, \.trash, "whether file managers can make their folder", "for trash"),
        .flag("desktop", \.servesDesktop, "file managers' Dropbox plug-ins are served"),
        .value(
            "inotify", .inotify, \.inotify,
            "whether programs that watch folders are told", "of other clients' changes"),
        .value(
            "thumbnails", .thumbnails, \.thumbnails,
            "whether file managers get Dropbox's thumbnails", "of pictures that are not cached"),
        .value(
            "on_event", .program, \.eventProgram,
            "program for conflicts, refusals, a full", "account, the end of the login"),
        .value(
            "metrics", .metrics, \.metrics,
            "where metrics can be scraped: a port of this",
            "machine such as 9417, ADDRESS:PORT, or the",
            "path of a socket"),
        .value(
            "root", .root, \.root, "what paths start from: the person's folder,",
            "the team's whole space, or a team folder or", "shared folder by its number"),
        .value(
            "member", .member, \.member, "the member (dbmid:…) as whom a team's token", "acts"),
        .value(
            "bwlimit_up", \.uploadRate, \.uploadSchedule,
            live: .limit(\.uploadRate, \.uploadSchedule),
            "bytes per second to send, such as 2M, or by", "time: 500K@08:00/none@18:00"),
        .value(
            "bwlimit_down", \.downloadRate, \.downloadSchedule,
            live: .limit(\.downloadRate, \.downloadSchedule),
            "the same for bytes to fetch"),
        .value(
            "context", .securityContext, \.securityContext,
            "SELinux's label of all files; for root"),
        .kernelFlag("noexec", opposite: "exec", "no programs can be run from it"),
        .kernelFlag("nosuid", opposite: "suid", "set-user-ID bits have no effect"),
        .kernelFlag("nodev", opposite: "dev", "device files have no effect"),
        .kernelFlag("noatime", opposite: "atime", "reading leaves access times alone"),
    ]

    /// The permission bits of files and folders, over which the options for one of them go.
    static let mask = MountOption(
        "umask", .mask, ["permission bits to take from everything"]
    ) { settings, mask in
        settings.fileMask = mask
        settings.folderMask = mask
    }

    /// The folder of cached content, which `DBXFS_CACHE_DIR` overrides in the configuration file.
    static let cacheFolder = MountOption.value(
        "cache_dir", .path, \.cacheFolder, "where cached content lies")

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

// MARK: Kinds of rows

extension MountOption {
    private typealias Target<Value> = any WritableKeyPath<MountSettings, Value> & Sendable

    /// An option with a value.
    private init<Value>(
        _ name: String, _ form: ValueForm<Value>, _ meaning: [String], live: SettingChange? = nil,
        _ store: @escaping @Sendable (inout MountSettings, Value) -> Void
    ) {
        self.name = name
        value = form.placeholder
        opposite = nil
        self.meaning = meaning
        expected = form.expected
        words = form.words
        isQuoted = form.isQuoted
        apply = { settings, text in
            guard let value = form.parse(text) else { return false }
            store(&settings, value)
            return true
        }
        takeBack = { _ in }
        change = live.map { $0.named(name) }
    }

    /// An option without a value.
    private init(
        _ name: String, opposite: String?, _ meaning: [String],
        _ store: @escaping @Sendable (inout MountSettings, Bool) -> Void
    ) {
        self.name = name
        value = nil
        self.opposite = opposite
        self.meaning = meaning
        expected = ""
        words = []
        isQuoted = false
        apply = { settings, _ in
            store(&settings, true)
            return true
        }
        takeBack = { store(&$0, false) }
        change = nil
    }

    /// Sets a value that has a default.
    private static func value<Value>(
        _ name: String, _ form: ValueForm<Value>, _ target: Target<Value>,
        live: SettingChange? = nil, _ meaning: String...
    ) -> MountOption {
        MountOption(name, form, meaning, live: live) { $0[keyPath: target] = $1 }
    }

    /// Sets a value whose default is decided elsewhere.
    private static func value<Value>(
        _ name: String, _ form: ValueForm<Value>, _ target: Target<Value?>,
        live: SettingChange? = nil, _ meaning: String...
    ) -> MountOption {
        MountOption(name, form, meaning, live: live) { $0[keyPath: target] = $1 }
    }

    /// Limits a rate, for all of the day or for parts of it.
    private static func value(
        _ name: String, _ rate: Target<Int64?>, _ schedule: Target<RateSchedule?>,
        live: SettingChange, _ meaning: String...
    ) -> MountOption {
        MountOption(name, .limitOrNone, meaning, live: live) { settings, limit in
            switch limit {
            case .constant(let bytes):
                (settings[keyPath: rate], settings[keyPath: schedule]) = (bytes, nil)
            case .byTime(let times):
                (settings[keyPath: rate], settings[keyPath: schedule]) = (nil, times)
            }
        }
    }

    /// An option without a value, which switches something on.
    private static func flag(
        _ name: String, _ target: Target<Bool>, opposite: String? = nil, _ meaning: String...
    ) -> MountOption {
        MountOption(name, opposite: opposite, meaning) { $0[keyPath: target] = $1 }
    }

    /// Is passed on to the kernel.
    private static func kernelFlag(
        _ name: String, opposite: String, _ meaning: String...
    ) -> MountOption {
        MountOption(name, opposite: opposite, meaning) { settings, isOn in
            if isOn { settings.kernelFlags.insert(name) } else { settings.kernelFlags.remove(name) }
        }
    }
}
