// What a change is meant for. A path names a place, whose occupant may have changed; an id names the node.

public import Core

/// A file or folder that a change is meant for.
public struct RemoteReference: Hashable, Sendable {
    /// Where it was last known to be.
    public var path: RemotePath
    /// What the server calls it, which decides; nil for whatever is at the path.
    public var id: FileID?

    /// Names both.
    public init(path: RemotePath, id: FileID? = nil) {
        self.path = path
        self.id = id
    }
}
