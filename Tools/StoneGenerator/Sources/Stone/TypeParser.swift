// The parts that stand within a line: types, values, names of other namespaces.

enum TypeParser {
    /// Parses a type such as `List(String(min_length=1), max_items=3)?`.
    static func type(_ cursor: inout TokenCursor) throws(StoneError) -> TypeExpression {
        let reference = try reference(&cursor)
        var arguments: [TypeExpression.Argument] = []
        if cursor.skip("(") {
            while !cursor.skip(")") {
                if !arguments.isEmpty { try cursor.expect(",") }
                arguments.append(try argument(&cursor))
            }
        }
        return TypeExpression(
            reference: reference, arguments: arguments, isNullable: cursor.skip("?"))
    }

    static func reference(_ cursor: inout TokenCursor) throws(StoneError) -> Reference {
        let position = cursor.position
        let first = try cursor.name()
        guard cursor.skip(".") else {
            return Reference(namespace: nil, name: first, position: position)
        }
        return Reference(namespace: first, name: try cursor.name(), position: position)
    }

    private static func argument(
        _ cursor: inout TokenCursor
    ) throws(StoneError) -> TypeExpression.Argument {
        guard case .name = cursor.token.kind else { return .literal(try literal(&cursor)) }
        var ahead = cursor
        let name = try ahead.name()
        if ahead.skip("=") {
            cursor = ahead
            return .named(name, try literal(&cursor))
        }
        return .type(try type(&cursor))
    }

    /// `@namespace.Name` on a line of its own.
    static func annotation(_ cursor: inout TokenCursor) throws(StoneError) -> Reference {
        try cursor.expect("@")
        let reference = try reference(&cursor)
        try cursor.expect(.newline)
        return reference
    }

    static func literal(_ cursor: inout TokenCursor) throws(StoneError) -> Literal {
        switch cursor.token.kind {
        case .string(let text):
            cursor.advance()
            return .string(text)
        case .integer(let digits):
            cursor.advance()
            return .integer(digits)
        case .decimal(let digits):
            cursor.advance()
            return .decimal(digits)
        case .name(let name):
            cursor.advance()
            switch name {
            case "null": return .null
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            default: return .name(name)
            }
        case .symbol("["): return try list(&cursor)
        case .symbol("{"): return try map(&cursor)
        default: throw cursor.unexpected("a value")
        }
    }

    private static func list(_ cursor: inout TokenCursor) throws(StoneError) -> Literal {
        try cursor.expect("[")
        var values: [Literal] = []
        while !cursor.skip("]") {
            if !values.isEmpty { try cursor.expect(",") }
            values.append(try literal(&cursor))
        }
        return .list(values)
    }

    private static func map(_ cursor: inout TokenCursor) throws(StoneError) -> Literal {
        try cursor.expect("{")
        var entries: [Literal.Entry] = []
        while !cursor.skip("}") {
            if !entries.isEmpty { try cursor.expect(",") }
            let key = try literal(&cursor)
            try cursor.expect(":")
            entries.append(Literal.Entry(key: key, value: try literal(&cursor)))
        }
        return .map(entries)
    }
}

enum FieldParser {
    /// A field of a struct or a tag of a union, with the indented lines that belong to it.
    static func field(
        _ cursor: inout TokenCursor, needsType: Bool
    ) throws(StoneError) -> FieldDefinition {
        let position = cursor.position
        var field = FieldDefinition(name: try cursor.name(), position: position)
        if cursor.skip("*") { field.isCatchAll = true }
        if needsType || !cursor.isAt(.newline) { field.type = try TypeParser.type(&cursor) }
        if cursor.skip("=") { field.defaultValue = try TypeParser.literal(&cursor) }
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in
            if cursor.isAt("@") {
                field.annotations.append(try TypeParser.annotation(&cursor))
            } else if let text = try cursor.documentation() {
                field.documentation = text
            } else if let isClosed = try Parser.unionKeyword(&cursor), let type = field.type {
                field.inlineUnion = try Parser.unionBody(
                    UnionDefinition(
                        name: type.reference.name, isClosed: isClosed, position: position),
                    &cursor)
            } else {
                throw cursor.unexpected("a description or an annotation")
            }
        }
        return field
    }
}

enum ExampleParser {
    /// An `example` block, if this is where one begins.
    static func example(_ cursor: inout TokenCursor) throws(StoneError) -> ExampleDefinition? {
        guard cursor.isAtName("example") else { return nil }
        let position = cursor.position
        var ahead = cursor
        ahead.advance()
        guard case .name(let label) = ahead.token.kind else { return nil }
        ahead.advance()
        guard ahead.skip(.newline) else { return nil }
        cursor = ahead
        var example = ExampleDefinition(label: label, position: position)
        try cursor.block { (cursor) throws(StoneError) in
            if try cursor.documentation() == nil {
                example.values.append(try value(&cursor))
            }
        }
        return example
    }

    private static func value(
        _ cursor: inout TokenCursor
    ) throws(StoneError) -> ExampleDefinition.Value {
        let position = cursor.position
        let name = try cursor.name()
        try cursor.expect("=")
        let value = try TypeParser.literal(&cursor)
        try cursor.expect(.newline)
        return ExampleDefinition.Value(name: name, value: value, position: position)
    }
}
