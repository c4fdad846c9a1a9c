// One revision of a file's content, the key for every layer that reads or stores bytes.

package import ContentHashing

/// One revision of a file's content.
package struct FileVersion: Hashable, Sendable {
    /// The revision on the server.
    package var revision: Revision
    /// The content's Dropbox hash.
    package var hash: ContentHash
    /// The content's size in bytes.
    package var size: Int64

    /// Takes over all fields.
    package init(revision: Revision, hash: ContentHash, size: Int64) {
        self.revision = revision
        self.hash = hash
        self.size = size
    }
}
