// Which names the cloud in memory stores. Not responsible for collisions (`NameFolding`).

import Core
import RemoteStore

/// The names that Dropbox stores, and their form.
enum InMemoryNames {
    /// Names that Dropbox refuses (https://help.dropbox.com/organize/file-names).
    private static let refused: Set<String> = [
        "desktop.ini", "thumbs.db", ".ds_store", "icon\r", ".dropbox", ".dropbox.attr",
        ".dropbox.cache",
    ]

    /// The name in its composed form, with its key. Throws `disallowedName`.
    static func validated(
        _ text: String, _ folding: NameFolding
    ) throws(RemoteError) -> FileName {
        let bytes = text.utf8
        let key = folding.key(of: text)
        guard let name = try? FileName(Folding.compose(text), key: key),
            bytes.last != UInt8(ascii: " "),
            !bytes.contains(UInt8(ascii: "\\")), !bytes.contains(0x7F),
            !refused.contains(name.folded)
        else { throw .disallowedName }
        return name
    }
}
