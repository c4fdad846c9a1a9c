// JSON encoding and decoding, and its form for headers.

import Essentials
import Saturating

package enum JSON {
    /// Encodes with sorted keys, so that equal values give equal bytes.
    package static func encode(_ value: some Encodable) throws(SerializationError) -> [UInt8] {
        if value is NoValue { return Array("null".utf8) }
        if let text = value as? JSONText { return text.bytes }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw SerializationError(message: "cannot be written: \(error)")
        }
    }

    /// The text of a value that can always be encoded, as one of strings and numbers, in several
    /// lines for a file that people may read.
    package static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(SerializationError) -> Value {
        // A route without result may send an empty body.
        if let empty = NoValue() as? Value { return empty }
        if Value.self is JSONText.Type {
            let text = bytes.isEmpty ? JSONText.null : JSONText(bytes)
            guard let text = text as? Value else {
                throw SerializationError(message: "not valid JSON")
            }
            return text
        }
        guard hasFewValues(bytes) else {
            throw SerializationError(message: "more values than an answer can have")
        }
        // Foundation's decoder takes other bytes in texts, and in the names of fields, which it
        // then does not find.
        guard (try? UTF8Span(validating: bytes.span)) != nil else {
            throw SerializationError(message: "not valid UTF-8")
        }
        do {
            // Foundation's decoder crashes on a document that is cut off at its 513th open bracket:
            // to report the nesting depth, it reads the byte behind that one. The padding provides
            // that byte.
            var document = Data(capacity: bytes.count +| 1)
            document.append(contentsOf: bytes)
            document.append(UInt8(ascii: " "))
            return try JSONDecoder().decode(Value.self, from: document)
        } catch {
            throw SerializationError(message: explanation(of: error))
        }
    }

    /// Maximum number of values in a document: twenty times as many as a full page of a listing.
    /// The decoder allocates some 150 bytes for each, however short it is.
    static let mostValues = 500_000

    /// Counts commas and opening brackets outside of strings.
    private static func hasFewValues(_ bytes: [UInt8]) -> Bool {
        // Each value takes at least two bytes: one of its own and a separator.
        guard bytes.count > mostValues else { return true }
        var count = 0
        var isString = false
        var isEscaped = false
        for byte in bytes {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count +|= 1
            default: break
            }
        }
        return count <= mostValues
    }

    /// Escapes every character outside of printable ASCII as `\uXXXX`, as headers require.
    ///
    /// DEL is ASCII, but not allowed in headers. JSON has no such characters outside of strings.
    package static func headerValue(_ json: [UInt8]) -> String {
        guard json.contains(where: { $0 >= 0x7F }) else {
            return String(decoding: json, as: UTF8.self)
        }
        var text = ""
        text.reserveCapacity(json.count *| 2)
        for unit in String(decoding: json, as: UTF8.self).utf16 {
            if unit < 0x7F, let ascii = Unicode.Scalar(unit) {
                text.unicodeScalars.append(ascii)
            } else {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", clamping: 4 -| digits.count) + digits
            }
        }
        return text
    }

    /// The path of keys to the offending value, and the fault.
    private static func explanation(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            default: nil
            }
        guard let context else { return "not valid JSON" }
        let path = context.codingPath.map { key in
            key.intValue.map(String.init) ?? key.stringValue
        }
        let place = path.isEmpty ? "" : "at \(path.joined(separator: ".")): "
        return "\(place)\(context.debugDescription)"
    }
}

/// A value could not be encoded, or JSON could not be decoded.
package struct SerializationError: Error {
    package let message: String
}
