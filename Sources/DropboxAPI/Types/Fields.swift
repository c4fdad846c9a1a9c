// JSON coding of the API's structs: an object with named fields. Unknown fields are ignored,
// because the server adds fields without notice.

/// A struct of the API: reads and writes its fields one by one.
///
/// Synthesised `Codable` knows neither the names on the wire nor defaults, and takes several times
/// as long to build.
public protocol StructValue: Codable, Hashable, Sendable {
    /// Reads the fields; throws `DecodingError` when one is missing or does not fit.
    init(_ reader: FieldReader) throws

    /// Writes all fields in order.
    func write(to writer: inout FieldWriter) throws
}

extension StructValue {
    /// Reads the struct from an object.
    public init(from decoder: any Decoder) throws {
        try self.init(FieldReader(decoder))
    }

    /// Writes the struct as an object.
    public func encode(to encoder: any Encoder) throws {
        var writer = FieldWriter(encoder)
        try write(to: &writer)
    }
}

/// A struct of the API that has no fields (yet).
public protocol EmptyStructValue: StructValue {
    /// Makes the only value.
    init()
}

extension EmptyStructValue {
    /// Accepts any JSON object.
    public init(_ reader: FieldReader) throws {
        self.init()
    }

    /// Writes no field at all.
    public func write(to writer: inout FieldWriter) throws {}
}

/// Reads the fields of a struct.
public struct FieldReader {
    private let container: KeyedDecodingContainer<JSONKey>

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: JSONKey.self)
    }

    /// Reads from an object that is open already: opening it costs a dictionary of all fields.
    init(_ container: KeyedDecodingContainer<JSONKey>) {
        self.container = container
    }

    /// Reads a mandatory field.
    public func value<Value: Decodable>(_ name: String) throws -> Value {
        try container.decode(Value.self, forKey: JSONKey(stringValue: name))
    }

    /// Reads a field that may be absent or null.
    public func valueIfPresent<Value: Decodable>(_ name: String) throws -> Value? {
        let key = JSONKey(stringValue: name)
        // Asked first: an entry of a listing lacks most of these, and a generic call that finds
        // nothing costs more.
        guard container.contains(key) else { return nil }
        return try container.decodeIfPresent(Value.self, forKey: key)
    }

    /// Reads a field with the specification's default value.
    public func value<Value: Decodable>(_ name: String, default value: Value) throws -> Value {
        try valueIfPresent(name) ?? value
    }

    // Strings, flags and sizes are most of a listing. A decoder reads them directly; any other
    // `Decodable` gets a decoder of its own.

    /// Reads a mandatory string.
    public func value(_ name: String) throws -> String {
        try container.decode(String.self, forKey: JSONKey(stringValue: name))
    }

    /// Reads a string that may be absent or null.
    public func valueIfPresent(_ name: String) throws -> String? {
        try container.decodeIfPresent(String.self, forKey: JSONKey(stringValue: name))
    }

    /// Reads a flag that may be absent or null.
    public func valueIfPresent(_ name: String) throws -> Bool? {
        try container.decodeIfPresent(Bool.self, forKey: JSONKey(stringValue: name))
    }

    /// Reads a flag with the specification's default value.
    public func value(_ name: String, default value: Bool) throws -> Bool {
        try valueIfPresent(name) ?? value
    }

    /// Reads a mandatory size.
    public func value(_ name: String) throws -> UInt64 {
        try container.decode(UInt64.self, forKey: JSONKey(stringValue: name))
    }

    /// Like `value` for types written as strings, without the container that decoding any other
    /// type costs.
    public func parsed<Value: StringValue>(_ name: String) throws -> Value {
        try parse(try container.decode(String.self, forKey: JSONKey(stringValue: name)), name)
    }

    /// Like `valueIfPresent` for types written as strings.
    public func parsedIfPresent<Value: StringValue>(_ name: String) throws -> Value? {
        try container.decodeIfPresent(String.self, forKey: JSONKey(stringValue: name)).map {
            try parse($0, name)
        }
    }

    private func parse<Value: StringValue>(_ text: String, _ name: String) throws -> Value {
        guard let value = Value(text: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: JSONKey(stringValue: name), in: container,
                debugDescription: Value.complaint(text))
        }
        return value
    }
}

/// Writes the fields of a struct.
public struct FieldWriter {
    private var container: KeyedEncodingContainer<JSONKey>

    init(_ encoder: any Encoder) {
        container = encoder.container(keyedBy: JSONKey.self)
    }

    /// Writes a mandatory field.
    public mutating func write(_ name: String, _ value: some Encodable) throws {
        try container.encode(value, forKey: JSONKey(stringValue: name))
    }

    /// Writes a field, or nothing for nil.
    public mutating func writeIfPresent(_ name: String, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: JSONKey(stringValue: name))
    }

    /// Writes a field, or nothing for the default value.
    public mutating func write<Value: Encodable & Equatable>(
        _ name: String, _ value: Value, unless absent: Value
    ) throws {
        if value != absent { try write(name, value) }
    }
}
