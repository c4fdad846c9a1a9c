// Which hosts are reached through a proxy, and through which. Not responsible for talking to it.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import CLibrary
    import DropboxAPI
    import Essentials
    import Saturating

    /// A proxy, and the hosts that are reached without it.
    struct ProxyRule: Sendable {
        /// Nil when all hosts are reached directly.
        let proxy: HTTPClient.Configuration.Proxy?
        private let exceptions: [String]

        /// Throws `invalidRequest` for a proxy that async-http-client cannot talk to.
        init(
            _ setting: ProxySetting, environment: (String) -> String?
        ) throws(TransportError) {
            switch setting {
            case .proxy(let proxy):
                self.proxy = try Self.proxy(proxy.url)
                exceptions = proxy.exceptions
            case .environment:
                // As libcurl reads them; http is for this machine only, which is reached without a
                // proxy.
                let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
                let address = names.lazy.compactMap(environment).first
                proxy = try address.map { (url) throws(TransportError) in
                    try Self.proxy(url.contains("://") ? url : "http://\(url)")
                }
                let list = environment("no_proxy") ?? environment("NO_PROXY") ?? ""
                exceptions = list.split { $0 == "," || $0 == " " }.map(String.init)
            default:
                proxy = nil
                exceptions = []
            }
        }

        /// Whether a server is reached through the proxy.
        func holds(for url: ServerURL) -> Bool {
            // A proxy on another machine would resolve loopback to itself.
            proxy != nil && !ServerURL.isLoopback(url.host)
                && !exceptions.contains { Self.matches(url.host, $0) }
        }

        private static func proxy(
            _ url: String
        ) throws(TransportError) -> HTTPClient.Configuration.Proxy {
            guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty
            else { throw unusable("has no valid address") }
            let port = parts.port ?? 1080
            switch parts.scheme?.lowercased() {
            case "http":
                guard let user = parts.user else { return .server(host: host, port: port) }
                return .server(
                    host: host, port: port,
                    authorization: .basic(username: user, password: parts.password ?? ""))
            case "socks5", "socks5h":
                guard parts.user == nil else {
                    throw unusable("wants a user, which async-http-client cannot give by SOCKS")
                }
                return .socksServer(host: host, port: port)
            default:
                throw unusable("is not one of http, socks5 and socks5h, as async-http-client needs")
            }
        }

        /// The address may contain a password, so the message does not quote it.
        private static func unusable(_ why: String) -> TransportError {
            TransportError(
                kind: .invalidRequest, message: "the proxy \(why)", mayHaveBeenReceived: false)
        }

        /// Whether an exception names a host: by a name, which includes its subdomains, an address,
        /// a network, or `*`.
        static func matches(_ host: String, _ exception: String) -> Bool {
            if exception == "*" { return true }
            let host = host.lowercased()
            let parts = exception.split(separator: "/", maxSplits: 1)
            if let network = parts.first.flatMap(bytes(ofAddress:)) {
                guard let address = bytes(ofAddress: host[...]), address.count == network.count
                else { return false }
                let all = address.count *| 8
                let length = parts.count == 2 ? Int(parts[1], radix: 10) ?? all : all
                return (0..<max(0, min(length, all))).allSatisfy { bit in
                    let mask = UInt8(0x80) >> UInt8(truncatingIfNeeded: bit.remainder(by: 8))
                    let index = bit.divided(by: 8)
                    return address[index] & mask == network[index] & mask
                }
            }
            let name = exception.lowercased().drop { $0 == "." }
            return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
        }

        /// The bytes of an address of IPv4 or IPv6; nil for a name.
        private static func bytes(ofAddress text: Substring) -> [UInt8]? {
            for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
                var bytes = [UInt8](repeating: 0, count: count)
                if inet_pton(family, String(text), &bytes) == 1 { return bytes }
            }
            return nil
        }
    }
#endif
