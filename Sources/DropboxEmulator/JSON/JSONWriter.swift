// Writes `JSONValue` as text: UTF-8 for bodies, pure ASCII for the `Dropbox-API-Result` header.

/// Which characters a JSON text may contain unescaped.
enum JSONCharacters {
    /// Everything that JSON allows: for bodies.
    case unicode
    /// Printable ASCII only: a header cannot hold anything else.
    case ascii
}

extension JSONValue {
    /// This value as JSON text.
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
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output.append(contentsOf: "\\\"".utf8)
            case "\\": output.append(contentsOf: "\\\\".utf8)
            case "\n": output.append(contentsOf: "\\n".utf8)
            case "\r": output.append(contentsOf: "\\r".utf8)
            case "\t": output.append(contentsOf: "\\t".utf8)
            default:
                if scalar.value < 0x20 || (scalar.value >= 0x7F && characters == .ascii) {
                    for unit in String(scalar).utf16 { escape(unit, to: &output) }
                } else {
                    output.append(contentsOf: UTF8.encode(scalar) ?? [])
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(_ unit: UInt16, to output: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        output.append(contentsOf: "\\u".utf8)
        output.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
        output.append(contentsOf: digits.utf8)
    }
}
