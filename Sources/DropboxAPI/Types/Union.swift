// The JSON form of the API's tagged unions.
// A union is either the bare tag as a string or an object with ".tag"; the fields of a struct
// payload stand beside the tag, any other payload stands under a key named like the tag.
// https://github.com/dropbox/stone/blob/main/docs/json_serializer.rst

/// A union of the API: an enum whose cases have tags on the wire.
///
/// Every union has a case for tags that this version does not know, because the server adds tags
/// without notice; also those that the specification calls closed.
public protocol TaggedUnion: Codable, Hashable, Sendable {
    /// Reads the case whose tag stands in `union`; an unknown tag is a value, not an error.
    init(_ union: UnionReader) throws

    /// Writes the tag and the payload of this case.
    func write(to union: inout UnionWriter) throws
}

extension TaggedUnion {
    /// Reads a string or an object.
    public init(from decoder: any Decoder) throws {
        try self.init(UnionReader(decoder))
    }

    /// Writes the object form.
    public func encode(to encoder: any Encoder) throws {
        var writer = UnionWriter(encoder)
        try write(to: &writer)
    }
}

/// A union none of whose cases has a payload.
public protocol VoidUnion: TaggedUnion {
    /// The known tags and their cases.
    static var tags: KeyValuePairs<String, Self> { get }

    /// The case for a tag that is not among `tags`.
    static func unknown(_ tag: String) -> Self

    /// The tag of an unknown case; nil for the known ones.
    var unknownTag: String? { get }
}

extension VoidUnion {
    /// Finds the case of the tag.
    public init(_ union: UnionReader) throws {
        self = Self.tags.first { $0.key == union.tag }?.value ?? .unknown(union.tag)
    }

    /// Writes the case's tag.
    public func write(to union: inout UnionWriter) throws {
        try union.write(wireTag)
    }

    /// The case's tag, as it stands in JSON.
    package var wireTag: String {
        unknownTag ?? Self.tags.first { $0.value == self }?.key ?? "other"
    }
}

/// A key of a JSON object whose name is known only at run time.
public struct JSONKey: CodingKey, Hashable {
    /// The name of the key.
    public let stringValue: String
    /// Always nil: the API has no integer keys.
    public var intValue: Int? { nil }

    /// Takes over a name.
    public init(stringValue: String) {
        self.stringValue = stringValue
    }

    /// Always nil: the API has no integer keys.
    public init?(intValue: Int) {
        nil
    }

    static let tag = JSONKey(stringValue: ".tag")
}

/// The tag of a union being read, and access to its payload.
public struct UnionReader {
    /// The tag on the wire.
    public let tag: String
    private let decoder: any Decoder
    private let container: KeyedDecodingContainer<JSONKey>?

    /// Tries the object first: servers send that form, and a failed attempt costs as much as many
    /// fields.
    init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        container = try? decoder.container(keyedBy: JSONKey.self)
        tag =
            try container?.decode(String.self, forKey: .tag)
            ?? decoder.singleValueContainer().decode(String.self)
    }

    /// The payload that stands under the tag's name; throws `DecodingError` when it is missing.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        guard let container else {
            throw DecodingError.valueNotFound(
                Value.self,
                .init(codingPath: decoder.codingPath, debugDescription: "\(tag) has no payload"))
        }
        return try container.decode(Value.self, forKey: JSONKey(stringValue: tag))
    }

    /// The payload that stands under the tag's name, if the server sent one.
    public func valueIfPresent<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws -> Value? {
        try container?.decodeIfPresent(Value.self, forKey: JSONKey(stringValue: tag))
    }

    /// The payload whose fields stand beside the tag; throws `DecodingError` when they do not fit.
    public func fields<Value: StructValue>(_ type: Value.Type = Value.self) throws -> Value {
        guard let container else { return try Value(from: decoder) }
        return try Value(FieldReader(container))
    }

    /// Like `fields`, where the specification allows a tag without its payload: nil when the object
    /// has the tag alone.
    public func fieldsIfPresent<Value: StructValue>(
        _ type: Value.Type = Value.self
    ) throws -> Value? {
        guard let container, container.allKeys.contains(where: { $0 != .tag }) else { return nil }
        return try fields()
    }
}

/// Writes a union's object form.
public struct UnionWriter {
    private let encoder: any Encoder
    private var container: KeyedEncodingContainer<JSONKey>

    init(_ encoder: any Encoder) {
        self.encoder = encoder
        container = encoder.container(keyedBy: JSONKey.self)
    }

    /// Writes a case without payload.
    public mutating func write(_ tag: String) throws {
        try container.encode(tag, forKey: .tag)
    }

    /// Writes a payload under the tag's name; nothing for nil.
    public mutating func write(_ tag: String, value: (some Encodable)?) throws {
        try container.encode(tag, forKey: .tag)
        try container.encodeIfPresent(value, forKey: JSONKey(stringValue: tag))
    }

    /// Writes the fields of a struct payload beside the tag.
    public mutating func write(_ tag: String, fields: some Encodable) throws {
        try container.encode(tag, forKey: .tag)
        try fields.encode(to: encoder)
    }

    /// Writes the fields of a struct payload beside the tag; nothing for nil.
    public mutating func write(_ tag: String, fieldsIfPresent fields: (some Encodable)?) throws {
        try container.encode(tag, forKey: .tag)
        try fields?.encode(to: encoder)
    }
}

/// The argument or result of a route without one: `null` in JSON.
public struct NoValue: Codable, Hashable, Sendable {
    /// Makes the only value.
    public init() {}

    /// Accepts any JSON value.
    public init(from decoder: any Decoder) throws {}

    /// Writes the JSON value `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
