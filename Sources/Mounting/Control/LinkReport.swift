// The report of a shared link.

/// A shared link to a node.
public struct LinkReport: Hashable, Sendable, Codable {
    /// Address of the link.
    public var url: String
    /// Whether this request created it.
    public var isNew: Bool

    /// Memberwise and without defaults.
    public init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
