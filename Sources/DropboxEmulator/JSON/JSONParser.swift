// Parses JSON text (RFC 8259) into `JSONValue`. Foundation's decoders cannot distinguish 1 from
// true or report a repeated field, which a server with strict types needs.

/// Invalid JSON; the API does not report the reason to its caller either.
struct JSONSyntaxError: Error {}

/// A recursive-descent parser over the bytes of one JSON text.
struct JSONParser {
    /// Deeper nesting is refused, so that hostile input cannot exhaust the stack.
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a whole text; throws unless it is exactly one JSON value in UTF-8.
    static func parse(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(Array(bytes))
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == parser.bytes.count else { throw JSONSyntaxError() }
        return value
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func next() throws(JSONSyntaxError) -> UInt8 {
        guard position < bytes.count else { throw JSONSyntaxError() }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func take(_ byte: Character) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        guard position < bytes.count, depth < Self.maximumDepth else { throw JSONSyntaxError() }
        depth += 1
        defer { depth -= 1 }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        let length = word.utf8CodeUnitCount
        guard position + length <= bytes.count,
            word.withUTF8Buffer({ bytes[position..<position + length].elementsEqual($0) })
        else { throw JSONSyntaxError() }
        position += length
        return value
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        position += 1
        var members: [JSONValue.Member] = []
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw JSONSyntaxError()
            }
            let name = try string()
            guard take(":") else { throw JSONSyntaxError() }
            members.append(.init(name, try value()))
        } while take(",")
        guard take("}") else { throw JSONSyntaxError() }
        return .object(members)
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value())
        } while take(",")
        guard take("]") else { throw JSONSyntaxError() }
        return .array(elements)
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        var text: [UInt8] = []
        while true {
            let byte = try next()
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONSyntaxError()
                }
                return string
            case UInt8(ascii: "\\"):
                text.append(contentsOf: try escape())
            case 0..<0x20:
                throw JSONSyntaxError()
            default:
                text.append(byte)
            }
        }
    }

    private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
        switch try next() {
        case UInt8(ascii: "\""): return [0x22]
        case UInt8(ascii: "\\"): return [0x5C]
        case UInt8(ascii: "/"): return [0x2F]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try escapedScalar())).utf8)
        default: throw JSONSyntaxError()
        }
    }

    /// A `\u` escape, or a surrogate pair of two; half a pair is an error.
    private mutating func escapedScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), try next() == UInt8(ascii: "\\"),
            try next() == UInt8(ascii: "u")
        else { throw JSONSyntaxError() }
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw JSONSyntaxError() }
        return scalar
    }

    private mutating func fourDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = try next()
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw JSONSyntaxError()
            }
            value = (value << 4) | UInt32(digit)
        }
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        while position < bytes.count, Self.isNumberByte(bytes[position]) {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let first = digits.first, first.isNumber,
            !(first == "0" && digits.dropFirst().first?.isNumber == true), text.last != "."
        else { throw JSONSyntaxError() }
        if let integer = Int64(text) { return .integer(integer) }
        guard let float = Double(text) else { throw JSONSyntaxError() }
        return .float(float)
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
