// From tokens to the definitions of one file.

/// Reads a file of a specification.
enum Parser {
    /// Parses a whole file. Throws at the first line that is not Stone.
    static func parse(_ text: String, file: String) throws(StoneError) -> SyntaxTree {
        var cursor = try TokenCursor(text: text, file: file)
        guard cursor.skip(.name("namespace")) else { throw cursor.unexpected("'namespace'") }
        var tree = SyntaxTree(namespace: try cursor.name())
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in try cursor.documentation() }
        while !cursor.isAt(.end) {
            try definition(&cursor, into: &tree)
        }
        return tree
    }

    private static func definition(
        _ cursor: inout TokenCursor, into tree: inout SyntaxTree
    ) throws(StoneError) {
        let position = cursor.position
        let keyword = try cursor.name()
        switch keyword {
        case "import":
            tree.imports.append(
                ImportStatement(namespace: try cursor.name(), position: position))
            try cursor.expect(.newline)
        case "alias":
            tree.definitions.append(.alias(try alias(&cursor, position)))
        case "annotation":
            tree.definitions.append(.annotation(try annotation(&cursor, position)))
        case "annotation_type":
            tree.definitions.append(.annotationType(name: try annotationType(&cursor)))
        case "struct", "union", "union_closed":
            tree.definitions.append(try dataType(keyword, &cursor, position, isPatch: false))
        case "patch":
            tree.definitions.append(
                try dataType(try cursor.name(), &cursor, position, isPatch: true))
        case "route":
            tree.definitions.append(.route(try route(&cursor, position)))
        default:
            throw StoneError(position, "'\(keyword)' does not begin a definition")
        }
    }

    private static func dataType(
        _ keyword: String, _ cursor: inout TokenCursor, _ position: SourcePosition, isPatch: Bool
    ) throws(StoneError) -> Definition {
        switch keyword {
        case "struct":
            let definition = try structure(&cursor, position)
            return isPatch ? .structPatch(definition) : .structure(definition)
        case "union", "union_closed":
            let definition = try union(&cursor, position, isClosed: keyword == "union_closed")
            return isPatch ? .unionPatch(definition) : .union(definition)
        default:
            throw StoneError(position, "'\(keyword)' cannot be patched")
        }
    }

    private static func alias(
        _ cursor: inout TokenCursor, _ position: SourcePosition
    ) throws(StoneError) -> AliasDefinition {
        let name = try cursor.name()
        try cursor.expect("=")
        let type = try TypeParser.type(&cursor)
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in
            if cursor.isAt("@") {
                _ = try TypeParser.annotation(&cursor)
            } else {
                try cursor.documentation()
            }
        }
        return AliasDefinition(name: name, type: type, position: position)
    }

    private static func annotation(
        _ cursor: inout TokenCursor, _ position: SourcePosition
    ) throws(StoneError) -> AnnotationDefinition {
        let name = try cursor.name()
        try cursor.expect("=")
        let kind = try TypeParser.type(&cursor)
        try cursor.expect(.newline)
        return AnnotationDefinition(name: name, kind: kind.reference, position: position)
    }

    /// Kinds of annotation have parameters, but none has a meaning for a client.
    private static func annotationType(_ cursor: inout TokenCursor) throws(StoneError) -> String {
        let name = try cursor.name()
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in
            if try cursor.documentation() == nil {
                _ = try FieldParser.field(&cursor, needsType: true)
            }
        }
        return name
    }

    private static func parent(_ cursor: inout TokenCursor) throws(StoneError) -> Reference? {
        guard cursor.skip(.name("extends")) else { return nil }
        return try TypeParser.reference(&cursor)
    }

    private static func structure(
        _ cursor: inout TokenCursor, _ position: SourcePosition
    ) throws(StoneError) -> StructDefinition {
        var definition = StructDefinition(name: try cursor.name(), position: position)
        definition.parent = try parent(&cursor)
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in
            if let text = try cursor.documentation() {
                definition.documentation = text
            } else if let isClosed = try unionKeyword(&cursor) {
                definition.subtypes = try subtypes(&cursor, isClosed: isClosed)
            } else if let example = try ExampleParser.example(&cursor) {
                definition.examples.append(example)
            } else {
                definition.fields.append(try FieldParser.field(&cursor, needsType: true))
            }
        }
        return definition
    }

    /// Steps over `union` or `union_closed` on a line of its own; a field may have such a name.
    static func unionKeyword(_ cursor: inout TokenCursor) throws(StoneError) -> Bool? {
        guard cursor.isAtName("union") || cursor.isAtName("union_closed") else { return nil }
        var ahead = cursor
        let keyword = try ahead.name()
        guard ahead.skip(.newline) else { return nil }
        cursor = ahead
        return keyword == "union_closed"
    }

    private static func subtypes(
        _ cursor: inout TokenCursor, isClosed: Bool
    ) throws(StoneError) -> SubtypesDefinition {
        var subtypes: [FieldDefinition] = []
        try cursor.block { (cursor) throws(StoneError) in
            subtypes.append(try FieldParser.field(&cursor, needsType: true))
        }
        return SubtypesDefinition(isClosed: isClosed, subtypes: subtypes)
    }

    private static func union(
        _ cursor: inout TokenCursor, _ position: SourcePosition, isClosed: Bool
    ) throws(StoneError) -> UnionDefinition {
        var definition = UnionDefinition(
            name: try cursor.name(), isClosed: isClosed, position: position)
        definition.parent = try parent(&cursor)
        try cursor.expect(.newline)
        return try unionBody(definition, &cursor)
    }

    /// Reads the lines of a union.
    static func unionBody(
        _ head: UnionDefinition, _ cursor: inout TokenCursor
    ) throws(StoneError) -> UnionDefinition {
        var definition = head
        try cursor.block { (cursor) throws(StoneError) in
            if let text = try cursor.documentation() {
                definition.documentation = text
            } else if let example = try ExampleParser.example(&cursor) {
                definition.examples.append(example)
            } else {
                definition.tags.append(try FieldParser.field(&cursor, needsType: false))
            }
        }
        return definition
    }

    private static func route(
        _ cursor: inout TokenCursor, _ position: SourcePosition
    ) throws(StoneError) -> RouteDefinition {
        let name = try routeName(&cursor)
        try cursor.expect("(")
        let argument = try TypeParser.type(&cursor)
        try cursor.expect(",")
        let result = try TypeParser.type(&cursor)
        try cursor.expect(",")
        let error = try TypeParser.type(&cursor)
        try cursor.expect(")")
        var route = RouteDefinition(
            name: name.name, version: name.version, argument: argument, result: result,
            error: error, position: position)
        if cursor.skip(.name("deprecated")) {
            route.isDeprecated = true
            if cursor.skip(.name("by")) { route.successor = try routeName(&cursor) }
        }
        try cursor.expect(.newline)
        try cursor.block { (cursor) throws(StoneError) in
            if cursor.skip(.name("attrs")) {
                try cursor.expect(.newline)
                route.attributes = try attributes(&cursor)
            } else if let text = try cursor.documentation() {
                route.documentation = text
            } else {
                throw cursor.unexpected("a description or 'attrs'")
            }
        }
        return route
    }

    private static func attributes(
        _ cursor: inout TokenCursor
    ) throws(StoneError) -> [String: Literal] {
        var attributes: [String: Literal] = [:]
        try cursor.block { (cursor) throws(StoneError) in
            let name = try cursor.name()
            try cursor.expect("=")
            attributes[name] = try TypeParser.literal(&cursor)
            try cursor.expect(.newline)
        }
        return attributes
    }

    /// `folder/name` and, after a colon, the version if it is not the first.
    private static func routeName(_ cursor: inout TokenCursor) throws(StoneError) -> RouteName {
        var name = try cursor.name()
        while cursor.skip("/") { name += "/" + (try cursor.name()) }
        let version = cursor.skip(":") ? try cursor.integer() : 1
        return RouteName(name: name, version: version)
    }
}
