// One namespace of SwiftyDropbox: its class, and its structs as classes. Unions and routes are in
// files of their own.

import Stone

/// Writes the types and routes of a namespace.
struct CompatibilityWriter {
    let specification: Specification
    let namespace: Namespace
    /// The name of the class.
    let name: String
    /// Structs from which others inherit.
    private let parents: Set<TypeName>
    private let ownTypes: Set<String>

    init(_ specification: Specification, _ namespace: Namespace) {
        self.specification = specification
        self.namespace = namespace
        name = CompatibilityNames.type(namespace.name)
        parents = Set(specification.namespaces.flatMap(\.structures).compactMap(\.parent))
        ownTypes = Set(namespace.typeNames.map { CompatibilityNames.type($0.name) })
    }

    func namespaceText() -> String {
        """
        /// The types of the namespace `\(namespace.name)`, and their serializers.
        public final class \(name) {}

        """
    }

    // MARK: Names of types

    func spelled(_ name: TypeName) -> String {
        let other = CompatibilityNames.type(name.namespace)
        let path = "\(other).\(CompatibilityNames.type(name.name))"
        // Within a class, its own types hide the namespaces of their names.
        return ownTypes.contains(other) ? "\(CompatibilityEmitter.module).\(path)" : path
    }

    func spelled(_ type: ValueType) -> String {
        switch type {
        case .void: "Void"
        case .boolean: "Bool"
        case .integer(let kind, _, _): kind.rawValue
        case .float(let bits, _): bits == 32 ? "Float" : "Double"
        case .string: "String"
        case .timestamp: "Date"
        case .list(let element, _, _): "[\(spelled(element))]"
        case .map(let element): "[String: \(spelled(element))]"
        case .nullable(let payload):
            specification.nullablePayload(payload) == nil
                ? spelled(payload) + "?" : spelled(payload)
        case .alias: spelled(specification.resolved(type))
        case .structure(let name), .union(let name): spelled(name)
        }
    }

    /// The serializer of a type.
    func serializer(_ type: ValueType) -> String {
        switch specification.resolved(type) {
        case .void, .alias: "VoidSerializer"
        case .boolean: "BoolSerializer"
        case .integer(let kind, _, _): "\(kind.rawValue)Serializer"
        case .float(let bits, _): bits == 32 ? "FloatSerializer" : "DoubleSerializer"
        case .string: "StringSerializer"
        case .timestamp: "NSDateSerializer"
        case .list(let element, _, _): "ArraySerializer<\(serializer(element))>"
        case .map(let element): "DictionarySerializer<\(serializer(element))>"
        case .nullable(let payload): "NullableSerializer<\(serializer(payload))>"
        case .structure(let name), .union(let name): spelled(name) + "Serializer"
        }
    }

    func isNullable(_ type: ValueType) -> Bool { specification.nullablePayload(type) != nil }

    /// Whether a time is written without the time of day.
    func isDay(_ type: ValueType) -> Bool {
        switch specification.resolved(type) {
        case .nullable(let payload): isDay(payload)
        case .timestamp(let format): !format.contains("%H")
        default: false
        }
    }

    // MARK: Types

    func types() throws(EmissionError) -> [TypeText] {
        try NamespaceWriter.checkDistinct(
            namespace.typeNames.map(\.name), in: namespace.name, CompatibilityNames.type)
        var types: [TypeText] = []
        for structure in namespace.structures {
            try NamespaceWriter.checkDistinct(
                structure.fields.map(\.name), in: "\(structure.name)", CompatibilityNames.member)
            types.append(
                TypeText(
                    name: structure.name.name, text: text(structure) + alias(structure.name)))
        }
        for union in namespace.unions {
            types.append(
                TypeText(name: union.name.name, text: try text(union) + alias(union.name)))
        }
        return types.sorted { $0.name < $1.name }
    }

    private func alias(_ type: TypeName) -> String {
        var text = SourceText(depth: 1)
        let name = CompatibilityNames.type(type.name)
        text.documentation("Reads and writes ``\(name)``.")
        text.line("public typealias \(name)Serializer = ValueSerializer<\(name)>")
        return text.text
    }

