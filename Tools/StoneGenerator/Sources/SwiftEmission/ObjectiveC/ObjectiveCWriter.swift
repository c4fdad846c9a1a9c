// One namespace in Objective-C: the interfaces of its types, and the tables that stand for their
// methods. Routes are in a file of their own.

import Stone

/// Writes the types and routes of a namespace.
struct ObjectiveCWriter {
    let specification: Specification
    let namespace: Namespace
    /// The namespace in capitals, as it stands in the names of classes.
    let prefix: String

    /// A type in a header, and in the file of its tables.
    struct TypeText {
        let name: TypeName
        let declaration: String
        let table: String
    }

    init(_ specification: Specification, _ namespace: Namespace) {
        self.specification = specification
        self.namespace = namespace
        prefix = ObjectiveCNames.namespace(namespace.name)
    }

    var classNames: [String] {
        (namespace.structures.map(\.name) + namespace.unions.map(\.name)).map(ObjectiveCNames.type)
    }

    /// The first lines of the header: parents have to be declared before.
    var imports: String {
        let others = Set(namespace.structures.compactMap(\.parent).map(\.namespace))
            .subtracting([namespace.name]).sorted()
        return "#import \"DBStoneBase.h\"\n#import \"DBTypes.h\"\n"
            + others.map { "#import \"DB\(ObjectiveCNames.namespace($0)).h\"\n" }.joined()
            + "\nNS_ASSUME_NONNULL_BEGIN\n\n"
    }

    // MARK: Names of types

    /// A type as a pointer.
    func spelled(_ type: ValueType) -> String {
        switch specification.resolved(type) {
        case .void, .alias: "DBNilObject *"
        case .boolean, .integer, .float: "NSNumber *"
        case .string: "NSString *"
        case .timestamp: "NSDate *"
        case .list(let element, _, _): "NSArray<\(spelled(element))> *"
        case .map(let element): "NSDictionary<NSString *, \(spelled(element))> *"
        case .nullable(let payload): spelled(payload)
        case .structure(let name), .union(let name): "\(ObjectiveCNames.type(name)) *"
        }
    }

    /// A type as the tables have it; DBStoneTables.h explains the letters.
    func code(_ type: ValueType) -> String {
        switch specification.resolved(type) {
        case .void, .alias: "v"
        case .boolean: "b"
        case .integer: "i"
        case .float: "f"
        case .string: "s"
        case .timestamp(let format): "t<\(format)>"
        case .list(let element, _, _): "[" + code(element)
        case .map(let element): "{" + code(element)
        case .nullable(let payload): isNullable(payload) ? code(payload) : "?" + code(payload)
        case .structure(let name), .union(let name): "@\(ObjectiveCNames.type(name));"
        }
    }

    func isNullable(_ type: ValueType) -> Bool { specification.nullablePayload(type) != nil }

    func isOptional(_ field: Field) -> Bool { field.defaultValue != nil || isNullable(field.type) }

    /// The fields in the order of parameters: those that are needed first.
    func ordered(_ structure: Structure) -> [Field] {
        structure.fields.filter { !isOptional($0) } + structure.fields.filter(isOptional)
    }

    // MARK: Types

    /// All types, a parent before its children.
    func types() throws(EmissionError) -> [TypeText] {
        var types: [TypeText] = []
        var known: Set<TypeName> = []
        for structure in namespace.structures {
            try add(structure, to: &types, known: &known)
        }
        for union in namespace.unions { types.append(try text(union)) }
        return types
    }

    private func add(
        _ structure: Structure, to types: inout [TypeText], known: inout Set<TypeName>
    ) throws(EmissionError) {
        guard known.insert(structure.name).inserted else { return }
        if let parent = structure.parent.flatMap({ specification.structure($0) }),
            parent.name.namespace == namespace.name
        {
            try add(parent, to: &types, known: &known)
        }
        types.append(try text(structure))
    }

    private func text(_ structure: Structure) throws(EmissionError) -> TypeText {
        let name = ObjectiveCNames.type(structure.name)
        try NamespaceWriter.checkDistinct(
            structure.fields.map(\.name), in: "\(structure.name)", ObjectiveCNames.member)
        let fields = ordered(structure)
        guard fields.count <= ObjectiveCEmitter.mostFields else {
            throw EmissionError(
                "\(structure.name): more fields than the runtime has initialisers for")
        }
        let parent = structure.parent.flatMap { specification.structure($0) }
        let inherited = Set(parent?.fields.map(\.name) ?? [])
        let above = parent.map { ObjectiveCNames.type($0.name) } ?? "DBStoneObject"
        var text = "@interface \(name) : \(above)\n"
        for field in structure.fields where !inherited.contains(field.name) {
            text += property(field.name, field.type)
        }
        let required = fields.filter { !isOptional($0) }
        text += "- (instancetype)\(initialiser(fields));\n"
        if required.count != fields.count {
            text += "- (instancetype)\(initialiser(required));\n"
        }
        text += "- (instancetype)init NS_UNAVAILABLE;\n"
        text += "@end\n" + serializer(name)

        let subtypes = structure.subtypes.map { subtypes in
            let rows = subtypes.all.map {
                "{\"\($0.tag)\", \"@\(ObjectiveCNames.type($0.name));\"}"
            }
            return "DB_SUBTYPES(\(name), \(rows.joined(separator: ", ")))\n"
        }
        var rows: [String] = []
        for field in fields {
            rows.append(
                row(
                    field.name, field.type,
                    try field.defaultValue.map { value throws(EmissionError) in try literal(value) }
                )
            )
        }
        let pointer = subtypes == nil ? "NULL" : "\(name)Subtypes"
        let table =
            (subtypes ?? "")
            + "DB_STRUCT(\(name), \(required.count), \(fields.count), \(pointer), \(rows.isEmpty ? "{NULL}" : rows.joined(separator: ", ")))\n"
        return TypeText(name: structure.name, declaration: text, table: table)
    }

