// Requests with headers that no HTTP client lets its user choose.

import Dispatch
import Foundation
import Glibc
import Testing

enum RawSocket {
    /// Sends a text to a port of this machine, and returns all that comes back until the other side
    /// closes. It waits on a thread that the server, in the same process, does not need.
    static func exchange(_ text: String, port: UInt16) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try wait(for: text, port: port) })
            }
        }
    }

    /// Opens connections to a port, one after the other, and leaves each at once, until the port
    /// refuses one. Calls `opened` after each.
    static func knock(port: UInt16, opened: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                var isOpen = true
                while isOpen {
                    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                    isOpen = dial(descriptor, port: port) == 0
                    opened()
                    close(descriptor)
                }
                continuation.resume()
            }
        }
    }

    private static func wait(for text: String, port: UInt16) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        try #require(dial(descriptor, port: port) == 0)
        let bytes = Array(text.utf8)
        try #require(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func dial(_ descriptor: Int32, port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
