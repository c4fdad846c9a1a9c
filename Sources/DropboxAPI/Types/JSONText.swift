// JSON that is passed on as it is, for callers that know routes by name only. Checked, because it
// goes into headers and to parsers that may be less careful. Not responsible for its meaning.

import Saturating

/// A JSON document, without white space around its values. The coding of calls takes it for the
/// value that it stands for.
package struct JSONText: Codable, Hashable, Sendable {
    /// The document that stands for no value.
    package static let null = JSONText(unchecked: Array("null".utf8))

    /// The document, in UTF-8.
    package let bytes: [UInt8]

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes a document; nil unless it is JSON by RFC 8259, at most 500 levels deep.
    package init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = JSONTextReader(bytes)
        guard let compact = reader.read() else { return nil }
        self.bytes = compact
    }

    /// Takes a document; nil unless it is JSON.
    package init?(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The document as a string.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Fails: a decoder does not give its document away. Calls do not use it.
    package init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "JSON within JSON"))
    }

    /// Fails: an encoder does not take documents. Calls do not use it.
    package func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self, .init(codingPath: encoder.codingPath, debugDescription: "JSON within JSON"))
    }
}

/// Reads one document and leaves out its white space. It does not recurse: a document may be as
/// deep as its sender likes.
private struct JSONTextReader {
    private static let deepest = 500

    private enum Expected {
        case value
        case valueOrEnd
        case key
        case keyOrEnd
        case colon
        case commaOrEnd
        case end
    }

    private let source: [UInt8]
    private var place = 0
    private var compact: [UInt8] = []
    /// For each open bracket, whether it is an object's.
    private var isObject: [Bool] = []
    private var expected = Expected.value

    init(_ source: [UInt8]) {
        self.source = source
        compact.reserveCapacity(source.count)
    }

    /// The document without white space; nil unless it is one.
    mutating func read() -> [UInt8]? {
        while true {
            skipSpace()
            guard let byte = next else { return expected == .end ? compact : nil }
            guard readToken(byte) else { return nil }
        }
    }

    private var next: UInt8? { place < source.count ? source[place] : nil }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: place &+= 1
            default: return
            }
        }
    }

    private mutating func take() {
        guard let byte = next else { return }
        compact.append(byte)
        place &+= 1
    }

    private mutating func readToken(_ byte: UInt8) -> Bool {
        switch (expected, byte) {
        case (.valueOrEnd, UInt8(ascii: "]")), (.keyOrEnd, UInt8(ascii: "}")): return close()
        case (.value, _), (.valueOrEnd, _): return readValue(byte)
        case (.key, UInt8(ascii: "\"")), (.keyOrEnd, UInt8(ascii: "\"")):
            expected = .colon
            return readString()
        case (.colon, UInt8(ascii: ":")):
            expected = .value
            take()
            return true
        case (.commaOrEnd, UInt8(ascii: ",")):
            expected = isObject.last == true ? .key : .value
            take()
            return true
        case (.commaOrEnd, UInt8(ascii: "]")): return isObject.last == false && close()
        case (.commaOrEnd, UInt8(ascii: "}")): return isObject.last == true && close()
        default: return false
        }
    }

    private mutating func close() -> Bool {
        isObject.removeLast()
        ended()
        take()
        return true
    }

    private mutating func ended() {
        expected = isObject.isEmpty ? .end : .commaOrEnd
    }

    private mutating func readValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard isObject.count < Self.deepest else { return false }
            let opensObject = byte == UInt8(ascii: "{")
            isObject.append(opensObject)
            expected = opensObject ? .keyOrEnd : .valueOrEnd
            take()
            return true
        case UInt8(ascii: "\""):
            ended()
            return readString()
        case UInt8(ascii: "t"): return readWord("true")
        case UInt8(ascii: "f"): return readWord("false")
        case UInt8(ascii: "n"): return readWord("null")
        default: return readNumber()
        }
    }

    private mutating func readWord(_ word: StaticString) -> Bool {
        ended()
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for byte in bytes {
            guard next == byte else { return false }
            take()
        }
        return true
    }

    private mutating func readNumber() -> Bool {
        ended()
        if next == UInt8(ascii: "-") { take() }
        let startsWithZero = next == UInt8(ascii: "0")
        let digits = takeDigits()
        guard digits > 0, !startsWithZero || digits == 1 else { return false }
        if next == UInt8(ascii: ".") {
            take()
            guard takeDigits() > 0 else { return false }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            take()
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { take() }
            guard takeDigits() > 0 else { return false }
        }
        return true
    }

    private mutating func takeDigits() -> Int {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { take() }
        return place &- start
    }

    private mutating func readString() -> Bool {
        take()
        while let byte = next {
            take()
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard readEscape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func readEscape() -> Bool {
        guard let byte = next else { return false }
        take()
        guard byte == UInt8(ascii: "u") else {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                return true
            default: return false
            }
        }
        for _ in 0..<4 {
            guard let digit = next, Character(Unicode.Scalar(digit)).isHexDigit else {
                return false
            }
            take()
        }
        return true
    }
}
