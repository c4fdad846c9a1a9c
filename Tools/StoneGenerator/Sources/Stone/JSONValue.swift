// JSON as the examples need it: written only, with keys in order.

/// A JSON document, with its numbers as text.
public indirect enum JSONValue: Hashable, Sendable, CustomStringConvertible {
    case null
    case boolean(Bool)
    /// As it is written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The shortest form, in one line, with keys in order: equal values give equal texts.
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let digits): digits
        case .string(let text): Self.quoted(text)
        case .array(let values):
            "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let fields):
            "{"
                + fields.sorted { $0.key < $1.key }
                .map { Self.quoted($0.key) + ":" + $0.value.description }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
