// A request's body as it arrives: counted and throttled, and never held as a whole unless it is a
// small argument.

import Hummingbird
import NIOCore
import Synchronization

/// The content of a request.
final class IncomingBody: Sendable {
    /// A body can be read only once.
    private let isTaken = Atomic(false)
    private let body: RequestBody
    private let route: String
    private let statistics: Statistics
    private let limiter: RateLimiter
    /// What the request says of its length.
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

    /// Hands over each piece in turn; throws if the client breaks off.
    func forEach(_ work: (ByteBuffer) async throws -> Void) async throws {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        for try await piece in body {
            statistics.addBytesIn(piece.readableBytes, route)
            try await limiter.pass(piece.readableBytes)
            try await work(piece)
        }
    }

    /// Reads and forgets a body that nobody wanted, so that the client gets to read the answer.
    func drain() async {
        // A client that broke off needs no answer.
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
