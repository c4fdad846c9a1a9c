// The requests of a browser during a login: one GET before it is redirected to Dropbox, and one
// when it returns. All others are rejected. Pure decisions; `LoopbackListener` has the sockets.

import DropboxAPI
import LocalFiles

/// The user's answer on Dropbox's page.
package enum RedirectAnswer: Hashable, Sendable, CustomReflectable {
    /// Granted; the code is good for one exchange.
    case code(String)
    /// Denied, or an error of Dropbox.
    case refused(String)
    /// The app lacks a permission that was asked for.
    case scopesRefused(String)
    /// An entrance was used twice, by different programs: either may be an attacker's.
    case contested

    /// A mirror without the code.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Binds one login to one browser.
///
/// Every user of the machine sees the arguments of all programs. If Dropbox's address with its
/// `state` were an argument, another user could answer this login with an account of their own. So
/// a browser gets the address of an entrance here, which works once, and brings back the cookie
/// that it gets there.
package struct LoopbackLogin: Sendable, CustomReflectable {
    /// An entrance: an address for one browser.
    package struct Entrance: Sendable, CustomReflectable {
        let nonce = PKCE.randomState()
        let cookie = PKCE.randomState()
        /// Whether other users may have seen the address.
        let isSeen: Bool

        /// A mirror without the secrets.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The entrance for the program that opens addresses.
    package let opened = Entrance(isSeen: true)
    /// The entrance for the terminal.
    package let printed = Entrance(isSeen: false)
    let state: String
    let page: String

    /// A mirror without the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Creates a login that redirects to Dropbox's `page` and expects `state` back.
    package init(state: String, page: String) {
        self.state = state
        self.page = page
    }
}

/// Interprets requests during one login.
struct LoopbackRequest {
    /// The outcome of a request.
    enum Outcome: Hashable {
        /// The browser has returned with the answer.
        case answer(RedirectAnswer)
        /// An error of 4xx, which does not end the login.
        case rejected(Int)
        /// The browser is redirected to Dropbox, with a cookie.
        case forwarded(to: String, cookie: String)
    }

    /// Maximum length of a code.
    private static let codeLimit = 2048

    /// The login that requests must match.
    let login: LoopbackLogin
    /// The port of the listener.
    let port: UInt16
    /// The entrances that were used.
    private var used: [LoopbackLogin.Entrance] = []

    init(login: LoopbackLogin, port: UInt16) {
        self.login = login
        self.port = port
    }

    /// The cookie's name; it contains the port, because browsers share cookies between all ports of
    /// a host.
    static func cookieName(_ port: UInt16) -> String { "dbxfs-login-\(port)" }

    /// Interprets a request's head, without the empty line at its end. `isOwn` returns whether it
    /// comes from a program of this user.
    mutating func outcome(of head: [UInt8], isOwn: () -> Bool) -> Outcome {
        guard let head = HTTPHead(head) else { return .rejected(400) }
        let hosts = head.values(of: "host").map { $0.lowercased() }
        // DNS rebinding: a foreign page whose name resolves to this machine sends its own name
        // here.
        guard hosts == ["localhost:\(port)"] || hosts == ["127.0.0.1:\(port)"] else {
            return .rejected(403)
        }
        guard head.method == "GET" else { return .rejected(405) }
        let address = head.target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let cookies = cookies(head)
        for entrance in [login.opened, login.printed]
        where address.count == 1 && Self.isEqual(String(address[0]), "/" + entrance.nonce) {
            return enter(entrance, cookies, isOwn)
        }
        guard address[0] == "/" else { return .rejected(404) }
        guard let fields = Self.fields(address.count == 2 ? address[1] : "") else {
            return .rejected(400)
        }
        guard let given = fields["state"], Self.isEqual(given, login.state),
            used.contains(where: { Self.isAmong(cookies, $0.cookie) })
        else { return .rejected(403) }
        return Self.answer(fields)
    }

    /// Handles a browser's first request. The same browser may reload the address, no other program
    /// may.
    private mutating func enter(
        _ entrance: LoopbackLogin.Entrance, _ cookies: [String], _ isOwn: () -> Bool
    ) -> Outcome {
        // The address was an argument, so a program of another user could be faster than the
        // browser.
        guard !entrance.isSeen || isOwn() else { return .rejected(403) }
        if used.contains(where: { $0.nonce == entrance.nonce }) {
            guard Self.isAmong(cookies, entrance.cookie) else { return .answer(.contested) }
        } else {
            used.append(entrance)
        }
        return .forwarded(to: login.page, cookie: entrance.cookie)
    }

    /// The values of the cookie: programs on other ports may have set it, too.
    private func cookies(_ head: HTTPHead) -> [String] {
        let prefix = Self.cookieName(port) + "="
        return head.values(of: "cookie")
            .flatMap { $0.split(separator: ";") }
            .map { $0.drop(while: \.isWhitespace) }
            .filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.utf8.count)) }
    }

    private static func isAmong(_ cookies: [String], _ cookie: String) -> Bool {
        cookies.contains { isEqual($0, cookie) }
    }

    private static func answer(_ fields: [String: String]) -> Outcome {
        if let error = fields["error"] {
            // Shown on a terminal, which control characters would control.
            let text = (fields["error_description"] ?? error).unicodeScalars
                .filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
            let detail = String(String.UnicodeScalarView(text.prefix(200)))
            // RFC 6749, 4.1.2.1.
            return .answer(error == "invalid_scope" ? .scopesRefused(detail) : .refused(detail))
        }
        guard let code = fields["code"], PrivateFile.isSecret(code), code.utf8.count <= codeLimit
        else { return .rejected(400) }
        return .answer(.code(code))
    }

    // MARK: Parts

    /// The fields of a query; nil if it is malformed or repeats a name.
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
        LocalFiles.unescaped(text, signs: [UInt8(ascii: "+"): UInt8(ascii: " ")])
    }

    /// Compares in constant time.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
