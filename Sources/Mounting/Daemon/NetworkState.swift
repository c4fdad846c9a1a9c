// The network as this machine sees it: its addresses and its default routes. Pure, but for reading
// the kernel's tables. Not responsible for noticing a change (`NetworkWatch`).

import Glibc
import LocalIO
import Saturating

/// Addresses and default routes at one moment.
package struct NetworkState: Hashable, Sendable {
    /// All addresses of links that are up, those of the loopback among them, as libcurl writes
    /// them.
    package var addresses: Set<String>
    /// The default routes, each as its interface and its gateway.
    package var routes: Set<String>

    /// Memberwise and without defaults.
    package init(addresses: Set<String>, routes: Set<String>) {
        self.addresses = addresses
        self.routes = routes
    }

    /// Whether a connection that was made in the other state may be dead. Addresses that lead
    /// nowhere else, as those of new containers' links, change nothing.
    package func differs(from other: NetworkState) -> Bool {
        routes != other.routes || Self.routable(addresses) != Self.routable(other.addresses)
    }

    private static func routable(_ addresses: Set<String>) -> Set<String> {
        addresses.filter { !$0.hasPrefix("fe80:") && !$0.hasPrefix("169.254.") }
    }

    // MARK: The kernel's tables

    /// The present state; what cannot be read is empty.
    package static var current: NetworkState {
        let (old, new) = (
            try? readText("/proc/net/route"), try? readText("/proc/net/ipv6_route")
        )
        return NetworkState(
            addresses: presentAddresses,
            routes: defaultRoutes(in: old ?? "").union(defaultRoutes6(in: new ?? "")))
    }

    /// The flag of a link that is up, IFF_UP of netdevice(7).
    private static let isUp: UInt32 = 1

    private static var presentAddresses: Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: Set<String> = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & Self.isUp != 0, let address = entry.ifa_addr
            else { continue }
            if let text = written(address) { found.insert(text) }
        }
        return found
    }

    private static func written(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(clamping: INET6_ADDRSTRLEN))
        let (family, size) = (
            Int32(clamping: address.pointee.sa_family), socklen_t(clamping: buffer.count)
        )
        let raw = UnsafeRawPointer(address)
        switch family {
        case AF_INET:
            var number = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            guard inet_ntop(family, &number, &buffer, size) != nil else { return nil }
        case AF_INET6:
            var number = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            guard inet_ntop(family, &number, &buffer, size) != nil else { return nil }
        default: return nil
        }
        return LocalIO.text(of: buffer)
    }

    /// The default routes in the form of `/proc/net/route`: interface, destination, gateway.
    static func defaultRoutes(in table: String) -> Set<String> {
        routes(in: table) { fields in
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else {
                return nil
            }
            return "\(fields[0]) \(fields[2])"
        }
    }

    /// The default routes in the form of `/proc/net/ipv6_route`: destination, its length, …, next
    /// hop, …, interface.
    static func defaultRoutes6(in table: String) -> Set<String> {
        routes(in: table) { fields in
            guard fields.count > 9, fields[1] == "00", fields[9] != "lo",
                fields[0].utf8.allSatisfy({ $0 == UInt8(ascii: "0") })
            else { return nil }
            return "\(fields[9]) \(fields[4])"
        }
    }

    private static func routes(
        in table: String, _ route: ([Substring]) -> String?
    ) -> Set<String> {
        Set(
            table.split(separator: "\n").compactMap { line in
                route(line.split { $0 == " " || $0 == "\t" })
            })
    }
}

/// The machine's sleep, by two clocks of which one stands still in it.
package struct SleepClock: Sendable {
    private var offset: Int64

    /// Begins with the present difference of the clocks.
    package init() {
        self.init(offset: Self.presentOffset)
    }

    init(offset: Int64) {
        self.offset = offset
    }

    /// Seconds for which the machine has slept since the last call.
    package mutating func slept() -> Int64 { slept(offset: Self.presentOffset) }

    mutating func slept(offset now: Int64) -> Int64 {
        defer { offset = now }
        return max(0, now -| offset)
    }

    /// The difference of CLOCK_BOOTTIME, which goes on in a suspend, and CLOCK_MONOTONIC, in
    /// seconds.
    private static var presentOffset: Int64 {
        var (whole, awake) = (timespec(), timespec())
        clock_gettime(CLOCK_MONOTONIC, &awake)
        clock_gettime(CLOCK_BOOTTIME, &whole)
        let nanoseconds =
            (Int64(clamping: whole.tv_sec) -| Int64(clamping: awake.tv_sec)) *| 1_000_000_000
            +| (Int64(clamping: whole.tv_nsec) -| Int64(clamping: awake.tv_nsec))
        return nanoseconds / 1_000_000_000
    }
}
