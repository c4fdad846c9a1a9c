// Which types a definition needs, so that a part of a specification can stand without the rest.

extension Specification {
    /// The types of these names, and all that their definitions name, and so on.
    public func closure(of names: some Sequence<TypeName>) -> Set<TypeName> {
        var found: Set<TypeName> = []
        var open = Array(names)
        while let name = open.popLast() {
            if found.insert(name).inserted { open += dependencies(of: name) }
        }
        return found
    }

    private func dependencies(of name: TypeName) -> [TypeName] {
        if let alias = alias(name) { return alias.type.names }
        if let structure = structure(name) {
            return structure.fields.flatMap(\.type.names)
                + (structure.subtypes?.all ?? []).map(\.name)
        }
        return union(.union(name))?.tags.flatMap(\.type.names) ?? []
    }
}

extension Route {
    /// The types of its argument, its result and its error.
    public var typeNames: [TypeName] { argument.names + result.names + error.names }
}

extension ValueType {
    /// The names in it.
    fileprivate var names: [TypeName] {
        switch self {
        case .void, .boolean, .integer, .float, .string, .timestamp: []
        case .list(let element, _, _), .map(let element), .nullable(let element): element.names
        case .alias(let name), .structure(let name), .union(let name): [name]
        }
    }
}

extension Namespace {
    /// The part of it that these conditions leave.
    public func part(
        types: (TypeName) -> Bool, routes: (Route) -> Bool
    ) -> Namespace {
        Namespace(
            name: name, aliases: aliases.filter { types($0.name) },
            structures: structures.filter { types($0.name) },
            unions: unions.filter { types($0.name) }, routes: self.routes.filter(routes))
    }
}
