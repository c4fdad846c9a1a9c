// A JSON value in the API's own type system: integers, floats and booleans are distinct, and the
// order of fields is kept. Not responsible for parsing, writing or a route's arguments
// (`ArgumentReader`).

/// A JSON value with ordered fields.
public enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case float(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One field of an object.
    public struct Member: Equatable, Sendable {
        /// The name of the field.
        public let name: String
        /// The value of the field.
        public let value: JSONValue

        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a field; nil if this is no object or has no such field.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The element at a position; nil if this is no array or is shorter.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, if this is an integer.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The truth value, if this is a boolean.
    public var boolean: Bool? {
        if case .boolean(let truth) = self { truth } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The kind of this value in the API's error messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .float: "float"
        case .string: "string"
        case .array: "list"
        case .object: "object"
        }
    }

    /// A union's value without data: `{".tag": TAG}`.
    static func tag(_ tag: String) -> JSONValue {
        .object([Member(".tag", .string(tag))])
    }

    /// A union's value with data: `{".tag": TAG, TAG: VALUE}`.
    static func tag(_ tag: String, _ value: JSONValue) -> JSONValue {
        .object([Member(".tag", .string(tag)), Member(tag, value)])
    }

    /// A union's value whose data is a struct: the struct's fields stand beside the tag.
    static func tagged(_ tag: String, _ fields: JSONValue) -> JSONValue {
        guard case .object(let members) = fields else { return .tag(tag, fields) }
        return .object([Member(".tag", .string(tag))] + members.filter { $0.name != ".tag" })
    }

    /// This object with more fields at its end; any other value is returned as it is.
    func adding(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(let members) = self, let value else { return self }
        return .object(members + [Member(name, value)])
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string value.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer value.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a boolean value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Makes an array value.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object, with its fields in the order given.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}
