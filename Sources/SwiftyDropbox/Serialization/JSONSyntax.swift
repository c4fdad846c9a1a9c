// JSON as text, read and written. The text is a server's or a file's: nothing in it may end the
// process, however deep, long or wrong it is.

import Foundation

/// Reads and writes JSON.
enum JSONSyntax {
    /// Levels of lists and objects in a document, at most.
    static let deepest = 200

    /// The document that bytes are; no bytes are null, as a route without result sends them.
    static func document(of bytes: [UInt8]) throws -> JSON {
        var reader = JSONValueReader(bytes)
        reader.skipSpace()
        if reader.isAtEnd { return .null }
        let document = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.isAtEnd else { throw reader.failure("more than one document") }
        return document
    }

    /// The text of a document, with sorted members and without those that are null.
    static func text(of json: JSON) -> String {
        var text = ""
        write(json, to: &text)
        return text
    }

    private static func write(_ json: JSON, to text: inout String) {
        switch json {
        case .null: text += "null"
        case .bool(let truth): text.append(truth ? "true" : "false")
        case .number(let number): text.append(self.text(of: number))
        case .str(let string): write(string, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                write(element, to: &text)
            }
            text += "]"
        case .dictionary(let members):
            text += "{"
            var isFirst = true
            for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
                if !isFirst { text += "," }
                isFirst = false
                write(name, to: &text)
                text += ":"
                write(value, to: &text)
            }
            text += "}"
        }
    }

    private static func text(of number: NSNumber) -> String {
        if let whole = Int64(exactly: number) { return "\(whole)" }
        if let whole = UInt64(exactly: number) { return "\(whole)" }
        return number.doubleValue.isFinite ? "\(number.doubleValue)" : "null"
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 32:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: digits.count == 1 ? 3 : 2) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// A place in the text of a document.
private struct JSONValueReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place >= bytes.count }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    func failure(_ reason: String) -> DeserializationError {
        DeserializationError(type: "JSON document", reason: "\(reason) at byte \(place)")
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            place &+= 1
        }
    }

    mutating func value(depth: Int) throws -> JSON {
        guard depth < JSONSyntax.deepest else { throw failure("too many levels") }
        switch next {
        case UInt8(ascii: "{"): return .dictionary(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .str(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: StaticString, _ json: JSON) throws -> JSON {
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[place...].starts(with: letters) else { throw failure("no value") }
        place &+= letters.count
        return json
    }

    /// Whether another element follows; reads the mark behind the present one.
    private mutating func goesOn(until end: UInt8) throws -> Bool {
        skipSpace()
        let mark = next
        guard mark == end || mark == UInt8(ascii: ",") else {
            throw failure("no end of an element")
        }
        place &+= 1
        return mark != end
    }

    /// Whether the list or object whose opening mark is next is empty; reads the mark, and then the
    /// closing one.
    private mutating func isEmpty(until end: UInt8) -> Bool {
        place &+= 1
        skipSpace()
        guard next == end else { return false }
        place &+= 1
        return true
    }

    private mutating func elements(depth: Int) throws -> [JSON] {
        var elements: [JSON] = []
        guard !isEmpty(until: UInt8(ascii: "]")) else { return elements }
        repeat {
            skipSpace()
            elements.append(try value(depth: depth &+ 1))
        } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    private mutating func members(depth: Int) throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        guard !isEmpty(until: UInt8(ascii: "}")) else { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("no name of a member") }
            let name = try string()
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw failure("no value of a member") }
            place &+= 1
            skipSpace()
            members[name] = try value(depth: depth &+ 1)
        } while try goesOn(until: UInt8(ascii: "}"))
        return members
    }

    private mutating func number() throws -> NSNumber {
        let start = place
        var isWhole = true
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"):
                isWhole = false
            default: return try number(from: start, isWhole: isWhole)
            }
            place &+= 1
        }
        return try number(from: start, isWhole: isWhole)
    }

    private func number(from start: Int, isWhole: Bool) throws -> NSNumber {
        let digits = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole {
            if let number = Int64(digits, radix: 10) { return NSNumber(value: number) }
            if let number = UInt64(digits, radix: 10) { return NSNumber(value: number) }
        }
        guard let number = Double(digits), number.isFinite else { throw failure("no value") }
        return NSNumber(value: number)
    }

    /// A text; `next` is its opening mark.
    private mutating func string() throws -> String {
        place &+= 1
        var start = place
        var text = ""
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                try append(from: start, to: &text)
                place &+= 1
                return text
            case UInt8(ascii: "\\"):
                try append(from: start, to: &text)
                place &+= 1
                text.unicodeScalars.append(try escaped())
                start = place
            case 0..<0x20: throw failure("a control character")
            default: place &+= 1
            }
        }
        throw failure("no end of a text")
    }

    private func append(from start: Int, to text: inout String) throws {
        guard start < place else { return }
        guard let part = String(validating: bytes[start..<place], as: UTF8.self) else {
            throw failure("no UTF-8")
        }
        text.append(part)
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        let mark = next
        place &+= 1
        switch mark {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try codePoint()
        default: throw failure("an unknown escape")
        }
    }

    /// A character by its number. Half of a pair without the other half is the replacement
    /// character.
    private mutating func codePoint() throws -> Unicode.Scalar {
        let first = try codeUnit()
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let back = place
        guard next == UInt8(ascii: "\\") else { return "\u{FFFD}" }
        place &+= 1
        guard next == UInt8(ascii: "u") else {
            place = back
            return "\u{FFFD}"
        }
        place &+= 1
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else {
            place = back
            return "\u{FFFD}"
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func codeUnit() throws -> UInt16 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("an escape without a number") }
        place &+= 4
        return unit
    }
}
