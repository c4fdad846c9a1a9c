// What a browser says when Dropbox sends it back here: one GET of one address. Everything else is told
// off. Pure decisions; sockets are `LoopbackListener`'s.

import PrivateFiles

/// How the user has answered on Dropbox's page.
public enum RedirectAnswer: Hashable, Sendable, CustomReflectable {
    /// Yes; the code is good for one exchange.
    case code(String)
    /// No, or Dropbox found something wrong.
    case refused(String)

    /// Never the code.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reading of requests during one login.
struct LoopbackRequest {
    /// What comes of a request.
    enum Outcome: Hashable {
        /// The login's answer.
        case answer(RedirectAnswer)
        /// Nothing that ends the login: a status of 4xx.
        case rejected(Int)
    }

    /// Bytes that a request may have, up to its empty line. Addresses of codes have a few hundred, and
    /// browsers add one or two thousand.
    static let limit = 16384
    /// The most characters of a code that are believed.
    private static let codeLimit = 2048

    /// What ties the browser's answer to this login.
    let state: String
    /// The port that the browser was sent to.
    let port: UInt16

    /// Reads a request's head, without the empty line at its end.
    func outcome(of head: [UInt8]) -> Outcome {
        let isText = head.allSatisfy {
            (0x20...0x7e).contains($0) || $0 == 13 || $0 == 10 || $0 == 9
        }
        guard isText else { return .rejected(400) }
        let lines = Self.lines(of: String(decoding: head, as: UTF8.self))
        guard let first = lines.first, !lines.contains(where: { $0.contains(where: \.isNewline) })
        else { return .rejected(400) }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            return .rejected(400)
        }
        guard let hosts = Self.hosts(lines.dropFirst()) else { return .rejected(400) }
        // A page of a stranger whose name leads to this machine sends its own name here.
        guard hosts == ["localhost:\(port)"] || hosts == ["127.0.0.1:\(port)"] else {
            return .rejected(403)
        }
        guard words[0] == "GET" else { return .rejected(405) }
        let address = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard address[0] == "/" else { return .rejected(404) }
        guard let fields = Self.fields(address.count == 2 ? address[1] : "") else {
            return .rejected(400)
        }
        guard let given = fields["state"], Self.isEqual(given, state) else { return .rejected(403) }
        return Self.answer(fields)
    }

    private static func answer(_ fields: [String: String]) -> Outcome {
        if let error = fields["error"] {
            // It is shown on a terminal, where control characters would do as they like.
            let text = (fields["error_description"] ?? error).unicodeScalars
                .filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
            return .answer(.refused(String(String.UnicodeScalarView(text.prefix(200)))))
        }
        guard let code = fields["code"], PrivateFile.isSecret(code), code.utf8.count <= codeLimit
        else { return .rejected(400) }
        return .answer(.code(code))
    }

    // MARK: Parts

    /// The lines, each ended by CR and LF.
    private static func lines(of text: String) -> [Substring] {
        // Swift takes CR LF for one character.
        text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
    }

    /// The values of all `Host` headers, in small letters; nil when a header is none.
    private static func hosts(_ headers: ArraySlice<Substring>) -> [String]? {
        var hosts: [String] = []
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first, !name.isEmpty,
                !name.contains(where: \.isWhitespace)
            else { return nil }
            guard name.lowercased() == "host" else { continue }
            var value = parts[1]
            while value.first?.isWhitespace == true { value.removeFirst() }
            while value.last?.isWhitespace == true { value.removeLast() }
            hosts.append(value.lowercased())
        }
        return hosts
    }

    /// The fields of a query; nil when it is malformed or names one twice.
    private static func fields(_ query: Substring) -> [String: String]? {
        var fields: [String: String] = [:]
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = unescaped(parts[0]), let value = unescaped(parts[1]),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                    let value = UInt8(digits, radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Compares in a time that does not tell how much is right.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