    private func text(_ union: Union) throws(EmissionError) -> TypeText {
        let name = ObjectiveCNames.type(union.name)
        var tags = union.tags.map { (name: $0.name, type: $0.type) }
        if !union.isClosed, !tags.contains(where: { $0.name == "other" }) {
            tags.append((name: "other", type: .void))
        }
        try NamespaceWriter.checkDistinct(
            tags.map(\.name), in: "\(union.name)", ObjectiveCNames.member)
        guard !tags.isEmpty else { throw EmissionError("\(union.name): a union needs a tag") }
        var text = "@interface \(name) : DBStoneObject\n"
        text += "typedef NS_CLOSED_ENUM(NSInteger, \(name)Tag) {\n"
        for tag in tags { text += "    \(name)\(upper(tag.name)),\n" }
        text += "};\n@property (nonatomic, readonly) \(name)Tag tag;\n"
        for tag in tags where tag.type != .void { text += property(tag.name, tag.type) }
        for tag in tags {
            let payload =
                tag.type == .void
                ? "" : ":(\(parameter(tag.type)))\(ObjectiveCNames.member(tag.name))"
            text += "- (instancetype)initWith\(upper(tag.name))\(payload);\n"
        }
        text += "- (instancetype)init NS_UNAVAILABLE;\n"
        for tag in tags { text += "- (BOOL)is\(upper(tag.name));\n" }
        text += "- (NSString *)tagName;\n@end\n" + serializer(name)
        let rows = tags.map { row($0.name, $0.type, nil) }
        let table =
            "DB_UNION(\(name), \(union.isClosed ? "YES" : "NO"), \(tags.count), \(rows.joined(separator: ", ")))\n"
        return TypeText(name: union.name, declaration: text, table: table)
    }

    private func upper(_ name: String) -> String {
        ObjectiveCNames.upper(ObjectiveCNames.member(name))
    }

    private func property(_ name: String, _ type: ValueType) -> String {
        let pointer = spelled(type)
        let attributes =
            (pointer == "NSString *" ? ", copy" : "") + (isNullable(type) ? ", nullable" : "")
        return
            "@property (nonatomic, readonly\(attributes)) \(pointer)\(ObjectiveCNames.member(name));\n"
    }

    /// The type of a parameter.
    func parameter(_ type: ValueType, isOptional: Bool = false) -> String {
        (isOptional || isNullable(type) ? "nullable " : "") + spelled(type)
    }

    private func initialiser(_ fields: [Field]) -> String {
        guard let first = fields.first else { return "initDefault" }
        let rest = fields.dropFirst().map { " \(ObjectiveCNames.member($0.name)):\(argument($0))" }
        return "initWith\(upper(first.name)):\(argument(first))" + rest.joined()
    }

    /// A field as a parameter behind its label.
    func argument(_ field: Field) -> String {
        "(\(parameter(field.type, isOptional: isOptional(field))))\(ObjectiveCNames.member(field.name))"
    }

    private func serializer(_ name: String) -> String {
        """
        @interface \(name)Serializer : DBStoneSerializer
        + (nullable NSDictionary<NSString *, id> *)serialize:(\(name) *)instance;
        + (\(name) *)deserialize:(NSDictionary<NSString *, id> *)dict;
        @end

        """
    }

    private func row(_ name: String, _ type: ValueType, _ standard: String?) -> String {
        let parts = ["\"\(ObjectiveCNames.member(name))\"", "\"\(name)\"", "\"\(code(type))\""]
        return "{" + (parts + [standard ?? "NULL"]).joined(separator: ", ") + "}"
    }

    /// JSON in C, as it is simple enough for the runtime.
    private func literal(_ value: DefaultValue) throws(EmissionError) -> String {
        switch value {
        case .boolean(let value): return "\"\(value)\""
        case .number(let value): return "\"\(value)\""
        case .string(let value), .tag(let value):
            guard value.allSatisfy({ $0.isASCII && $0 != "\\" && $0 != "\"" && !$0.isNewline })
            else {
                throw EmissionError("the default \(value) needs escapes")
            }
            return "\"\\\"\(value)\\\"\""
        }
    }
}