    private func text(_ structure: Structure) -> String {
        let isParent = parents.contains(structure.name)
        let parent = structure.parent.flatMap { specification.structure($0) }
        let inherited = Set(parent?.fields.map(\.name) ?? [])
        let own = structure.fields.filter { !inherited.contains($0.name) }
        var text = SourceText(depth: 1)
        if isParent || parent != nil {
            text.line(
                "// Sendable: its fields are constants; only of final classes the compiler sees that."
            )
        }
        text.documentation(
            FieldWords.own.about(structure.name) ?? "The struct `\(structure.name)`.")
        let sendable = isParent || parent != nil ? "@unchecked Sendable" : "Sendable"
        text.block(
            "public \(isParent ? "" : "final ")class \(CompatibilityNames.type(structure.name.name)): "
                + "\(parent.map { spelled($0.name) } ?? "StoneStruct"), \(sendable)"
        ) { text in
            for field in own {
                text.documentation(documentation(field, of: structure.name))
                text.line(
                    "public let \(CompatibilityNames.member(field.name)): \(spelled(field.type))")
            }
            if parent == nil || !own.isEmpty {
                writeInitialisers(structure, own, parent, isParent: isParent, to: &text)
                writeCoding(own, parent, to: &text)
            }
            writeSubtypes(structure, isOverride: parent != nil, to: &text)
        }
        return text.text
    }

    private func documentation(_ field: Field, of type: TypeName) -> String {
        (FieldWords.own.about(field, of: type, in: specification) ?? "The field `\(field.name)`.")
            + (field.isDeprecated ? " Deprecated." : "")
    }

    private func writeInitialisers(
        _ structure: Structure, _ own: [Field], _ parent: Structure?, isParent: Bool,
        to text: inout SourceText
    ) {
        if !structure.fields.isEmpty { text.line() }
        text.documentation("Takes over all fields.")
        let override = structure.fields.isEmpty && parent != nil ? "override " : ""
        text.block(
            "public \(override)init(\(parameters(structure).joined(separator: ", ")))"
        ) { text in
            for field in own {
                let name = CompatibilityNames.member(field.name)
                text.line("self.\(name) = \(name)")
            }
            if let parent {
                text.line("super.init(\(arguments(parent).joined(separator: ", ")))")
            }
        }
        text.line()
        text.documentation(
            "Reads the fields; throws where one is missing or is another kind of value.")
        let required = isParent || parent != nil ? "required " : ""
        text.block("public \(required)init(stone json: JSON) throws") { text in
            if !own.isEmpty { text.line("let stoneFields = try StoneFields(json, Self.self)") }
            for field in own {
                text.line(
                    "\(CompatibilityNames.member(field.name)) = try stoneFields.\(reading(field))")
            }
            if own.isEmpty, parent == nil { text.line("_ = try StoneFields(json, Self.self)") }
            if parent != nil { text.line("try super.init(stone: json)") }
        }
    }

    private func reading(_ field: Field) -> String {
        let verb = isDay(field.type) ? "day" : "value"
        guard let value = field.defaultValue else { return "\(verb)(\"\(field.name)\")" }
        return "\(verb)(\"\(field.name)\", default: \(spelled(value)))"
    }

    private func writeCoding(
        _ own: [Field], _ parent: Structure?, to text: inout SourceText
    ) {
        text.line()
        text.documentation("Writes the fields.")
        let override = parent == nil ? "" : "override "
        text.block("public \(override)func write(to stoneFields: inout StoneFields)") { text in
            if parent != nil { text.line("super.write(to: &stoneFields)") }
            for field in own {
                let verb = isDay(field.type) ? "writeDay" : "write"
                text.line(
                    "stoneFields.\(verb)(\"\(field.name)\", \(CompatibilityNames.member(field.name)))"
                )
            }
        }
    }

    private func writeSubtypes(
        _ structure: Structure, isOverride: Bool, to text: inout SourceText
    ) {
        guard let subtypes = structure.subtypes else { return }
        text.line()
        text.documentation("The classes that it may be, by their tags.")
        let pairs = subtypes.all.map { "\"\($0.tag)\": \(spelled($0.name)).self" }
        text.block(
            "public \(isOverride ? "override " : "")class var subtypes: [String: any StoneStruct.Type]"
        ) { text in
            text.line("[\(pairs.joined(separator: ", "))]")
        }
    }

    // MARK: Parameters

    private func isOptional(_ field: Field) -> Bool {
        field.defaultValue != nil || isNullable(field.type)
    }

    /// The fields in the order of parameters: those that are needed first.
    private func ordered(_ structure: Structure) -> [Field] {
        structure.fields.filter { !isOptional($0) } + structure.fields.filter(isOptional)
    }

    func parameters(_ structure: Structure) -> [String] {
        ordered(structure).map { field in
            let text = "\(CompatibilityNames.member(field.name)): \(spelled(field.type))"
            if isNullable(field.type) { return text + " = nil" }
            return field.defaultValue.map { "\(text) = \(spelled($0))" } ?? text
        }
    }

    func arguments(_ structure: Structure) -> [String] {
        ordered(structure).map { field in
            let name = CompatibilityNames.member(field.name)
            return "\(name): \(name)"
        }
    }

    private func spelled(_ value: DefaultValue) -> String {
        if case .tag(let tag) = value {
            ".\(CompatibilityNames.member(tag))"
        } else {
            value.spelled
        }
    }
}
