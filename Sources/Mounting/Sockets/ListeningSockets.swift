// Sockets that listen at addresses of this machine. `HTTPListener` accepts their connections.

import Glibc
import LocalIO
import SystemPackage

/// Sockets that listen, closed with the last reference.
final class ListeningSockets: Sendable {
    let descriptors: [Int32]
    /// The port of all of them; 0 for a Unix socket.
    let port: UInt16

    private init(_ descriptors: [Int32], port: UInt16) {
        self.descriptors = descriptors
        self.port = port
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Listens at a port of both addresses of `localhost`: another process could listen on the one
    /// that is left out. Port 0 means any free one.
    convenience init(loopback port: UInt16) throws(Errno) {
        let first = try Self.listen(
            at: Self.address(in_addr(s_addr: UInt32(0x7f00_0001).bigEndian), port))
        do throws(Errno) {
            let bound = try Self.port(of: first)
            // A machine without IPv6 has no second address.
            let second = try Self.unlessMissing { () throws(Errno) in
                try Self.listen(at: Self.address(in6addr_loopback, bound))
            }
            self.init([first] + (second.map { [$0] } ?? []), port: bound)
        } catch {
            close(first)
            throw error
        }
    }

    /// Listens at a port of one address, in numbers.
    convenience init(address: String, port: UInt16) throws(Errno) {
        var (old, new) = (in_addr(), in6_addr())
        let descriptor =
            if inet_pton(AF_INET, address, &old) == 1 {
                try Self.listen(at: Self.address(old, port))
            } else if inet_pton(AF_INET6, address, &new) == 1 {
                try Self.listen(at: Self.address(new, port))
            } else {
                throw .invalidArgument as Errno
            }
        do throws(Errno) {
            self.init([descriptor], port: try Self.port(of: descriptor))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Listens at a Unix socket, for this user only.
    convenience init(_ socket: LocalSocket) throws(Errno) {
        let descriptor = try socket.listen()
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init([descriptor], port: 0)
    }

    // MARK: Parts

    private static func address(_ host: in_addr, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = host
        return address
    }

    private static func address(_ host: in6_addr, _ port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = host
        return address
    }

    private static func unlessMissing(
        _ body: () throws(Errno) -> Int32
    ) throws(Errno) -> Int32? {
        do throws(Errno) {
            return try body()
        } catch {
            if error == .addressNotAvailable || error == .addressFamilyNotSupported { return nil }
            throw error
        }
    }

    private static func listen<Address>(at address: Address) throws(Errno) -> Int32 {
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        let error = withUnsafeBytes(of: address) { bytes -> Result<Int32, Errno> in
            guard let raw = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return .failure(.invalidArgument)
            }
            let descriptor = socket(Int32(clamping: raw.pointee.sa_family), type, 0)
            guard descriptor >= 0 else { return .failure(currentErrno) }
            // Connections of an earlier process may be in TIME_WAIT.
            var yes: Int32 = 1
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, raw, socklen_t(clamping: bytes.count)) == 0,
                Glibc.listen(descriptor, 64) == 0
            else {
                defer { close(descriptor) }
                return .failure(currentErrno)
            }
            return .success(descriptor)
        }
        return try error.get()
    }

    private static func port(of descriptor: Int32) throws(Errno) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard status == 0 else { throw currentErrno }
        // The port has the same place in the addresses of both families.
        return withUnsafeBytes(of: &address) {
            UInt16(bigEndian: $0.load(as: sockaddr_in.self).sin_port)
        }
    }
}
