// From the text of all files to its meaning: resolves names, applies patches, inherits.

extension Specification {
    /// Reads a specification. `files` holds names and texts; the namespace `stone_cfg` describes
    /// the attributes of routes and is left out. The texts about types and routes are kept only if
    /// wanted.
    ///
    /// Throws at the first thing that cannot be understood.
    public init(
        files: [(name: String, text: String)], keepingDocumentation: Bool = false
    ) throws(StoneError) {
        var trees: [SyntaxTree] = []
        for file in files {
            let tree = try Parser.parse(file.text, file: file.name)
            if tree.namespace != "stone_cfg" { trees.append(tree) }
        }
        self = try Resolver(trees, keepsDocumentation: keepingDocumentation).specification()
    }
}

/// Knows all definitions by name.
struct Resolver {
    private var imports: [String: Set<String>] = [:]
    private var aliases: [TypeName: AliasDefinition] = [:]
    private var structures: [TypeName: StructDefinition] = [:]
    private var unions: [TypeName: UnionDefinition] = [:]
    private var annotations: [TypeName: AnnotationDefinition] = [:]
    private var annotationTypes: Set<TypeName> = []
    private var routes: [String: [RouteDefinition]] = [:]
    private let keepsDocumentation: Bool

    init(_ trees: [SyntaxTree], keepsDocumentation: Bool) throws(StoneError) {
        self.keepsDocumentation = keepsDocumentation
        for tree in trees {
            imports[tree.namespace, default: []].formUnion(tree.imports.map(\.namespace))
            routes[tree.namespace, default: []] += []
            for definition in tree.definitions { try add(definition, to: tree.namespace) }
        }
        for tree in trees {
            for definition in tree.definitions { try patch(definition, in: tree.namespace) }
            for statement in tree.imports where imports[statement.namespace] == nil {
                throw StoneError(
                    statement.position, "there is no namespace '\(statement.namespace)'")
            }
        }
    }

    private mutating func add(
        _ definition: Definition, to namespace: String
    ) throws(StoneError) {
        switch definition {
        case .alias(let alias):
            try claim(alias.name, in: namespace, at: alias.position)
            aliases[TypeName(namespace, alias.name)] = alias
        case .structure(let structure):
            try claim(structure.name, in: namespace, at: structure.position)
            structures[TypeName(namespace, structure.name)] = structure
            for union in structure.fields.compactMap(\.inlineUnion) {
                try add(.union(union), to: namespace)
            }
        case .union(let union):
            try claim(union.name, in: namespace, at: union.position)
            unions[TypeName(namespace, union.name)] = union
            for nested in union.tags.compactMap(\.inlineUnion) {
                try add(.union(nested), to: namespace)
            }
        case .annotation(let annotation):
            try claim(annotation.name, in: namespace, at: annotation.position)
            annotations[TypeName(namespace, annotation.name)] = annotation
        case .annotationType(let name): annotationTypes.insert(TypeName(namespace, name))
        case .route(let route): routes[namespace, default: []].append(route)
        case .structPatch, .unionPatch: break
        }
    }

    /// Refuses a name that is taken. Annotations do not share names with types.
    private func claim(
        _ name: String, in namespace: String, at position: SourcePosition
    ) throws(StoneError) {
        let key = TypeName(namespace, name)
        let first =
            aliases[key]?.position ?? structures[key]?.position ?? unions[key]?.position
        if let first { throw StoneError(position, "'\(name)' is defined already, at \(first)") }
    }

    private mutating func patch(
        _ definition: Definition, in namespace: String
    ) throws(StoneError) {
        switch definition {
        case .structPatch(let patch):
            let key = TypeName(namespace, patch.name)
            guard structures[key] != nil else {
                throw StoneError(patch.position, "there is no struct '\(patch.name)' to patch")
            }
            structures[key]?.fields += patch.fields
            structures[key]?.examples.merge(patch.examples)
        case .unionPatch(let patch):
            let key = TypeName(namespace, patch.name)
            guard unions[key] != nil else {
                throw StoneError(patch.position, "there is no union '\(patch.name)' to patch")
            }
            unions[key]?.tags += patch.tags
            unions[key]?.examples.merge(patch.examples)
        default: break
        }
    }

