// The templates of a Dropbox, and the groups of properties that its entries have by them. Not
// responsible for paths, nor for the change log: `AccountTree`.

/// Holds the templates by their ids, and the groups of properties by their entries.
struct PropertyTable: Equatable, Sendable {
    private var templates: [String: PropertyTemplate] = [:]
    /// The ids of the templates, in the order of their making.
    private var order: [String] = []
    private var groups: [NodeID: [PropertyGroup]] = [:]

    /// The entries that have properties, in no order.
    var nodes: some Sequence<NodeID> { groups.keys }

    /// The template with an id, if the account has made it.
    func template(_ id: String, of owner: String) -> PropertyTemplate? {
        templates[id].flatMap { $0.owner == owner ? $0 : nil }
    }

    /// The ids of an account's templates, in the order in which they were made.
    func templateIDs(of owner: String) -> [String] {
        order.filter { template($0, of: owner) != nil }
    }

    /// Changes a template of the account.
    mutating func updateTemplate(_ id: String, to next: PropertyTemplate) throws(TemplateError) {
        guard template(id, of: next.owner) != nil else { throw .notFound(id) }
        try next.check()
        templates[id] = next
    }

    /// Adds a template to the account.
    mutating func addTemplate(_ id: String, _ template: PropertyTemplate) throws(TemplateError) {
        try template.check()
        templates[id] = template
        order.append(id)
    }

    /// Removes a template, and all properties by it.
    mutating func removeTemplate(_ id: String, of owner: String) throws(TemplateError) {
        guard template(id, of: owner) != nil else { throw .notFound(id) }
        templates[id] = nil
        order.removeAll { $0 == id }
        for (node, present) in groups {
            let rest = present.filter { $0.template != id }
            groups[node] = rest.isEmpty ? nil : rest
        }
    }

    /// Changes the properties of an entry: all of the change is made, or none of it.
    mutating func change(_ node: NodeID, _ change: PropertyChange) throws(PropertiesError) {
        let changed = try applied(change, to: groups[node] ?? [])
        groups[node] = changed.isEmpty ? nil : changed
    }

    /// Removes the properties of an entry.
    mutating func removeAll(of node: NodeID) {
        groups[node] = nil
    }

    /// Gives an entry the properties of another one.
    mutating func copyAll(of original: NodeID, to node: NodeID) {
        groups[node] = groups[original]
    }

    private func applied(
        _ change: PropertyChange, to present: [PropertyGroup]
    ) throws(PropertiesError) -> [PropertyGroup] {
        var groups = present
        func position(_ template: String) -> Int? {
            groups.firstIndex { $0.template == template }
        }
        switch change {
        case .add(let added):
            for group in added {
                guard position(group.template) == nil else { throw .groupAlreadyExists }
                groups.append(group)
            }
        case .overwrite(let replaced):
            for group in replaced {
                if let index = position(group.template) {
                    groups[index] = group
                } else {
                    groups.append(group)
                }
            }
        case .update(let updates):
            for update in updates {
                guard let index = position(update.template) else { throw .groupNotFound }
                groups[index].apply(update)
            }
        case .remove(let removed):
            for template in removed {
                guard let index = position(template) else { throw .groupNotFound }
                groups.remove(at: index)
            }
        }
        for group in groups where change.templates.contains(group.template) {
            try templates[group.template]?.check(group)
        }
        return groups
    }

    /// The groups of an entry by some templates.
    func groups(of node: NodeID, by wanted: [String]) -> [PropertyGroup] {
        if wanted.isEmpty { return [] }
        return groups[node]?.filter { wanted.contains($0.template) } ?? []
    }
}

extension PropertyGroup {
    fileprivate mutating func apply(_ update: PropertyChange.Update) {
        fields.removeAll { update.removed.contains($0.name) }
        for field in update.fields {
            if let index = fields.firstIndex(where: { $0.name == field.name }) {
                fields[index] = field
            } else {
                fields.append(field)
            }
        }
    }
}
