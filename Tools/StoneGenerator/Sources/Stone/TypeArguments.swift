// The types that Stone brings along, with their arguments; the defaults of fields; the attributes
// of routes.

/// The arguments in the brackets behind a type.
struct TypeArguments {
    private let expression: TypeExpression

    init(_ expression: TypeExpression) {
        self.expression = expression
    }

    private var name: String {
        expression.reference.namespace == nil ? expression.reference.name : ""
    }

    private func failure(_ message: String) -> StoneError {
        StoneError(expression.position, message)
    }

    /// The type, if Stone brings it along; `element` looks up what lists and maps hold.
    func builtIn(
        _ element: (TypeExpression) throws(StoneError) -> ValueType
    ) throws(StoneError) -> ValueType? {
        switch name {
        case "Void": return .void
        case "Boolean": return .boolean
        case "Int32", "Int64", "UInt32", "UInt64":
            guard let kind = IntegerKind(rawValue: name) else { return nil }
            return .integer(kind, minimum: digits("min_value"), maximum: digits("max_value"))
        case "Float32", "Float64":
            return .float(bits: name == "Float32" ? 32 : 64, minimum: digits("min_value"))
        case "String":
            return .string(
                StringLimits(
                    minimum: number("min_length"), maximum: number("max_length"),
                    pattern: text("pattern")))
        case "Timestamp": return .timestamp(format: try format())
        case "List":
            return .list(
                try element(try typeArgument(0)), minimum: number("min_items"),
                maximum: number("max_items"))
        case "Map":
            guard case .string = try element(try typeArgument(0)) else {
                throw failure("the keys of a map have to be strings")
            }
            return .map(try element(try typeArgument(1)))
        case "Bytes": throw failure("no route of the API has bytes in its JSON")
        default: return nil
        }
    }

    private func typeArgument(_ index: Int) throws(StoneError) -> TypeExpression {
        guard index < expression.arguments.count,
            case .type(let type) = expression.arguments[index]
        else { throw failure("'\(name)' lacks the type of its elements") }
        return type
    }

    private func format() throws(StoneError) -> String {
        guard case .literal(.string(let format))? = expression.arguments.first else {
            throw failure("'Timestamp' lacks its format")
        }
        return format
    }

    private func value(_ key: String) -> Literal? {
        for case .named(key, let value) in expression.arguments { return value }
        return nil
    }

    private func digits(_ key: String) -> String? {
        switch value(key) {
        case .integer(let digits)?, .decimal(let digits)?: digits
        default: nil
        }
    }

    private func number(_ key: String) -> Int? { digits(key).flatMap { Int($0) } }

    private func text(_ key: String) -> String? {
        if case .string(let text)? = value(key) { text } else { nil }
    }
}

extension DefaultValue {
    init(_ literal: Literal, at position: SourcePosition) throws(StoneError) {
        switch literal {
        case .boolean(let value): self = .boolean(value)
        case .integer(let digits), .decimal(let digits): self = .number(digits)
        case .string(let text): self = .string(text)
        case .name(let tag): self = .tag(tag)
        case .null, .list, .map:
            throw StoneError(position, "this cannot be a default")
        }
    }
}

extension RouteAttributes {
    private static let callers = [["user"], ["team"], ["app"], ["noauth"], ["app", "user"]]

    init(_ route: RouteDefinition) throws(StoneError) {
        host = try route.word("host", of: ["api", "content", "notify"]) ?? "api"
        style = try route.word("style", of: ["rpc", "upload", "download"]) ?? "rpc"
        let who = route.text("auth") ?? "user"
        authentication = who.split { $0 == "," || $0 == " " }.map(String.init)
        guard Self.callers.contains(authentication.sorted()) else {
            throw StoneError(route.position, "'\(who)' is not a kind of authentication")
        }
        scope = route.text("scope")
        isPreview = route.attributes["is_preview"] == .boolean(true)
        selectAdmin = try route.word("select_admin_mode", of: ["team_admin", "whole_team"])
    }
}

extension RouteDefinition {
    fileprivate func text(_ attribute: String) -> String? {
        if case .string(let text)? = attributes[attribute] { text } else { nil }
    }

    fileprivate func word(
        _ attribute: String, of words: [String]
    ) throws(StoneError) -> String? {
        guard let text = text(attribute) else { return nil }
        guard words.contains(text) else {
            throw StoneError(position, "'\(text)' is not a value of '\(attribute)'")
        }
        return text
    }
}
