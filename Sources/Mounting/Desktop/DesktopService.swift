// A mount as plug-ins of file managers see it. The mount's side is in `dbxfs/Daemon/Desktop`.

/// How a file or folder on the mount is shown.
package struct DesktopState: Hashable, Sendable {
    /// How it stands to Dropbox.
    package enum Progress: Hashable, Sendable {
        /// Dropbox has it as it is here.
        case upToDate
        /// Changes of it are still to be sent.
        case syncing
        /// Dropbox refuses a change.
        case problem
        /// It stays on this machine.
        case onlyHere
    }

    /// How it stands to Dropbox.
    package var progress: Progress
    /// Whether it is a folder.
    package var isFolder: Bool
    /// Whether it is pinned, by itself or by a folder above.
    package var isPinned: Bool
    /// Whether its pin is its own.
    package var hasOwnPin: Bool
    /// Whether it is a file whose content is not cached.
    package var isOnlineOnly: Bool
    /// Whether it is a shared folder.
    package var isShared: Bool

    /// Memberwise; by default a file that is cached and neither pinned nor shared.
    package init(
        progress: Progress, isFolder: Bool = false, isPinned: Bool = false, hasOwnPin: Bool = false,
        isOnlineOnly: Bool = false, isShared: Bool = false
    ) {
        self.progress = progress
        self.isFolder = isFolder
        self.isPinned = isPinned
        self.hasOwnPin = hasOwnPin
        self.isOnlineOnly = isOnlineOnly
        self.isShared = isShared
    }
}

/// An entry of the menu.
package enum DesktopVerb: String, Hashable, Sendable, CaseIterable {
    /// Makes a link to it and puts it into the clipboard.
    case link
    /// Shows it on Dropbox's page.
    case web
    /// Shows the earlier versions of a file on Dropbox's page.
    case versions
    /// Keeps it on this disk.
    case pin
    /// Keeps it no longer than other cached content.
    case unpin
}

extension DesktopVerb {
    /// The page of dropbox.com that the entry shows for a path on Dropbox; nil if it shows none.
    package func page(of path: String) -> String? {
        let place = Self.percentEncoded(path)
        return switch self {
        case .web: "https://www.dropbox.com/home\(place)"
        case .versions: "https://www.dropbox.com/history\(place)"
        case .link, .pin, .unpin: nil
        }
    }

    /// Encodes all but letters, digits, slashes and the marks that never need it.
    private static func percentEncoded(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result.append(byte < 16 ? "%0" : "%")
                result.append(String(byte, radix: 16, uppercase: true))
            }
        }
        return result
    }
}

/// A mount that plug-ins ask about paths. Calls come from threads that may block for the local
/// disk.
package protocol DesktopService: Sendable {
    /// The state at an absolute path; nil if that is not on the mount.
    func desktopState(of path: String) -> DesktopState?
    /// Whether Dropbox's page can show paths of this mount.
    var hasWebPages: Bool { get }
    /// Begins an entry of the menu; returns at once.
    func perform(_ verb: DesktopVerb, on paths: [String])
    /// The shared link to a path. May wait for the network.
    func desktopLink(to path: String) throws(CommandError) -> String
    /// The state of the mount in a few lines.
    var desktopStatus: [String] { get }
}
