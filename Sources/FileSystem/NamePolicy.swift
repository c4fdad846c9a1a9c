// Which names Dropbox stores, which stay on this machine, and which are refused. Pure: whether a name is
// taken is the tree's to say.

import Core

/// What happens to a file because of its name.
enum NamePolicy: Hashable, Sendable {
    /// It goes to Dropbox.
    case synced
    /// It works here and never leaves this machine.
    case localOnly
    /// It cannot be made.
    case refused

    /// Decides by the name alone.
    init(_ name: FileName) {
        if Self.isRefused(name) {
            self = .refused
        } else if Self.isIgnored(name) {
            self = .localOnly
        } else {
            self = .synced
        }
    }

    /// Dropbox answers `malformed_path` or drops the character. Newlines and other control characters
    /// are stored, trailing periods too.
    private static func isRefused(_ name: FileName) -> Bool {
        let bytes = name.string.utf8
        return bytes.contains(UInt8(ascii: "\\")) || bytes.contains(0x7F)
            || bytes.last == UInt8(ascii: " ")
    }

    /// Names that Dropbox's own clients do not sync and its API refuses (`disallowed_name`), editors'
    /// locks among them, and those that other filesystems make for unlinked open files.
    /// https://help.dropbox.com/organize/file-names
    private static func isIgnored(_ name: FileName) -> Bool {
        let folded = Folding.fold(name.string)
        if wholeNames.contains(folded) { return true }
        if prefixes.contains(where: { folded.hasPrefix($0) }) { return true }
        return folded.hasPrefix("~") && folded.hasSuffix(".tmp")
    }

    private static let wholeNames: Set<String> = [
        "desktop.ini", "thumbs.db", ".ds_store", ".dropbox", ".dropbox.attr", ".dropbox.cache",
        "icon\r",
    ]

    private static let prefixes = ["~$", ".~", ".fuse_hidden", ".nfs"]
}

extension FileName {
    /// The name under which something is to be made.
    ///
    /// Throws what `open(2)` and its like say of a name that cannot be.
    init(creating bytes: [UInt8]) throws(FileSystemError) {
        do {
            try self.init(utf8: bytes)
        } catch {
            switch error {
            case .tooLong: throw .nameTooLong
            case .notUTF8: throw .invalidEncoding
            case .reserved, .forbiddenCharacter: throw .invalidArgument
            }
        }
    }

    /// The name under which something is looked for. What cannot be a name is not there.
    init(finding bytes: [UInt8]) throws(FileSystemError) {
        do {
            try self.init(utf8: bytes)
        } catch {
            switch error {
            case .tooLong: throw .nameTooLong
            case .notUTF8, .reserved, .forbiddenCharacter: throw .noEntry
            }
        }
    }
}
