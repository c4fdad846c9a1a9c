// String literals as paths, for tests.

public import RemoteStore

extension RemotePath: ExpressibleByStringLiteral {
    /// A path that is known to be well formed: "" or "/name/name".
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension RemoteReference: ExpressibleByStringLiteral {
    /// A reference to any node at a well-formed path.
    public init(stringLiteral value: String) {
        self.init(path: RemotePath(rawValue: value))
    }
}
