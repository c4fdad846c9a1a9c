// Detects requests from a web page in a browser on this machine. The emulator does not protect its
// data, but such a page must not reach it through the browser: by a DNS name of the page's owner
// that resolves to loopback (DNS rebinding), or by a form.

import HTTPTypes
import Hummingbird

/// Checks a request's origin before it is processed.
enum VisitorCheck {
    /// Hosts of clients that cannot be configured with another address and are redirected here by a
    /// proxy. A page cannot make these names resolve to this machine, because its owner does not
    /// own them.
    private static let dropboxHosts: Set = [
        "api.dropboxapi.com", "content.dropboxapi.com", "notify.dropboxapi.com", "www.dropbox.com",
    ]

    /// The reason for refusing a request; nil if it is allowed.
    static func refusal(_ request: Request) -> String? {
        guard let authority = request.head.authority?.lowercased(),
            isLoopback(authority) || dropboxHosts.contains(authority)
        else {
            return "The Host of a request has to be a loopback address or a Dropbox host."
        }
        let isReading = [.get, .head, .options].contains(request.method)
        guard !isReading, let origin = request.headers[.origin] else { return nil }
        return origin.lowercased() == "http://" + authority
            ? nil : "A page of another origin may not change anything."
    }

    /// Whether `HOST[:PORT]` names this machine.
    static func isLoopback(_ authority: String) -> Bool {
        var host = authority[...]
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard UInt16(authority[authority.index(after: colon)...]) != nil else { return false }
            host = authority[..<colon]
        }
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil }
    }
}
