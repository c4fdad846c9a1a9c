// A loopback server whose queue of connections is full, so that the kernel drops the first packet
// of each further one, as a network without its link does.

import Foundation
import Glibc
import LocalIO

/// A server that answers no client until it is told to.
final class DeafServer: Sendable {
    let port: UInt16
    private let listener: Int32
    /// The connection that fills the queue.
    private let first: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        first = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, first) = (listener, first)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &size) == 0
                    && connect(first, address, size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    /// The ports of the clients whose first packet was dropped, and that wait to send it again.
    var unheardClients: Set<UInt16> {
        let table = (try? readText("/proc/self/net/tcp")) ?? ""
        var ports: Set<UInt16> = []
        for line in table.split(separator: "\n") {
            // The number, the two addresses with their ports in hexadecimal, the state.
            let fields = line.split(separator: " ")
            guard fields.count > 3, fields[3] == "02",
                fields[2].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) == port,
                let client = fields[1].split(separator: ":").last,
                let number = UInt16(client, radix: 16)
            else { continue }
            ports.insert(number)
        }
        return ports
    }

    /// Takes all connections from now on, and answers each.
    func answerAll() {
        let listener = listener
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    var request = [UInt8](repeating: 0, count: 4096)
                    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
                    if recv(connection, &request, request.count, 0) > 0 {
                        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                    }
                    close(connection)
                }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        close(first)
    }
}
