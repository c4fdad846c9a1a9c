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

    /// The fields of an object that was opened already: opening it costs a dictionary of all fields.
    init(_ container: KeyedDecodingContainer<JSONKey>) {
        self.container = container
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

    // Texts, flags and sizes are most of what listings have. A decoder reads them at once; what it knows as `Decodable` only
    // gets a decoder of its own.

    /// A text that has to be there.
    public func value(_ name: String) throws -> String {
        try container.decode(String.self, forKey: JSONKey(stringValue: name))
    }

    /// A text that may be absent or null.
    public func valueIfPresent(_ name: String) throws -> String? {
        try container.decodeIfPresent(String.self, forKey: JSONKey(stringValue: name))
    }

    /// A flag that may be absent or null.
    public func valueIfPresent(_ name: String) throws -> Bool? {
        try container.decodeIfPresent(Bool.self, forKey: JSONKey(stringValue: name))
    }

    /// A flag for whose absence the specification names a value.
    public func value(_ name: String, default value: Bool) throws -> Bool {
        try valueIfPresent(name) ?? value
    }

    /// A size that has to be there.
    public func value(_ name: String) throws -> UInt64 {
        try container.decode(UInt64.self, forKey: JSONKey(stringValue: name))
    }

    /// The same as `value` for what is a string, without the container that decoding any other type costs.
    public func parsed<Value: StringValue>(_ name: String) throws -> Value {
        try parse(try container.decode(String.self, forKey: JSONKey(stringValue: name)), name)
    }

    /// The same as `valueIfPresent` for what is a string.
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
