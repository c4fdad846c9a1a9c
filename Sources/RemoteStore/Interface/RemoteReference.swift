// The target of a change. A path names a place, whose entry may have been replaced; an id names the
// node.

package import Core

/// The file or folder that a change refers to.
package struct RemoteReference: Hashable, Sendable {
    /// Its last known path.
    package var path: RemotePath
    /// Its Dropbox id, which takes precedence; nil for any node at the path.
    package var id: FileID?
    /// Whether the change is void once the node is at another path: no user has asked for it, so it
    /// must not undo a move that one has asked for on another machine.
    package var isOnlyAtPath: Bool

    /// Takes over all fields.
    package init(path: RemotePath, id: FileID? = nil, isOnlyAtPath: Bool = false) {
        self.path = path
        self.id = id
        self.isOnlyAtPath = isOnlyAtPath
    }
}
