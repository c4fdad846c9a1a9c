// The templates of a Dropbox, and the properties of its entries, with all their changes.

extension AccountTree {
    /// The template with an id, if the account has made it.
    func template(_ id: String, of owner: String) -> PropertyTemplate? {
        templates[id].flatMap { $0.owner == owner ? $0 : nil }
    }

    /// The ids of an account's templates, in the order in which they were made.
    func templateIDs(of owner: String) -> [String] {
        templateOrder.filter { template($0, of: owner) != nil }
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
        templateOrder.append(id)
    }

    /// Removes a template, and all properties by it.
    mutating func removeTemplate(_ id: String, of owner: String) throws(TemplateError) {
        guard template(id, of: owner) != nil else { throw .notFound(id) }
        templates[id] = nil
        templateOrder.removeAll { $0 == id }
        for (node, groups) in properties {
            let rest = groups.filter { $0.template != id }
            properties[node] = rest.isEmpty ? nil : rest
        }
    }

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
        if let unknown = named.first(where: { template($0, of: owner) == nil }) {
            throw .templateNotFound(unknown)
        }
        guard Set(named).count == named.count else { throw .duplicateGroups }
        let groups = try applied(change, to: properties[node] ?? [])
        properties[node] = groups.isEmpty ? nil : groups
        if isTold { recordChange(node) }
        return node
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
        return properties[node]?.filter { wanted.contains($0.template) } ?? []
    }

    /// The entries with a property of one of these names and values, in the order of their making.
    func search(_ queries: [PropertyQuery], by wanted: [String], below base: NodeID) -> [NodeID] {
        properties.keys.filter { node in
            self[node].isAlive && isNode(node, within: base)
                && groups(of: node, by: wanted).contains { group in
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
