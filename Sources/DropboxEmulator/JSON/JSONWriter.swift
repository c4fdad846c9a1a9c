// Writes `JSONValue` as text: UTF-8 for bodies, pure ASCII for the `Dropbox-API-Result` header.

/// The characters that a JSON text may contain unescaped.
enum JSONCharacters {
    /// Every character that JSON allows: for bodies.
    case unicode
    /// Printable ASCII only, as headers demand.
    case ascii
}

extension JSONValue {
    func text(_ characters: JSONCharacters = .unicode) -> String {
        String(decoding: utf8(characters), as: UTF8.self)
    }

    /// This value as the bytes of a JSON text.
    func utf8(_ characters: JSONCharacters = .unicode) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, characters)
        return output
    }

    private func write(to output: inout [UInt8], _ characters: JSONCharacters) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .boolean(let truth): output.append(contentsOf: (truth ? "true" : "false").utf8)
        case .integer(let number): output.append(contentsOf: String(number).utf8)
        case .float(let number): output.append(contentsOf: String(number).utf8)
        case .string(let text): Self.write(text, to: &output, characters)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(contentsOf: ", ".utf8) }
                element.write(to: &output, characters)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(contentsOf: ", ".utf8) }
                Self.write(member.name, to: &output, characters)
                output.append(contentsOf: ": ".utf8)
                member.value.write(to: &output, characters)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(
        _ text: String, to output: inout [UInt8], _ characters: JSONCharacters
    ) {
        output.append(UInt8(ascii: "\""))
        switch characters {
        case .unicode:
            for byte in text.utf8 { write(byte, to: &output) }
        case .ascii:
            for unit in text.utf16 {
                if unit < 0x7F {
                    write(UInt8(unit), to: &output)
                } else {
                    escape(unit, to: &output)
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func write(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): output.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): output.append(contentsOf: #"\\"#.utf8)
        case UInt8(ascii: "\n"): output.append(contentsOf: #"\n"#.utf8)
        case UInt8(ascii: "\r"): output.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\t"): output.append(contentsOf: #"\t"#.utf8)
        case 0..<0x20: escape(UInt16(byte), to: &output)
        default: output.append(byte)
        }
    }

    private static func escape(_ unit: UInt16, to output: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        output.append(contentsOf: "\\u".utf8)
        output.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
        output.append(contentsOf: digits.utf8)
    }
}
