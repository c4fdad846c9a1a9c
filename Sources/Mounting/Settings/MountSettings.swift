// The settings that the options of a mount result in. The table of options is in
// `MountOption.swift`.

/// The settings of a mount.
package struct MountSettings: Hashable, Sendable, Codable {
    /// The condition on which `fsync` returns.
    package enum Synchronization: String, Hashable, Sendable, Codable, CaseIterable {
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
    package enum Names: String, Hashable, Sendable, Codable, CaseIterable {
        /// Byte by byte, as POSIX does.
        case exact
        /// As Dropbox does, without case.
        case fold
    }

    /// The names that users can give.
    package enum AllowedNames: String, Hashable, Sendable, Codable, CaseIterable {
        /// Each name that POSIX allows: Dropbox gets an alias of a name that it cannot have.
        case all
        /// Names that Dropbox can have.
        case strict
    }

    /// The content of cloud documents, such as those of Paper, for programs.
    package enum CloudDocuments: String, Hashable, Sendable, Codable, CaseIterable {
        /// They cannot be opened.
        case refused = "refuse"
        /// The file that Dropbox makes of the document.
        case exported = "export"
    }

    /// The handling of the folders into which file managers move discarded files.
    package enum Trash: String, Hashable, Sendable, Codable, CaseIterable {
        /// They cannot be made: file managers then offer to delete.
        case refused = "refuse"
        /// They are folders like any others.
        case allowed = "allow"
    }

    /// The changes of other clients that raise inotify events.
    package enum Inotify: String, Hashable, Sendable, Codable, CaseIterable {
        /// Those of watched files and folders, as far as the mount's process may see the watches.
        case watched = "yes"
        /// Those of all files and folders at which programs have looked.
        case all
        /// The changes of other clients raise no events.
        case none = "no"
    }

    /// Whether file managers get thumbnails of Dropbox's own.
    package enum Thumbnails: String, Hashable, Sendable, Codable, CaseIterable {
        /// For pictures that are not cached.
        case made = "yes"
        /// Folders that file managers open cause no request for thumbnails.
        case none = "no"
    }

    /// Where modes, times and attributes are kept.
    package enum Posix: String, Hashable, Sendable, Codable, CaseIterable {
        /// In properties of the files, for other machines.
        case dropbox
        /// On this machine only.
        case local
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
    /// Longest time in seconds for which a change waits for others; nil for the default.
    package var writeDelay: Double?
    /// Limit of uploads in bytes per second; nil for none.
    package var uploadRate: Int64?
    /// Limit of downloads in bytes per second; nil for none.
    package var downloadRate: Int64?
    /// Limits of uploads by the time of day; nil for one limit.
    package var uploadSchedule: RateSchedule?
    /// Limits of downloads by the time of day; nil for one limit.
    package var downloadSchedule: RateSchedule?
    /// The place at which metrics can be scraped; nil for none.
    package var metrics: MetricsAddress?
    /// The program that is run for events; `notifications` for those of the desktop.
    package var eventProgram: String?
    /// How lookups compare names.
    package var names = Names.exact
    /// The names that can be given.
    package var allowedNames = AllowedNames.all
    /// Programs for which nothing is fetched.
    package var cachedOnly = ProgramList.standard
    /// The content of cloud documents.
    package var cloudDocuments = CloudDocuments.refused
    /// The handling of folders for trash.
    package var trash = Trash.refused
    /// Where modes, times and attributes are kept.
    package var posix = Posix.dropbox
    /// The changes of other clients that raise inotify events.
    package var inotify = Inotify.watched
    /// Whether Dropbox's plug-ins for file managers are served.
    package var servesDesktop = false
    /// Whether file managers get thumbnails; nil if they do with `servesDesktop`.
    package var thumbnails: Thumbnails?
    /// The root of the paths.
    package var root = Root.home
    /// The member of a team as whom a team's token acts (`dbmid:…`); nil for a person's own token.
    package var member: String?
    /// The label that SELinux sees at all files (`user:role:type[:range]`); nil for the kernel's
    /// own.
    package var securityContext: String?
    /// Flags that the kernel enforces itself, such as `noexec`.
    package var kernelFlags: Set<String> = []

    /// Whether file managers get thumbnails of Dropbox's own.
    package var makesThumbnails: Bool {
        thumbnails.map { $0 == .made } ?? servesDesktop
    }

    /// The value of `on_event` that shows notifications on the desktop.
    package static let notifications = "notify"

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
        let (name, value) = (setting.name, setting.value ?? "")
        if MountOption.isForOthers(name) { return }
        if let option = MountOption.named(name), (option.value == nil) == (setting.value == nil) {
            guard option.apply(&self, value) else {
                throw .badOptionValue(name: name, value: value, expected: option.expected)
            }
        } else if setting.value == nil, let option = MountOption.takenBack(by: name) {
            option.takeBack(&self)
        } else {
            let names = MountOption.all.flatMap { [$0.name, $0.opposite].compactMap(\.self) }
            throw .unknownOption(name, guess: Suggestion.closest(to: name, of: names))
        }
    }
}
