// Proof Key for Code Exchange, RFC 7636: a secret that stays on this machine until the browser's
// code is exchanged. Not responsible for browsers or servers.

import ContentHashing
import Essentials

/// The verifier of one login and its challenge.
public struct PKCE: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret verifier: 43 to 128 characters, sent with the code.
    public let verifier: String

    /// A new, random verifier of 64 characters.
    public init() {
        var generator = SystemRandomNumberGenerator()
        // 48 random bytes, 64 characters of base64: far too many to guess.
        let bytes = (0..<48).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        verifier = Self.base64URL(bytes)
    }

    /// Takes a verifier; nil unless it has the length and characters that the RFC demands.
    public init?(verifier: String) {
        let isAllowed = { (byte: UInt8) in FormEncoding.isUnreserved(byte) }
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(isAllowed) else {
            return nil
        }
        self.verifier = verifier
    }

    /// The challenge for the authorization page: SHA-256 of the verifier, method `S256`.
    public var challenge: String {
        Self.base64URL(SHA256.hash(Array(verifier.utf8)))
    }

    /// A fixed text without the verifier.
    public var description: String { "<verifier of a login>" }
    /// A mirror without the verifier.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// A random state parameter that ties the browser's response to this login.
    public static func randomState() -> String {
        String(PKCE().verifier.prefix(32))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }
}

/// Encodes `application/x-www-form-urlencoded` bodies and URL queries.
enum FormEncoding {
    static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(escape($0))=\(escape($1))" }.joined(separator: "&")
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(clamping: byte >> 4)])
                bytes.append(digits[Int(clamping: byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The fields of an address behind its question mark, or of a query alone; the first of each
    /// name.
    static func fields(ofAddress address: String) -> [String: String] {
        let start = address.firstIndex(of: "?").map { address.index(after: $0) }
        let query = address[(start ?? address.startIndex)...].prefix { $0 != "#" }
        var fields: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { unescape(String($0.map { $0 == "+" ? " " : $0 })) }
            guard let name = texts[0], fields[name] == nil else { continue }
            fields[name] = texts.count > 1 ? texts[1] : ""
        }
        return fields
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8(clamping: $0) }
    }

    /// Reverses `escape`; nil for an invalid escape, and for bytes that are no text.
    static func unescape(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue),
                let low = rest.popFirst().flatMap(hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
