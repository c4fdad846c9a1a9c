// Where a symbolic link leads, and the text that stands for the link on Dropbox, which has none.
// Not responsible for which links are sent (`Tree/Facts`), nor for what the target means: only the
// kernel follows it.

package import ContentHashing

/// The target of a symbolic link: any bytes that Linux takes for one.
package struct LinkTarget: Hashable, Sendable {
    /// The bytes, as `readlink` returns them.
    package let bytes: [UInt8]

    /// The longest target in bytes (`PATH_MAX` without its final null byte).
    package static let longest = 4095

    /// Returns nil for bytes that no link can have: none, a null byte, or too many.
    package init?(_ bytes: some Collection<UInt8>) {
        guard (1...Self.longest).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.bytes = Array(bytes)
    }

    /// Returns nil for a text that no link can have.
    package init?(_ text: String) {
        self.init(text.utf8)
    }

    /// The target for people: bytes that are no UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: On Dropbox

    /// The first line of each link's content.
    private static let heading =
        "This file is a symbolic link (dbxfs). Its target is the next line:\n"

    /// The content of the file that stands for the link, for people who meet it on the web or with
    /// another client.
    ///
    /// It never changes in later versions: by its hash a file is known to be the link still.
    package var content: [UInt8] {
        Array(Self.heading.utf8) + bytes + [UInt8(ascii: "\n")]
    }

    /// Hash of the content.
    package var contentHash: ContentHash { ContentHasher.hash(content) }
}
