// The protocols of generated types: they are read from JSON and written to it. Names of the
// specification's language, Stone.

import Foundation

/// A value of the specification.
public protocol StoneValue: Sendable {
    /// Reads a value of exactly this type.
    init(stone json: JSON) throws
    /// The value as JSON.
    var stone: JSON { get }
    /// Reads a value of this type, or of one of its subclasses if the document says so.
    static func read(stone json: JSON) throws -> Self
    /// Writes a value, with its class if that is one of several.
    static func write(stone value: Self) -> JSON
}

extension StoneValue {
    /// Reads a value of exactly this type.
    public static func read(stone json: JSON) throws -> Self { try Self(stone: json) }
    /// Writes the value as a document.
    public static func write(stone value: Self) -> JSON { value.stone }
}

/// A value that has a JSON form, under the name that mocks know.
public typealias JSONRepresentable = StoneValue

/// A struct of the specification: a class whose fields are constants.
public protocol StoneStruct: AnyObject, StoneValue, CustomStringConvertible {
    /// Writes the fields of this class and those above.
    func write(to fields: inout StoneFields)
    /// The classes that a value of this one may be, by their tags; none for most.
    static var subtypes: [String: any StoneStruct.Type] { get }
}

extension StoneStruct {
    /// No subclasses that a document can name.
    public static var subtypes: [String: any StoneStruct.Type] { [:] }

    /// The fields as an object.
    public var stone: JSON {
        var fields = StoneFields()
        write(to: &fields)
        return fields.json
    }

    /// Reads an object of the class that its tag names. One with a tag that is not known is of this
    /// class.
    public static func read(stone json: JSON) throws -> Self {
        guard let tag = json.members?[".tag"]?.text, let subtype = subtypes[tag],
            let value = try subtype.init(stone: json) as? Self
        else { return try Self(stone: json) }
        return value
    }

    /// Writes an object, with the tag of its class where this class stands for several.
    public static func write(stone value: Self) -> JSON {
        subtypes.values.contains { $0 == Self.self } ? value.stone : value.taggedStone
    }

    /// The fields, with the tag of the class if it has one.
    var taggedStone: JSON {
        guard let tag = Self.subtypes.first(where: { $0.value == type(of: self) })?.key else {
            return stone
        }
        return StoneTag.json(tag, adding: stone)
    }

    /// The value as JSON text.
    public var description: String { JSONSyntax.text(of: taggedStone) }
}

/// A union of the specification.
public protocol StoneUnion: StoneValue, CustomStringConvertible {}

extension StoneUnion {
    /// The value as JSON text.
    public var description: String { JSONSyntax.text(of: stone) }
}

/// A union without payloads: its raw values are the tags.
public protocol VoidStoneUnion: StoneUnion, Hashable, RawRepresentable where RawValue == String {}

extension VoidStoneUnion {
    /// Reads a tag; one that is not known is `other`, where the union has that.
    public init(stone json: JSON) throws {
        let union = try StoneTag(json, Self.self)
        guard let value = Self(rawValue: union.tag) ?? Self(rawValue: "other") else {
            throw union.unknownTag(Self.self)
        }
        self = value
    }

    /// The tag in an object.
    public var stone: JSON { StoneTag.json(rawValue) }
}

/// The fields of a struct while they are read or written.
public struct StoneFields {
    private var values: [String: JSON] = [:]

    init() {}

    init(_ json: JSON, _ type: Any.Type) throws {
        guard let members = json.members else { throw DeserializationError(json, as: type) }
        values = members
    }

    var json: JSON { .dictionary(values) }

    func value<Value: StoneValue>(_ name: String) throws -> Value {
        do {
            return try Value.read(stone: values[name] ?? .null)
        } catch let error as DeserializationError {
            throw DeserializationError(type: error.type, reason: "\(error.reason), in '\(name)'")
        }
    }

    func value<Value: StoneValue>(_ name: String, default value: Value) throws -> Value {
        guard let json = values[name], json != .null else { return value }
        return try self.value(name)
    }

    /// A day without a time of day, at midnight in UTC.
    func day(_ name: String) throws -> Date? {
        guard let json = values[name], json != .null else { return nil }
        guard let text = json.text, let date = StoneDates.day(text) else {
            throw DeserializationError(json, as: Date.self)
        }
        return date
    }

    func day(_ name: String) throws -> Date {
        guard let date: Date = try day(name) else {
            throw DeserializationError(.null, as: Date.self)
        }
        return date
    }

    mutating func write<Value: StoneValue>(_ name: String, _ value: Value) {
        values[name] = Value.write(stone: value)
    }

    mutating func writeDay(_ name: String, _ date: Date?) {
        values[name] = date.map { .str(StoneDates.dayText($0)) }
    }
}

/// The tag of a union, with what stands beside it.
struct StoneTag {
    let tag: String
    private let members: [String: JSON]

    /// An object with a tag, or the tag alone.
    init(_ json: JSON, _ type: Any.Type) throws {
        if let text = json.text {
            tag = text
            members = [:]
            return
        }
        guard let members = json.members else { throw DeserializationError(json, as: type) }
        guard let tag = members[".tag"]?.text else {
            throw DeserializationError(type: "\(type)", reason: "there is no tag")
        }
        self.tag = tag
        self.members = members
    }

    /// The payload under the name of the tag.
    func value<Value: StoneValue>() throws -> Value { try Value.read(stone: members[tag] ?? .null) }

    /// The payload whose fields stand beside the tag.
    func fields<Value: StoneStruct>() throws -> Value { try Value(stone: .dictionary(members)) }

    /// The same, if there is any field.
    func fieldsIfPresent<Value: StoneStruct>() throws -> Value? {
        members.count > 1 ? try fields() : nil
    }

    func unknownTag(_ type: Any.Type) -> DeserializationError {
        DeserializationError(type: "\(type)", reason: "the tag '\(tag)' is not known")
    }

    static func json(_ tag: String) -> JSON { .dictionary([".tag": .str(tag)]) }

    static func json<Value: StoneValue>(_ tag: String, value: Value) -> JSON {
        .dictionary([".tag": .str(tag), tag: Value.write(stone: value)])
    }

    static func json(_ tag: String, fields: some StoneValue) -> JSON {
        json(tag, adding: fields.stone)
    }

    static func json(_ tag: String, adding fields: JSON) -> JSON {
        var members = fields.members ?? [:]
        members[".tag"] = .str(tag)
        return .dictionary(members)
    }
}
