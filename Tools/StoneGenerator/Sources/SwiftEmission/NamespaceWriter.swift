// One namespace in one module: its enum, the order of its types, and how types are named from
// within it.

import Stone

/// The text of a type.
struct TypeText {
    let name: String
    let text: String
}

/// Writes the routes and types of a namespace.
struct NamespaceWriter {
    /// Names that the generated code takes for those of the library or the language.
    private static let reserved: Set<String> = [
        "Bool", "Double", "Float", "Int32", "Int64", "UInt32", "UInt64", "String", "Void",
        "KeyValuePairs", "Self", "Type", "Protocol", "Timestamp", "CalendarDate", "Calls",
        "NoValue", "NoError", "ContentHash", "Route", "RouteError", "RouteErrorRemedy",
        "TaggedUnion", "VoidUnion", "StringValue", "StructValue", "UnionReader", "UnionWriter",
        "FieldReader", "FieldWriter", "CallError", "CallOptions", "Download", "DropboxClient",
        "BodySource", "ByteRange",
    ]

    /// The module that has the types which generated code is made of.
    private static let library = "DropboxAPI"

    let specification: Specification
    /// The definitions of the namespace in this module.
    let namespace: Namespace
    /// The name of the enumeration.
    let name: String
    /// Whether types of the namespace are named with it, too: for what stands outside of the enum.
    var isOutside = false
    private let whole: Namespace
    private let module: String
    private let placement: Placement
    private let ownTypes: Set<String>
    private let routeErrors: Set<TypeName>

    init(
        _ specification: Specification, _ whole: Namespace, part: Namespace, module: String,
        _ placement: Placement
    ) {
        self.specification = specification
        self.whole = whole
        namespace = part
        self.module = module
        self.placement = placement
        name = SwiftNames.namespace(whole.name)
        routeErrors = Self.routeErrors(specification)
        ownTypes = Set(whole.typeNames.map { SwiftNames.type($0.name) })
    }

    /// Whether the enum is declared here, and not in a module below.
    var declaresNamespace: Bool { placement.declaration(of: whole.name) == module }

    /// Whether the struct that calls the routes is declared here.
    var declaresCalls: Bool { placement.caller(of: whole.name) == module }

    /// The import of the library, for all modules but the library itself.
    var libraryImport: String {
        module == Self.library ? "" : "public import \(Self.library)\n\n"
    }

    // MARK: Types as they are spelled

    /// The type of a name, as seen from this namespace.
    func spelled(_ type: TypeName) -> String {
        let own = SwiftNames.type(type.name)
        guard isOutside || type.namespace != namespace.name else { return own }
        let other = SwiftNames.namespace(type.namespace)
        guard ownTypes.contains(other),
            let module = placement.declaration(of: type.namespace)
        else { return "\(other).\(own)" }
        return "\(module).\(other).\(own)"
    }

    func spelled(_ type: ValueType) -> String {
        switch type {
        case .void: "NoValue"
        case .boolean: "Bool"
        case .integer(let kind, _, _): kind.rawValue
        case .float(let bits, _): bits == 32 ? "Float" : "Double"
        case .string: "String"
        case .timestamp(let format): format.contains("%H") ? "Timestamp" : "CalendarDate"
        case .list(let element, _, _): "[\(spelled(element))]"
        case .map(let element): "[String: \(spelled(element))]"
        case .nullable(let payload):
            specification.nullablePayload(payload) == nil
                ? spelled(payload) + "?" : spelled(payload)
        case .alias(let name), .structure(let name), .union(let name): spelled(name)
        }
    }

    /// A type as the documentation names it: a link, unless the way there begins in another module.
    func documented(_ type: ValueType) -> String {
        guard case .union(let name) = type, placement.module(of: name) == module,
            placement.declaration(of: name.namespace) == module
        else {
            return "`\(spelled(type))`"
        }
        return "``\(spelled(type).map { $0 == "." ? "/" : String($0) }.joined())``"
    }

    func isNullable(_ type: ValueType) -> Bool { specification.nullablePayload(type) != nil }

    /// Whether a type is one of the library's that are strings in JSON.
    func isParsed(_ type: ValueType) -> Bool {
        switch type {
        case .timestamp: true
        case .nullable(let payload): isParsed(payload)
        case .alias(let name):
            LibraryTypes.ofAliases[name.description] != nil
                || specification.alias(name).map { isParsed($0.type) } ?? false
        default: false
        }
    }

    /// The modules that an alias of a type needs.
    private func modules(_ type: ValueType) -> Set<String> {
        switch type {
        case .timestamp: [Self.library]
        case .list(let element, _, _), .map(let element), .nullable(let element): modules(element)
        case .alias(let name), .structure(let name), .union(let name):
            placement.module(of: name).map { [$0] } ?? []
        default: []
        }
    }

