// One namespace: its enum, the order of its types, and how types are named from within it.

import Stone

/// The text of a type.
struct TypeText {
    let name: String
    let text: String
}

/// Writes a namespace.
struct NamespaceWriter {
    /// Names that the generated code takes for those of the library or the language.
    private static let reserved: Set<String> = [
        "Bool", "Double", "Float", "Int32", "Int64", "UInt32", "UInt64", "String", "Void",
        "KeyValuePairs", "Self", "Type", "Protocol", "Timestamp", "CalendarDate", "Calls", "Empty",
        "NoError", "Route", "RouteError", "RouteErrorRemedy", "TaggedUnion", "VoidUnion",
        "StructValue", "UnionReader", "UnionWriter", "FieldReader", "FieldWriter", "CallError",
        "CallOptions", "Download", "DropboxClient", "BodySource", "ByteRange",
    ]

    let specification: Specification
    let namespace: Namespace
    /// The enum's name.
    let name: String
    private let modules: [String: String]
    private let ownTypes: Set<String>
    private let routeErrors: Set<TypeName>

    init(_ specification: Specification, _ namespace: Namespace, modules: [String: String]) {
        self.specification = specification
        self.namespace = namespace
        self.modules = modules
        name = SwiftNames.namespace(namespace.name)
        routeErrors = Self.routeErrors(specification)
        ownTypes = Set(
            (namespace.aliases.map(\.name) + namespace.structures.map(\.name)
                + namespace.unions.map(\.name)).map { SwiftNames.type($0.name) })
    }

    /// The module that this namespace builds in.
    private var module: String? { modules[namespace.name] }

    /// The import of the library, for all modules but the library itself.
    var libraryImport: String {
        module == "DropboxAPI" ? "" : "public import DropboxAPI\n\n"
    }

    // MARK: Types as they are spelled

    /// The type of a name, as seen from this namespace.
    func spelled(_ type: TypeName) -> String {
        let own = SwiftNames.type(type.name)
        guard type.namespace != namespace.name else { return own }
        let other = SwiftNames.namespace(type.namespace)
        guard ownTypes.contains(other), let module = modules[type.namespace] else {
            return "\(other).\(own)"
        }
        return "\(module).\(other).\(own)"
    }

    func spelled(_ type: ValueType) -> String {
        switch type {
        case .void: "Empty"
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

    func isNullable(_ type: ValueType) -> Bool { specification.nullablePayload(type) != nil }

    /// Whether a type is spelled with one of the library's.
    private func usesLibrary(_ type: ValueType) -> Bool {
        switch type {
        case .timestamp: true
        case .list(let element, _, _), .map(let element), .nullable(let element):
            usesLibrary(element)
        default: false
        }
    }

    // MARK: The enum and the types

    /// The enum, with the aliases.
    func namespaceText() throws(EmissionError) -> String {
        try checkNames()
        var text = SourceText()
        // An import that nothing needs is a warning.
        if namespace.aliases.contains(where: { usesLibrary($0.type) }) {
            text.lines(libraryImport)
        }
        text.documentation("The namespace `\(namespace.name)`.")
        guard !namespace.aliases.isEmpty else {
            text.line("public enum \(name) {}")
            return text.text
        }
        text.block("public enum \(name)") { text in
            for alias in namespace.aliases {
                text.documentation("The alias `\(alias.name)`\(limits(alias.type)).")
                text.line(
                    "public typealias \(SwiftNames.type(alias.name.name)) = \(spelled(alias.type))")
            }
        }
        return text.text
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

    /// What routes of any namespace fail with.
    private static func routeErrors(_ specification: Specification) -> Set<TypeName> {
        Set(
            specification.namespaces.flatMap(\.routes).compactMap { route in
                specification.union(route.error)?.name ?? specification.structure(route.error)?.name
            })
    }

    private func checkNames() throws(EmissionError) {
        let all =
            namespace.aliases.map(\.name) + namespace.structures.map(\.name)
            + namespace.unions.map(\.name)
        try Self.checkDistinct(all.map(\.name), in: namespace.name, SwiftNames.type)
        if let taken = ownTypes.intersection(Self.reserved).min() {
            throw EmissionError("\(namespace.name): a type cannot be called '\(taken)'")
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
                limits.minimum.map(String.init), limits.maximum.map(String.init), " character")
        case .list(_, let minimum, let maximum):
            Self.words(minimum.map(String.init), maximum.map(String.init), " item")
        default: ""
        }
    }

    private static func words(_ minimum: String?, _ maximum: String?, _ unit: String) -> String {
        func counted(_ number: String) -> String {
            number + unit + (number == "1" || unit.isEmpty ? "" : "s")
        }
        return switch (minimum, maximum) {
        case (nil, nil): ""
        case (let minimum?, nil): ": at least \(counted(minimum))"
        case (nil, let maximum?): ": at most \(counted(maximum))"
        case (let minimum?, let maximum?) where minimum == maximum: ": \(counted(minimum))"
        case (let minimum?, let maximum?): ": \(minimum) to \(counted(maximum))"
        }
    }
}
