// The server: Dropbox, or one address that replaces all of Dropbox's hosts.

import DropboxAPI

/// A base URL that replaces all Dropbox hosts, checked so that no token travels unencrypted.
package struct Endpoint: Hashable, Sendable, Codable {
    /// The address without a slash at its end.
    package let address: String

    /// Parses the value of `DBXFS_ENDPOINT`.
    package init(parsing text: String) throws(CommandError) {
        let secure = "https://"
        let plain = "http://"
        let isSecure = text.hasPrefix(secure)
        guard isSecure || text.hasPrefix(plain) else { throw .badEndpoint(text) }
        var authority = text.dropFirst(isSecure ? secure.count : plain.count)
        while authority.hasSuffix("/") { authority.removeLast() }
        guard let host = Self.host(of: authority) else { throw .badEndpoint(text) }
        guard isSecure || Self.isLoopback(host) else { throw .insecureEndpoint(text) }
        address = "\(isSecure ? secure : plain)\(authority)"
    }

    /// The server, of which an address is one of several spellings. All hosts of Dropbox are one.
    package var server: String {
        let (scheme, port) =
            address.hasPrefix("https://") ? ("https://", ":443") : ("http://", ":80")
        var authority = address.dropFirst(scheme.count).lowercased()
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        let isDropbox = Self.dropboxDomains.contains {
            authority == $0 || authority.hasSuffix("." + $0)
        }
        return isDropbox ? Self.dropbox : "\(scheme)\(authority)"
    }

    /// The name of the server without an endpoint.
    static let dropbox = "Dropbox"
    private static let dropboxDomains = ["dropbox.com", "dropboxapi.com"]

    /// The host of `HOST[:PORT]` or `[ADDRESS][:PORT]`; nil if there is more, such as a path or a
    /// password, with which a hostile value could imitate another host.
    private static func host(of authority: Substring) -> Substring? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.startIndex...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        if let port {
            // `UInt16` accepts a sign.
            guard let number = UInt16(port, radix: 10), number > 0, !port.hasPrefix("+")
            else { return nil }
        }
        let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
        let isName = !host.isEmpty && host.allSatisfy { allowed.contains($0) }
        let isAddress =
            host.hasPrefix("[") && host.count > 2
            && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
        return isName || isAddress ? host : nil
    }

    /// Whether `HOST[:PORT]` names this machine.
    static func isLoopback(authority: String) -> Bool {
        host(of: authority.lowercased()[...]).map(isLoopback) ?? false
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        ServerURL.isLoopback(String(host.hasPrefix("[") ? host.dropFirst().dropLast() : host))
    }
}
