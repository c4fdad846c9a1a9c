// The place at which a mount's metrics can be scraped, as `-o metrics=` has it.

import Glibc

/// A place at which metrics are served.
package enum MetricsAddress: Hashable, Sendable, Codable {
    /// A port that only this machine reaches.
    case loopback(port: UInt16)
    /// A port of one address, in numbers, or of all addresses.
    case address(String, port: UInt16)
    /// A Unix socket, by its absolute path.
    case socket(String)

    /// Reads `PORT`, `localhost:PORT`, `ADDRESS:PORT`, `[ADDRESS]:PORT`, a path from the root on,
    /// or `unix:` and such a path. Names of hosts are none: to find their addresses takes a
    /// network.
    init?(_ text: String) {
        let prefix = "unix:"
        let path = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let slash = UInt8(ascii: "/")
        if path.utf8.first == slash {
            guard path.utf8.last != slash, !path.utf8.contains(0) else { return nil }
            self = .socket(String(path))
            return
        }
        // Behind the last colon: an address of IPv6 has colons, too.
        let colon = text.lastIndex(of: ":")
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits, radix: 10), port > 0
        else { return nil }
        guard let colon else {
            self = .loopback(port: port)
            return
        }
        let host = text[..<colon]
        if host == "localhost" {
            self = .loopback(port: port)
        } else if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
            let address = String(host.dropFirst().dropLast())
            var numbers = in6_addr()
            guard inet_pton(AF_INET6, address, &numbers) == 1 else { return nil }
            self = .address(address, port: port)
        } else {
            var numbers = in_addr()
            guard inet_pton(AF_INET, String(host), &numbers) == 1 else { return nil }
            self = .address(String(host), port: port)
        }
    }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool {
        switch self {
        case .loopback, .socket: true
        case .address(let address, _): address.hasPrefix("127.") || address == "::1"
        }
    }

    /// The address as users write it.
    package var text: String {
        switch self {
        case .loopback(let port): "localhost:\(port)"
        case .address(let address, let port):
            address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .socket(let path): path
        }
    }
}
