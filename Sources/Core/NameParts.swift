// A name taken apart to get a mark in its middle, as Dropbox's own client marks names. Pure.

import Saturating

/// The stem of a name and its extension.
package struct NameParts: Hashable, Sendable {
    /// The part before the extension.
    package var stem: String
    /// The extension with its dot; empty if there is none.
    package var suffix: String

    /// Splits at the last dot, unless that begins the name or leaves more than a usual extension.
    package init(_ name: String) {
        (stem, suffix) = (name, "")
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return }
        let end = String(name[dot...])
        guard end.utf8.count <= 32 else { return }
        (stem, suffix) = (String(name[..<dot]), end)
    }

    /// The name with a text behind its stem. One that would be too long loses the end of its stem,
    /// never its extension.
    package func marked(_ mark: String) -> String {
        let room = FileName.maximumByteCount -| mark.utf8.count -| suffix.utf8.count
        return "\(Self.prefix(of: stem, byteCount: max(1, room)))\(mark)\(suffix)"
    }

    private static func prefix(of text: String, byteCount: Int) -> String {
        var result = ""
        var used = 0
        for character in text {
            used +|= character.utf8.count
            if used > byteCount { break }
            result.append(character)
        }
        return result
    }
}
