// Which names Dropbox stores, which stay local-only, and which it refuses. Pure: the tree decides
// whether a name is taken.

package import Core

/// The handling of a file by its name.
package enum NamePolicy: Hashable, Sendable {
    /// The file is uploaded to Dropbox.
    case synced
    /// The file is local-only: it works, but is never uploaded.
    case localOnly
    /// Dropbox answers `malformed_path` or drops a character: the file is uploaded under an alias,
    /// or refused.
    case unstorable

    /// Decides by the name that users see.
    package init(_ name: FileName) {
        if Self.isIgnored(name) {
            self = .localOnly
        } else if Self.isStorable(name) {
            self = .synced
        } else {
            self = .unstorable
        }
    }

    /// Whether Dropbox can have the name as users see it.
    package static func isStorable(_ name: FileName) -> Bool {
        if name.own == nil { return !Alias.isNeeded(for: name.string) }
        return Alias(of: name.shown).fault == nil
    }

    /// Names that Dropbox's own clients do not sync and its API refuses (`disallowed_name`),
    /// editors' lock files among them, and names that other filesystems give to unlinked open
    /// files. https://help.dropbox.com/organize/file-names
    private static func isIgnored(_ name: FileName) -> Bool {
        let folded = Folding.fold(name.text)
        if wholeNames.contains(folded) { return true }
        // By bytes: what follows the prefix may begin with an accent.
        if prefixes.contains(where: { folded.utf8.starts(with: $0.utf8) }) { return true }
        return folded.utf8.first == UInt8(ascii: "~")
            && folded.utf8.suffix(4).elementsEqual(".tmp".utf8)
    }

    private static let wholeNames: Set<String> = [
        "desktop.ini", "thumbs.db", ".ds_store", ".dropbox", ".dropbox.attr", ".dropbox.cache",
        "icon\r",
    ]

    private static let prefixes = ["~$", ".~", ".fuse_hidden", ".nfs"]
}
