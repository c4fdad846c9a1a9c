// Proof Key for Code Exchange, RFC 7636: a secret that never leaves this machine until the code of
// the browser is exchanged. Not responsible for browsers or servers.

import Crypto
import Foundation

/// The verifier of one login and the challenge made from it.
public struct PKCE: Hashable, Sendable {
    /// The secret: 43 to 128 characters, to be sent with the code.
    public let verifier: String

    /// A new, random verifier of 64 characters.
    public init() {
        var generator = SystemRandomNumberGenerator()
        // 48 bytes are 64 characters of base64, far more than can be guessed.
        let bytes = (0..<48).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        verifier = Self.base64URL(bytes)
    }

    /// Takes over a verifier; nil unless it has the length and characters that the RFC asks for.
    public init?(verifier: String) {
        let isAllowed = { (byte: UInt8) in FormEncoding.isUnreserved(byte) }
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(isAllowed) else {
            return nil
        }
        self.verifier = verifier
    }

    /// What is sent with the browser: SHA-256 of the verifier, method `S256`.
    public var challenge: String {
        Self.base64URL(Array(SHA256.hash(data: Array(verifier.utf8))))
    }

    /// A random text that ties the browser's answer to this login.
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

/// `application/x-www-form-urlencoded`, and queries of URLs.
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
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that `escape` made this of; nil when it cannot be one.
    static func unescape(_ text: some StringProtocol) -> String? {
        text.removingPercentEncoding
    }
}
