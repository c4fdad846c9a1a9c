// A request's body as it arrives: counted and throttled, and buffered as a whole only if it is a
// small argument or the call is deferred.

import Hummingbird
import NIOCore
import Synchronization

/// The content of a request.
final class IncomingBody: Sendable {
    /// Set when the body is read, which is possible only once.
    private let isTaken = Atomic(false)
    private let body: RequestBody
    /// The body, if it was read ahead.
    private let kept = Mutex<[ByteBuffer]?>(nil)
    private let route: String
    private let statistics: Statistics
    private let limiter: RateLimiter
    /// The length that the request announces.
    let announcedLength: Int64?

    init(
        _ body: RequestBody, route: String, statistics: Statistics, limiter: RateLimiter,
        announcedLength: Int64?
    ) {
        self.body = body
        self.route = route
        self.statistics = statistics
        self.limiter = limiter
        self.announcedLength = announcedLength
    }

    /// Passes on each piece in order; throws if the client disconnects.
    func forEach(_ work: (ByteBuffer) async throws -> Void) async throws {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        if let pieces = kept.withLock({ $0 }) {
            for piece in pieces { try await work(piece) }
            return
        }
        try await read(work)
    }

    /// Reads the whole body into memory, so that it outlives the client's connection.
    func keep() async throws {
        guard !isTaken.load(ordering: .relaxed) else { return }
        let pieces = Mutex<[ByteBuffer]>([])
        try await read { piece in pieces.withLock { $0.append(piece) } }
        kept.withLock { $0 = pieces.withLock { $0 } }
    }

    private func read(_ work: (ByteBuffer) async throws -> Void) async throws {
        for try await piece in body {
            statistics.addBytesIn(piece.readableBytes, route)
            try await limiter.pass(piece.readableBytes)
            try await work(piece)
        }
    }

    /// Reads and discards an unread body, so that the client reads the response.
    func drain() async {
        // A client that disconnected needs no response.
        try? await forEach { _ in }
    }

    /// Reads a small body; throws if it is larger than a limit.
    func collect(limit: Int = 16 << 20) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isTooLarge = false
        try await forEach { piece in
            if bytes.count + piece.readableBytes > limit {
                isTooLarge = true
            } else {
                bytes.append(contentsOf: piece.readableBytesView)
            }
        }
        if isTooLarge { throw RouteFailure.plain(413, "Request entity too large") }
        return bytes
    }
}
