// What a mount says of a shared link.

/// A shared link.
public struct LinkReport: Hashable, Sendable, Codable {
    /// Its address.
    public var url: String
    /// Whether it was made just now.
    public var isNew: Bool

    /// Names both.
    public init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
