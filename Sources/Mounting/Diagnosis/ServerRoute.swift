// The network route to the server, as seen by one request. Facts in, findings out.

import DropboxAPI
package import Foundation
import Saturating

/// The route to the server, and the server's clock.
package struct ServerRoute: Hashable, Sendable {
    /// Host name of the server.
    package var server: String
    /// The proxy in between, without its password.
    package var proxy: String?
    /// Seconds from a request to its response.
    package var latency: Double?
    /// Seconds by which this machine's clock is ahead of the server's.
    package var clockLead: Double?

    /// Creates a route without a request.
    package init(server: String, proxy: String?) {
        self.server = server
        self.proxy = proxy
    }

    /// The proxy that libcurl takes from the environment for an address; nil for none.
    package static func proxy(for address: String, variables: [String: String]) -> String? {
        let isSecure = address.hasPrefix("https:")
        // libcurl knows http_proxy in lower case only: upper case could be a header of a CGI
        // request.
        let names =
            isSecure
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            : ["http_proxy", "all_proxy", "ALL_PROXY"]
        let found = names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        guard var proxy = found?[...], !isDirect(address, variables) else { return nil }
        // The part before the @ is a user name and a password.
        if let at = proxy.lastIndex(of: "@") {
            let scheme = proxy.range(of: "://").map { proxy[..<$0.upperBound] } ?? ""
            proxy = "\(scheme)\(proxy[proxy.index(after: at)...])"
        }
        return String(proxy)
    }

    /// Whether libcurl reaches an address without a proxy by `no_proxy`: names include those below
    /// them, numeric addresses are themselves only.
    private static func isDirect(_ address: String, _ variables: [String: String]) -> Bool {
        let list = ["no_proxy", "NO_PROXY"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        guard let list, let host = try? ServerURL(base: address).host else { return false }
        if list == "*" { return true }
        let isNumeric = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        return list.lowercased().split { $0 == "," || $0.isWhitespace }.contains { entry in
            if isNumeric { return host == entry.filter { $0 != "[" && $0 != "]" } }
            let name = entry.drop { $0 == "." }
            return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
        }
    }

    /// Parses a `Date` header in the form that RFC 9110 requires of servers.
    package static func moment(of header: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: header)
    }

    /// Seconds of clock difference that are not reported.
    private static let tolerance = 60.0

    var proxyNote: String { proxy.map { " (by way of the proxy \($0))" } ?? "" }

    var summary: String {
        let time = latency.map { " in \(Int(clamping: ($0 * 1e3).rounded())) ms" } ?? ""
        return "\(server) answers\(time)\(proxyNote)"
    }

    func clockFindings(_ account: String) -> [Finding] {
        guard let clockLead else { return [] }
        let seconds = Int(clamping: clockLead.magnitude.rounded())
        guard clockLead.magnitude > Self.tolerance else {
            return [
                Finding("clock", about: account, .ok, "within \(max(seconds, 1)) s of the server's")
            ]
        }
        return [
            Finding(
                "clock", about: account, .warning,
                "\(seconds) s \(clockLead > 0 ? "ahead of" : "behind") the server's: set it, "
                    + "timedatectl set-ntp true; times of files and logins depend on it")
        ]
    }
}
