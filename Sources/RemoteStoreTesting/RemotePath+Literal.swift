// Lets tests write paths as texts.

public import RemoteStore

extension RemotePath: ExpressibleByStringLiteral {
    /// A path that is known to be well formed: "" or "/name/name".
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension RemoteReference: ExpressibleByStringLiteral {
    /// Whatever is at a path that is known to be well formed.
    public init(stringLiteral value: String) {
        self.init(path: RemotePath(rawValue: value))
    }
}