    // MARK: The enum and the types

    /// The enum, with the aliases; nil where a module below has declared it and no alias is left.
    func namespaceText() throws(EmissionError) -> String? {
        try checkNames()
        guard declaresNamespace || !namespace.aliases.isEmpty else { return nil }
        var text = SourceText()
        writeImports(to: &text)
        if declaresNamespace { text.documentation("The namespace `\(namespace.name)`.") }
        guard !namespace.aliases.isEmpty else {
            text.line("public enum \(name) {}")
            return text.text
        }
        text.block("\(declaresNamespace ? "public enum" : "extension") \(name)") { text in
            for alias in namespace.aliases {
                text.documentation("The alias `\(alias.name)`\(limits(alias.type)).")
                text.line(
                    "public typealias \(SwiftNames.type(alias.name.name)) = \(meaning(alias))")
            }
        }
        return text.text
    }

    /// The imports that the enum needs: an unused import is a warning.
    private func writeImports(to text: inout SourceText) {
        var modules = Set(
            namespace.aliases.flatMap { alias in
                LibraryTypes.ofAliases[alias.name.description].map { [$0.module] }
                    ?? self.modules(alias.type)
            })
        if !declaresNamespace { modules.insert(Self.library) }
        modules.remove(module)
        for module in modules.sorted() { text.line("public import \(module)") }
        if !modules.isEmpty { text.line() }
    }

    /// The type that an alias stands for.
    private func meaning(_ alias: Alias) -> String {
        LibraryTypes.ofAliases[alias.name.description]?.name ?? spelled(alias.type)
    }

    /// The structs and unions, by name.
    func types() throws(EmissionError) -> [TypeText] {
        let remedies = Remedies(specification)
        var types: [TypeText] = []
        for structure in namespace.structures {
            let writer = StructWriter(
                namespace: self, structure: structure,
                isRouteError: routeErrors.contains(structure.name))
            types.append(TypeText(name: structure.name.name, text: try writer.text()))
        }
        for union in namespace.unions {
            let writer = UnionTextWriter(
                namespace: self, union: union, remedies: remedies,
                isRouteError: routeErrors.contains(union.name))
            types.append(TypeText(name: union.name.name, text: try writer.text()))
        }
        return types.sorted { $0.name < $1.name }
    }

    /// The errors of routes of any namespace.
    private static func routeErrors(_ specification: Specification) -> Set<TypeName> {
        Set(
            specification.namespaces.flatMap(\.routes).compactMap { route in
                specification.union(route.error)?.name ?? specification.structure(route.error)?.name
            })
    }

    private func checkNames() throws(EmissionError) {
        try Self.checkDistinct(whole.typeNames.map(\.name), in: whole.name, SwiftNames.type)
        if let taken = ownTypes.intersection(Self.reserved).min() {
            throw EmissionError("\(whole.name): a type cannot be called '\(taken)'")
        }
    }

    /// Refuses names that are the same in Swift.
    static func checkDistinct(
        _ names: [String], in place: String, _ spelling: (String) -> String
    ) throws(EmissionError) {
        let groups = Dictionary(grouping: names, by: spelling).filter { $0.value.count > 1 }
        guard let clash = groups.min(by: { $0.key < $1.key }) else { return }
        let both = clash.value.map { "'\($0)'" }.joined(separator: " and ")
        throw EmissionError("\(place): \(both) are both '\(clash.key)' in Swift")
    }

    /// The limits of a value in words, for documentation.
    func limits(_ type: ValueType) -> String {
        switch type {
        case .nullable(let payload): limits(payload)
        case .integer(_, let minimum, let maximum): Self.words(minimum, maximum, "")
        case .string(let limits):
            Self.words(
                limits.minimum.map(String.init), limits.maximum.map(String.init), " character",
                pattern: limits.pattern)
        case .list(_, let minimum, let maximum):
            Self.words(minimum.map(String.init), maximum.map(String.init), " item")
        default: ""
        }
    }

    private static func words(
        _ minimum: String?, _ maximum: String?, _ unit: String, pattern: String? = nil
    ) -> String {
        func counted(_ number: String) -> String {
            number + unit + (number == "1" || unit.isEmpty ? "" : "s")
        }
        let count: String? =
            switch (minimum, maximum) {
            case (nil, nil): nil
            case (let minimum?, nil): "at least \(counted(minimum))"
            case (nil, let maximum?): "at most \(counted(maximum))"
            case (let minimum?, let maximum?) where minimum == maximum: counted(minimum)
            case (let minimum?, let maximum?): "\(minimum) to \(counted(maximum))"
            }
        let limits = [count, pattern.map { "pattern `\($0)`" }].compactMap(\.self)
        return limits.isEmpty ? "" : ": " + limits.joined(separator: ", ")
    }
}
