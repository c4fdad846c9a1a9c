// Serializers as types: requests are generic over them, and so are their results and errors.

public import Foundation

/// Writes values of one type as JSON, and reads them.
public protocol JSONSerializer: Sendable {
    /// The type of the values.
    associatedtype ValueType: Sendable
    /// Writes a value as a document.
    func serialize(_ value: ValueType) throws -> JSON
    /// Reads a value; throws where the document has another form.
    func deserialize(_ json: JSON) throws -> ValueType
}

/// A serializer that has no settings.
public protocol PlainSerializer: JSONSerializer {
    /// Makes the serializer, which has no settings.
    init()
}

/// The serializer of a generated type, or of a number, a text or a date.
public final class ValueSerializer<Value: StoneValue>: PlainSerializer {
    /// Makes the serializer, which has no settings.
    public init() {}
    /// Writes a value as a document.
    public func serialize(_ value: Value) throws -> JSON { Value.write(stone: value) }
    /// Reads a value from a document.
    public func deserialize(_ json: JSON) throws -> Value { try Value.read(stone: json) }
}

/// Reads and writes texts.
public typealias StringSerializer = ValueSerializer<String>
/// Reads and writes true and false.
public typealias BoolSerializer = ValueSerializer<Bool>
/// Reads and writes numbers of 64 bits without a sign.
public typealias UInt64Serializer = ValueSerializer<UInt64>
/// Reads and writes numbers of 64 bits.
public typealias Int64Serializer = ValueSerializer<Int64>
/// Reads and writes numbers of 32 bits without a sign.
public typealias UInt32Serializer = ValueSerializer<UInt32>
/// Reads and writes numbers of 32 bits.
public typealias Int32Serializer = ValueSerializer<Int32>
/// Reads and writes fractions.
public typealias DoubleSerializer = ValueSerializer<Double>
/// Reads and writes fractions of 32 bits.
public typealias FloatSerializer = ValueSerializer<Float>
/// Reads and writes bytes in base 64.
public typealias NSDataSerializer = ValueSerializer<Data>
/// Reads and writes times in UTC.
public typealias NSDateSerializer = ValueSerializer<Date>

/// The serializer where there is no value: the argument, result or error of a route that has none.
public final class VoidSerializer: PlainSerializer {
    /// Makes the serializer, which has no settings.
    public init() {}
    /// Returns null for the only value.
    public func serialize(_ value: Void) throws -> JSON { .null }

    /// Throws for anything but null.
    public func deserialize(_ json: JSON) throws {
        guard json == .null else { throw DeserializationError(json, as: Void.self) }
    }
}

/// The serializer of lists.
public final class ArraySerializer<T: JSONSerializer>: JSONSerializer {
    private let element: T

    /// Takes over the serializer of the elements.
    public init(_ elementSerializer: T) { element = elementSerializer }

    /// Writes a list of values.
    public func serialize(_ arr: [T.ValueType]) throws -> JSON {
        .array(try arr.map { try element.serialize($0) })
    }

    /// Reads a list of values.
    public func deserialize(_ json: JSON) throws -> [T.ValueType] {
        guard case .array(let elements) = json else {
            throw DeserializationError(json, as: [T.ValueType].self)
        }
        return try elements.map { try element.deserialize($0) }
    }
}

extension ArraySerializer: PlainSerializer where T: PlainSerializer {
    /// The serializer of lists whose elements' serializer has no settings.
    public convenience init() { self.init(T()) }
}

/// The serializer of objects whose values are of one type.
public final class DictionarySerializer<T: JSONSerializer>: JSONSerializer {
    private let value: T

    /// Takes over the serializer of the values.
    public init(_ elementSerializer: T) { value = elementSerializer }

    /// Writes the values as an object.
    public func serialize(_ dict: [String: T.ValueType]) throws -> JSON {
        .dictionary(try dict.mapValues { try value.serialize($0) })
    }

    /// Reads the values of an object.
    public func deserialize(_ json: JSON) throws -> [String: T.ValueType] {
        guard let members = json.members else {
            throw DeserializationError(json, as: [String: T.ValueType].self)
        }
        return try members.mapValues { try value.deserialize($0) }
    }
}

extension DictionarySerializer: PlainSerializer where T: PlainSerializer {
    /// The serializer of objects whose values' serializer has no settings.
    public convenience init() { self.init(T()) }
}

/// The serializer of values that may be absent.
public final class NullableSerializer<T: JSONSerializer>: JSONSerializer {
    private let value: T

    /// Takes over the serializer of the values.
    public init(_ internalSerializer: T) { value = internalSerializer }

    /// Writes a value, or null.
    public func serialize(_ value: T.ValueType?) throws -> JSON {
        try value.map { try self.value.serialize($0) } ?? .null
    }

    /// Reads a value, or null.
    public func deserialize(_ json: JSON) throws -> T.ValueType? {
        json == .null ? nil : try value.deserialize(json)
    }
}

extension NullableSerializer: PlainSerializer where T: PlainSerializer {
    /// The serializer of values whose own serializer has no settings.
    public convenience init() { self.init(T()) }
}
