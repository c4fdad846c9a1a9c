// A JSON document as a value: what serializers make of generated types, and make them of. Not
// responsible for text: JSONSyntax.

public import Foundation

/// A JSON document, or a part of one.
public enum JSON: Equatable, Sendable {
    /// A list of documents.
    case array([JSON])
    /// An object. Members that are null are not written.
    case dictionary([String: JSON])
    /// A text of any length.
    case str(String)
    /// A number, whole or not.
    case number(NSNumber)
    /// A value that is true or false.
    case bool(Bool)
    /// The absence of a value.
    case null
}

/// Converts documents from and to text and Foundation's objects.
public final class SerializeUtil {
    /// Makes a document of Foundation's objects: dictionaries, arrays, strings, numbers and
    /// `NSNull`.
    ///
    /// Throws for any other object.
    public class func objectToJSON(_ json: AnyObject) throws -> JSON {
        try document(json)
    }

    static func document(_ value: Any) throws -> JSON {
        if type(of: value) == Bool.self, let truth = value as? Bool { return .bool(truth) }
        switch value {
        case is NSNull: return .null
        case let text as String: return .str(text)
        case let number as NSNumber: return JSON(number)
        case let number as any BinaryInteger: return .number(number.asNumber)
        case let number as Double: return .number(NSNumber(value: number))
        case let members as [String: Any]:
            return .dictionary(try members.mapValues { try document($0) })
        case let elements as [Any]: return .array(try elements.map { try document($0) })
        default:
            throw DeserializationError(
                type: "JSON", reason: "an object of the type \(type(of: value)) is not JSON")
        }
    }

    /// Makes Foundation's objects of a document, without members that are null.
    public class func prepareJSONForSerialization(_ json: JSON) -> AnyObject {
        object(json) as AnyObject
    }

    static func object(_ json: JSON) -> Any {
        switch json {
        case .array(let elements): elements.map(object)
        case .dictionary(let members): members.filter { $0.value != .null }.mapValues(object)
        case .str(let text): text
        case .number(let number): number
        case .bool(let truth): truth
        case .null: NSNull()
        }
    }

    /// Writes a document as text.
    public class func dumpJSON(_ json: JSON) throws -> Data? {
        Data(JSONSyntax.text(of: json).utf8)
    }

    /// Reads a document from text. Throws for anything but one whole document.
    public class func parseJSON(_ data: Data) throws -> JSON {
        try JSONSyntax.document(of: Array(data))
    }
}

extension JSON {
    /// Foundation has no type of its own for truth: a number of one character's width is one.
    init(_ number: NSNumber) {
        self =
            ["c", "B"].contains(String(cString: number.objCType))
            ? .bool(number.boolValue) : .number(number)
    }

    /// The members of an object; nil of anything else.
    var members: [String: JSON]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// A text; nil of anything else.
    var text: String? {
        if case .str(let text) = self { text } else { nil }
    }
}

extension BinaryInteger {
    fileprivate var asNumber: NSNumber {
        UInt64(exactly: self).map { NSNumber(value: $0) } ?? NSNumber(value: Int64(clamping: self))
    }
}

/// A document that does not have the form of the type it is read as.
struct DeserializationError: Error, CustomStringConvertible {
    let type: String
    let reason: String

    init(type: String, reason: String) {
        self.type = type
        self.reason = reason
    }

    /// A document of another kind than the type demands.
    init(_ json: JSON, as type: Any.Type) {
        let kind =
            switch json {
            case .array: "a list"
            case .dictionary: "an object"
            case .str: "a text"
            case .number: "a number"
            case .bool: "a truth value"
            case .null: "nothing"
            }
        self.init(type: "\(type)", reason: "\(kind) is there")
    }

    var description: String { "not a \(type): \(reason)" }
}
