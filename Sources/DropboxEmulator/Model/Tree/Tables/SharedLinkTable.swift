// The shared links of an account: at most one for each entry. Not responsible for the conditions of
// making one (`AccountTree+Links.swift`).

/// The secret parts of the links' URLs, by their entries.
struct SharedLinkTable: Equatable, Sendable {
    private var secrets: [NodeID: String] = [:]

    /// The entries that have, or had until they were deleted, a link; in no order.
    var nodes: some Sequence<NodeID> { secrets.keys }

    subscript(node: NodeID) -> String? { secrets[node] }

    mutating func add(_ secret: String, to node: NodeID) { secrets[node] = secret }

    /// Removes the link with a secret; returns whether there was one.
    mutating func remove(_ secret: String) -> Bool {
        guard let node = secrets.first(where: { $0.value == secret })?.key else { return false }
        secrets[node] = nil
        return true
    }
}
