// String literals as paths, for tests.

package import RemoteStore

extension RemotePath: ExpressibleByStringLiteral {
    /// A path that is known to be well formed: "" or "/name/name".
    package init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension RemoteReference: ExpressibleByStringLiteral {
    /// A reference to any node at a well-formed path.
    package init(stringLiteral value: String) {
        self.init(path: RemotePath(rawValue: value))
    }
}
