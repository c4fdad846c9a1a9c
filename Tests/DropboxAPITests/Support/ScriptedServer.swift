// A loopback HTTP server that answers by script, also wrongly, and records what it was asked.
// Plain sockets and threads: nothing of it is shared with the code under test.

import ContentHashing
import Foundation
import Glibc
import Synchronization

/// A request as it came in.
struct RecordedRequest: Sendable {
    var connection: Int
    var method: String
    var path: String
    /// Names in lower case.
    var headers: [String: String]
    /// The first bytes of the body.
    var body: [UInt8]
    var bodyLength: Int
    var bodyHash: ContentHash

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// An action of the server, instead of a response or as a part of one.
enum Step: Sendable {
    case send([UInt8])
    /// Sends bytes of a repeated pattern, a megabyte at a time; a negative count never ends.
    case stream(Int)
    /// Waits until the client ends the connection.
    case awaitEnd
    /// Waits for a gate that the test opens.
    case await(Gate)
    case close
    case reset
}

/// Something that a test opens once.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}

extension [Step] {
    static func answer(
        _ status: Int, _ headers: [(String, String)] = [], _ body: String = ""
    ) -> [Step] {
        var head = "HTTP/1.1 \(status) Scripted\r\n"
        for (name, value) in headers {
            head += "\(name): \(value)\r\n"
        }
        if !headers.contains(where: { $0.0 == "Content-Length" || $0.0 == "Transfer-Encoding" }) {
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        return [.send([UInt8]((head + "\r\n" + body).utf8))]
    }

    static func json(_ body: String, status: Int = 200) -> [Step] {
        answer(
            status, [("Content-Type", "application/json"), ("X-Dropbox-Request-Id", "r1")], body)
    }

    static func text(_ text: String) -> [Step] { [.send([UInt8](text.utf8))] }
}

final class ScriptedServer: Sendable {
    enum Event: Sendable {
        case request(RecordedRequest)
        /// The client ended a connection.
        case ended(connection: Int)
    }

    private struct State {
        var requests: [RecordedRequest] = []
        var isStopped = false
        var sockets: Set<Int32> = []
    }

    let port: UInt16
    let events: AsyncStream<Event>
    private let listener: Int32
    private let report: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    private let script: @Sendable (RecordedRequest) -> [Step]

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [RecordedRequest] { state.withLock { $0.requests } }

    init(_ script: @escaping @Sendable (RecordedRequest) -> [Step]) throws {
        self.script = script
        (events, report) = AsyncStream.makeStream()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// A server that gives one answer after another, and the last one for ever.
    convenience init(answers: [[Step]]) throws {
        let next = Mutex(0)
        try self.init { _ in
            let index = next.withLock { index in
                defer { index += 1 }
                return index
            }
            return answers[min(index, answers.count - 1)]
        }
    }

    /// Waits until a client ends a connection; bounded by the test's time limit.
    func connectionEnds() async -> Bool {
        for await case .ended in events { return true }
        return false
    }

    /// Waits until a request has come in whole.
    func nextRequest() async -> RecordedRequest? {
        for await case .request(let request) in events { return request }
        return nil
    }

    func stop() {
        // Under the lock, and those that are open only: the number of a closed one may be another
        // connection's.
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for socket in state.sockets {
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
        report.finish()
    }

    private func accept() {
        var number = 0
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let isStopped = state.withLock { state in
                if !state.isStopped { state.sockets.insert(socket) }
                return state.isStopped
            }
            guard !isStopped else {
                close(socket)
                break
            }
            number += 1
            let connection = number
            Thread.detachNewThread { [self] in serve(socket, connection) }
        }
        close(listener)
    }

    private func serve(_ socket: Int32, _ connection: Int) {
        var reader = SocketReader(socket: socket)
        while let request = reader.request(connection: connection) {
            state.withLock { $0.requests.append(request) }
            report.yield(.request(request))
            guard play(script(request), on: socket) else { break }
        }
        report.yield(.ended(connection: connection))
        state.withLock { _ = $0.sockets.remove(socket) }
        close(socket)
    }

    /// False when the connection is over.
    private func play(_ steps: [Step], on socket: Int32) -> Bool {
        for step in steps {
            switch step {
            case .send(let bytes):
                guard write(bytes, to: socket) else { return false }
            case .stream(let count):
                let piece = [UInt8](repeating: 0x5A, count: 1 << 20)
                var left = count
                while left != 0 {
                    let part = left < 0 ? piece.count : min(left, piece.count)
                    guard write(Array(piece[..<part]), to: socket) else { return false }
                    if left > 0 { left -= part }
                }
            case .awaitEnd:
                var byte: UInt8 = 0
                while recv(socket, &byte, 1, 0) > 0 {}
                return false
            case .await(let gate):
                gate.wait()
            case .close:
                return false
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    socket, SOL_SOCKET, SO_LINGER, &linger,
                    socklen_t(MemoryLayout.size(ofValue: linger)))
                return false
            }
        }
        return true
    }

    private func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    socket, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Reads requests off a socket.
private struct SocketReader {
    let socket: Int32
    private var buffer: [UInt8] = []

    init(socket: Int32) {
        self.socket = socket
    }

    private mutating func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }

    mutating func request(connection: Int) -> RecordedRequest? {
        let end = Array("\r\n\r\n".utf8)
        while buffer.firstRange(of: end) == nil {
            guard fill() else { return nil }
        }
        guard let range = buffer.firstRange(of: end) else { return nil }
        let head = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
                .trimmingCharacters(in: .whitespaces)
        }
        var request = RecordedRequest(
            connection: connection, method: words[0], path: words[1], headers: headers, body: [],
            bodyLength: 0, bodyHash: .empty)
        guard readBody(of: &request) else { return nil }
        return request
    }

    private mutating func readBody(of request: inout RecordedRequest) -> Bool {
        var left = Int(request.headers["content-length"] ?? "0") ?? 0
        request.bodyLength = left
        var hasher = ContentHasher()
        while left > 0 {
            if buffer.isEmpty, !fill() { return false }
            let part = buffer.prefix(left)
            hasher.update(part)
            request.body += part.prefix((1 << 20) - request.body.count)
            left -= part.count
            buffer.removeFirst(part.count)
        }
        request.bodyHash = hasher.finalized()
        return true
    }
}
