// The target of a change. A path names a place, whose entry may have been replaced; an id names the
// node.

package import Core

/// The file or folder that a change refers to.
package struct RemoteReference: Hashable, Sendable {
    /// Its last known path.
    package var path: RemotePath
    /// Its Dropbox id, which takes precedence; nil for any node at the path.
    package var id: FileID?

    /// Takes over both fields.
    package init(path: RemotePath, id: FileID? = nil) {
        self.path = path
        self.id = id
    }
}
