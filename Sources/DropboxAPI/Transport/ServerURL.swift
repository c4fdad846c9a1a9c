// Which servers are allowed, and how: TLS everywhere but on loopback.

/// The base URL of a server, checked.
package struct ServerURL: Hashable, Sendable {
    /// The URL without a trailing slash.
    let base: String
    /// The host, without brackets and port.
    package let host: String
    /// True for the https scheme.
    package let isEncrypted: Bool

    /// Checks the scheme and host of any URL.
    package init(base url: String) throws(TransportError) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://")
        else { throw Self.invalid(url, "is not a URL") }
        let authority = url[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        guard !authority.contains("@"), let host = Self.host(of: authority) else {
            throw Self.invalid(url, "has no valid host")
        }
        switch url[..<colon].lowercased() {
        case "https": isEncrypted = true
        case "http" where Self.isLoopback(host): isEncrypted = false
        case "http": throw Self.invalid(url, "must use https: only loopback may use http")
        default: throw Self.invalid(url, "must use https")
        }
        self.host = host
        base = String(url.hasSuffix("/") ? url.dropLast() : url[...])
    }

    private static func host(of authority: Substring) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : host.lowercased()
    }

    /// Names and addresses of the loopback interface.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0, radix: 10) != nil }
    }

    private static func invalid(_ url: String, _ why: String) -> TransportError {
        TransportError(
            kind: .invalidRequest, message: "the address '\(url.prefix(200))' \(why)",
            mayHaveBeenReceived: false)
    }
}
