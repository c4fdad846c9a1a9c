// The owner of the peer's socket of a loopback connection, from the kernel's socket table.
// `LoopbackRequest` decides the consequence.

import Glibc
import LocalIO
import Saturating

/// The peer of a connection over loopback.
enum LoopbackPeer {
    /// Whether the peer belongs to this user or to root. A closed socket no longer has an owner in
    /// the table, and does not count.
    static func isOwn(_ descriptor: Int32) -> Bool {
        guard let ends = ends(of: descriptor) else { return false }
        return ends.contains { local, remote, table in
            let owner = (try? readText(table)).flatMap {
                Self.owner(local: local, remote: remote, table: $0)
            }
            return owner == geteuid() || owner == 0
        }
    }

    /// The user of the established socket with these ends in the text of /proc/net/tcp or tcp6.
    static func owner(local: String, remote: String, table: String) -> uid_t? {
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 7, fields[1] == local, fields[2] == remote, fields[3] == "01"
            else { continue }
            return uid_t(fields[7], radix: 10)
        }
        return nil
    }

    /// The peer's socket as the tables name it: its own address first.
    private static func ends(of descriptor: Int32) -> [(String, String, String)]? {
        guard let peer = address(of: descriptor, getpeername),
            let own = address(of: descriptor, getsockname)
        else { return nil }
        guard peer.count == 1 else { return [(text(peer), text(own), "/proc/self/net/tcp6")] }
        // A program may have used an IPv6 socket for an IPv4 address.
        let mapped: [UInt32] = [0, 0, UInt32(0xffff).bigEndian]
        func wide(_ end: (words: [UInt32], port: UInt16, count: Int)) -> String {
            text(([mapped, end.words].flatMap(\.self), end.port, 4))
        }
        return [
            (text(peer), text(own), "/proc/self/net/tcp"),
            (wide(peer), wide(own), "/proc/self/net/tcp6"),
        ]
    }

    private typealias End = (words: [UInt32], port: UInt16, count: Int)

    private static func text(_ end: End) -> String {
        end.words.map { hexadecimal($0, 8) }.joined() + ":" + hexadecimal(end.port, 4)
    }

    private static func hexadecimal(_ number: some FixedWidthInteger, _ digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(digits -| text.utf8.count, 0))
        return "\(zeros)\(text)"
    }

    /// The words of an address in memory order, as the tables print them.
    private static func address(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> End? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes -> End? in
            guard let raw = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                ask(descriptor, raw, &size) == 0
            else { return nil }
            switch Int32(clamping: raw.pointee.sa_family) {
            case AF_INET:
                let address = bytes.load(as: sockaddr_in.self)
                return ([address.sin_addr.s_addr], UInt16(bigEndian: address.sin_port), 1)
            case AF_INET6:
                let address = bytes.load(as: sockaddr_in6.self)
                let words = withUnsafeBytes(of: address.sin6_addr) {
                    Array($0.bindMemory(to: UInt32.self))
                }
                return (words, UInt16(bigEndian: address.sin6_port), 4)
            default: return nil
            }
        }
    }
}