    /// Everything, by name. Throws at the first name that leads nowhere.
    func specification() throws(StoneError) -> Specification {
        var namespaces: [Namespace] = []
        for name in imports.keys.sorted() {
            namespaces.append(try namespace(name))
        }
        return Specification(namespaces: namespaces)
    }

    private func namespace(_ name: String) throws(StoneError) -> Namespace {
        var result = (aliases: [Alias](), structures: [Structure](), unions: [Union]())
        for key in aliases.keys.filter({ $0.namespace == name }).sorted() {
            guard let alias = aliases[key] else { continue }
            result.aliases.append(Alias(name: key, type: try type(alias.type, in: name)))
        }
        for key in structures.keys.filter({ $0.namespace == name }).sorted() {
            result.structures.append(try structure(key))
        }
        for key in unions.keys.filter({ $0.namespace == name }).sorted() {
            result.unions.append(try union(key))
        }
        return Namespace(
            name: name, aliases: result.aliases, structures: result.structures,
            unions: result.unions, routes: try routes(of: name))
    }

    // MARK: Names

    private func kept(_ documentation: String?) -> String? {
        keepsDocumentation ? documentation : nil
    }

    /// Where a name that is used in a namespace leads.
    private func key(_ reference: Reference, in namespace: String) throws(StoneError) -> TypeName {
        guard let other = reference.namespace else { return TypeName(namespace, reference.name) }
        guard imports[namespace]?.contains(other) == true else {
            throw StoneError(reference.position, "the namespace '\(other)' is not imported")
        }
        return TypeName(other, reference.name)
    }

    func type(_ expression: TypeExpression, in namespace: String) throws(StoneError) -> ValueType {
        let plain = try TypeArguments(expression).builtIn { (element) throws(StoneError) in
            try type(element, in: namespace)
        }
        let base = if let plain { plain } else { try named(expression, in: namespace) }
        return expression.isNullable ? .nullable(base) : base
    }

    private func named(
        _ expression: TypeExpression, in namespace: String
    ) throws(StoneError) -> ValueType {
        let key = try key(expression.reference, in: namespace)
        if aliases[key] != nil { return .alias(key) }
        if structures[key] != nil { return .structure(key) }
        if unions[key] != nil { return .union(key) }
        throw StoneError(expression.position, "there is no type '\(key)'")
    }

    // MARK: Structs and unions

    private func structure(_ key: TypeName) throws(StoneError) -> Structure {
        guard let definition = structures[key] else { return Structure.none(key) }
        var parent: TypeName?
        if let reference = definition.parent { parent = try self.key(reference, in: key.namespace) }
        return Structure(
            name: key, parent: parent, fields: try structFields(key, inherited: []),
            subtypes: try subtypes(definition, in: key.namespace),
            documentation: kept(definition.documentation), examples: definition.examples)
    }

    /// `descendants` are the structs that inherit from this one: a ring would never end.
    private func structFields(
        _ key: TypeName, inherited descendants: [TypeName]
    ) throws(StoneError) -> [Field] {
        guard let definition = structures[key] else { return [] }
        var fields: [Field] = []
        if let parent = definition.parent {
            let parentKey = try self.key(parent, in: key.namespace)
            guard structures[parentKey] != nil else {
                throw StoneError(parent.position, "there is no struct '\(parentKey)'")
            }
            guard !descendants.contains(parentKey), parentKey != key else {
                throw StoneError(parent.position, "'\(key)' inherits from itself")
            }
            fields = try structFields(parentKey, inherited: descendants + [key])
        }
        return try fields.adding(definition.fields) { (field) throws(StoneError) in
            try self.field(field, in: key.namespace)
        }
    }

    private func subtypes(
        _ definition: StructDefinition, in namespace: String
    ) throws(StoneError) -> Subtypes? {
        guard let subtypes = definition.subtypes else { return nil }
        var all: [Subtypes.Subtype] = []
        for subtype in subtypes.subtypes {
            guard let expression = subtype.type,
                case .structure(let name) = try type(expression, in: namespace),
                structures[name]?.subtypes == nil
            else {
                throw StoneError(
                    subtype.position, "a subtype has to be a struct without subtypes")
            }
            all.append(.init(tag: subtype.name, name: name))
        }
        return Subtypes(all: all)
    }

