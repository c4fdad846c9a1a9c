// The report of a shared link.

/// A shared link to a node.
package struct LinkReport: Hashable, Sendable, Codable {
    /// Address of the link.
    package var url: String
    /// Whether this request created it.
    package var isNew: Bool

    /// Memberwise and without defaults.
    package init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
