// Which names Dropbox stores, which stay local-only, and which are refused. Pure: the tree decides
// whether a name is taken.

package import Core

/// The handling of a file by its name.
package enum NamePolicy: Hashable, Sendable {
    /// The file is uploaded to Dropbox.
    case synced
    /// The file is local-only: it works, but is never uploaded.
    case localOnly
    /// The file cannot be created.
    case refused

    /// Decides by the name alone.
    package init(_ name: FileName) {
        if Self.isRefused(name) {
            self = .refused
        } else if Self.isIgnored(name) {
            self = .localOnly
        } else {
            self = .synced
        }
    }

    /// Dropbox answers `malformed_path` or drops the character. It stores newlines and other
    /// control characters, and trailing periods.
    private static func isRefused(_ name: FileName) -> Bool {
        let bytes = name.string.utf8
        return bytes.contains(UInt8(ascii: "\\")) || bytes.contains(0x7F)
            || bytes.last == UInt8(ascii: " ")
    }

    /// Names that Dropbox's own clients do not sync and its API refuses (`disallowed_name`),
    /// editors' lock files among them, and names that other filesystems give to unlinked open
    /// files. https://help.dropbox.com/organize/file-names
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
