// Changes of entries' properties, and the search for them. The properties themselves are a
// `PropertyTable`.

extension AccountTree {
    /// Changes the properties of a living entry; with `isTold`, listings tell of it. All of the
    /// change is made, or none of it.
    mutating func change(
        _ path: String, _ change: PropertyChange, of owner: String, from base: NodeID, isTold: Bool
    ) throws(PropertiesError) -> NodeID {
        let node: NodeID
        do throws(LookupError) {
            node = try livingNode(path, from: base)
        } catch {
            throw .path(error, of: path)
        }
        let named = change.templates
        if let unknown = named.first(where: { properties.template($0, of: owner) == nil }) {
            throw .templateNotFound(unknown)
        }
        guard Set(named).count == named.count else { throw .duplicateGroups }
        try properties.change(node, change)
        if isTold { recordChange(node) }
        return node
    }

    /// The entries with a property of one of these names and values, in the order of their making.
    func search(_ queries: [PropertyQuery], by wanted: [String], below base: NodeID) -> [NodeID] {
        properties.nodes.filter { node in
            self[node].isAlive && nodes.isNode(node, within: base)
                && properties.groups(of: node, by: wanted).contains { group in
                    group.fields.contains { field in
                        queries.contains { $0.name == field.name && $0.value == field.value }
                    }
                }
        }.sorted { $0.index < $1.index }
    }
}

/// A search for a property.
struct PropertyQuery: Hashable, Sendable {
    let name: String
    let value: String
}
