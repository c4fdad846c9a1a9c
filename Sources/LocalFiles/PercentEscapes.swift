// Bytes that a text has as a percent sign and two digits. Not responsible for writing them.

/// The text for which another one stands: `%` and two hexadecimal digits are a byte, a byte of
/// `signs` is another one. Nil if it is malformed, or no UTF-8.
package func unescaped(_ text: Substring, signs: [UInt8: UInt8]) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(signs[byte] ?? byte)
            continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
            let value = UInt8(digits, radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
