// How structs of the API look in JSON, for types that do not spell their coding out: an object whose keys are
// known by name. Unknown fields are ignored, because the server adds fields without notice.

/// A struct of the API: reads and writes its fields one by one.
///
/// The compiler's own coding knows neither the names on the wire nor defaults, and takes several times as long
/// to build.
public protocol StructValue: Codable, Hashable, Sendable {
    /// Reads the fields; throws `DecodingError` when one is missing or does not fit.
    init(_ reader: FieldReader) throws

    /// Writes the fields.
    func write(to writer: inout FieldWriter) throws
}

extension StructValue {
    /// Reads an object.
    public init(from decoder: any Decoder) throws {
        try self.init(FieldReader(decoder))
    }

    /// Writes an object.
    public func encode(to encoder: any Encoder) throws {
        var writer = FieldWriter(encoder)
        try write(to: &writer)
    }
}

/// A struct of the API that has no fields (yet).
public protocol EmptyStructValue: StructValue {
    /// The only value.
    init()
}

extension EmptyStructValue {
    /// Accepts any object.
    public init(_ reader: FieldReader) throws {
        self.init()
    }

    /// Writes nothing.
    public func write(to writer: inout FieldWriter) throws {}
}

/// The fields of a struct being read.
public struct FieldReader {
    private let container: KeyedDecodingContainer<JSONKey>

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: JSONKey.self)
    }

    /// A field that has to be there.
    public func value<Value: Decodable>(_ name: String) throws -> Value {
        try container.decode(Value.self, forKey: JSONKey(stringValue: name))
    }

    /// A field that may be absent or null.
    public func valueIfPresent<Value: Decodable>(_ name: String) throws -> Value? {
        try container.decodeIfPresent(Value.self, forKey: JSONKey(stringValue: name))
    }

    /// A field for whose absence the specification names a value.
    public func value<Value: Decodable>(_ name: String, default value: Value) throws -> Value {
        try valueIfPresent(name) ?? value
    }
}

/// Writes the fields of a struct.
public struct FieldWriter {
    private var container: KeyedEncodingContainer<JSONKey>

    init(_ encoder: any Encoder) {
        container = encoder.container(keyedBy: JSONKey.self)
    }

    /// Writes a field.
    public mutating func write(_ name: String, _ value: some Encodable) throws {
        try container.encode(value, forKey: JSONKey(stringValue: name))
    }

    /// Writes a field, or nothing for nil.
    public mutating func writeIfPresent(_ name: String, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: JSONKey(stringValue: name))
    }

    /// Writes a field, or nothing for the value that its absence means.
    public mutating func write<Value: Encodable & Equatable>(
        _ name: String, _ value: Value, unless absent: Value
    ) throws {
        if value != absent { try write(name, value) }
    }
}