    private func union(_ key: TypeName) throws(StoneError) -> Union {
        var parent: TypeName?
        if let reference = unions[key]?.parent {
            parent = try self.key(reference, in: key.namespace)
        }
        return Union(
            name: key, parent: parent, tags: try unionTags(key, inherited: []),
            isClosed: unions[key]?.isClosed ?? false,
            documentation: kept(unions[key]?.documentation),
            examples: try unionExamples(key))
    }

    private func unionTags(
        _ key: TypeName, inherited descendants: [TypeName]
    ) throws(StoneError) -> [Field] {
        guard let definition = unions[key] else { return [] }
        var tags: [Field] = []
        if let parent = definition.parent {
            let parentKey = try self.key(parent, in: key.namespace)
            guard unions[parentKey] != nil else {
                throw StoneError(parent.position, "there is no union '\(parentKey)'")
            }
            guard !descendants.contains(parentKey), parentKey != key else {
                throw StoneError(parent.position, "'\(key)' inherits from itself")
            }
            tags = try unionTags(parentKey, inherited: descendants + [key])
        }
        // The tag for all that are not known needs no case of its own: every enum has one.
        return try tags.adding(definition.tags.filter { !$0.isCatchAll }) {
            (tag) throws(StoneError) in
            try field(tag, in: key.namespace)
        }
    }

    /// A union's examples may be those of the union that it extends.
    private func unionExamples(_ key: TypeName) throws(StoneError) -> [ExampleDefinition] {
        guard let definition = unions[key] else { return [] }
        guard let parent = definition.parent else { return definition.examples }
        var examples = try unionExamples(self.key(parent, in: key.namespace))
        examples.merge(definition.examples)
        return examples
    }

    /// Nil for what a client outside of Dropbox does not see.
    private func field(
        _ definition: FieldDefinition, in namespace: String
    ) throws(StoneError) -> Field? {
        var isDeprecated = false
        for annotation in definition.annotations {
            let key = try key(annotation, in: namespace)
            guard let kind = annotations[key]?.kind.name else {
                guard annotationTypes.contains(key) else {
                    throw StoneError(annotation.position, "there is no annotation '\(key)'")
                }
                continue
            }
            if kind == "Omitted" { return nil }
            if kind == "Deprecated" { isDeprecated = true }
        }
        let type: ValueType
        if let expression = definition.type {
            type = try self.type(expression, in: namespace)
        } else {
            type = .void
        }
        return Field(
            name: definition.name, type: type,
            defaultValue: try definition.defaultValue.map { (value) throws(StoneError) in
                try DefaultValue(value, at: definition.position)
            }, isDeprecated: isDeprecated, documentation: kept(definition.documentation))
    }

    // MARK: Routes

    private func routes(of namespace: String) throws(StoneError) -> [Route] {
        var result: [Route] = []
        for definition in routes[namespace] ?? [] {
            result.append(
                Route(
                    namespace: namespace, name: definition.name, version: definition.version,
                    argument: try type(definition.argument, in: namespace),
                    result: try type(definition.result, in: namespace),
                    error: try type(definition.error, in: namespace),
                    isDeprecated: definition.isDeprecated,
                    successor: definition.successor.map { Route.path($0.name, $0.version) },
                    attributes: try RouteAttributes(definition),
                    documentation: kept(definition.documentation)))
        }
        return result.sorted { $0.path < $1.path }
    }
}

extension Structure {
    fileprivate static func none(_ name: TypeName) -> Structure {
        Structure(
            name: name, parent: nil, fields: [], subtypes: nil, documentation: nil, examples: [])
    }
}

extension [ExampleDefinition] {
    /// Adds examples, in place of those with the same label.
    fileprivate mutating func merge(_ others: [ExampleDefinition]) {
        let labels = Set(others.map(\.label))
        removeAll { labels.contains($0.label) }
        self += others
    }
}

extension [Field] {
    /// These and the ones that are defined; a name must not come twice.
    fileprivate func adding(
        _ definitions: [FieldDefinition],
        _ field: (FieldDefinition) throws(StoneError) -> Field?
    ) throws(StoneError) -> [Field] {
        var fields = self
        for definition in definitions {
            guard let field = try field(definition) else { continue }
            guard !fields.contains(where: { $0.name == field.name }) else {
                throw StoneError(definition.position, "'\(field.name)' is defined already")
            }
            fields.append(field)
        }
        return fields
    }
}
