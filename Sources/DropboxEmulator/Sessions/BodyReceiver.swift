// Receives the body of an upload into a file, and hashes it on the way. Small pieces are combined,
// so that switching to a disk thread pays off.

import NIOCore
import Synchronization

/// The size and hash of a received body.
struct ReceivedBody: Sendable {
    let size: Int64
    /// Hash state of the received bytes.
    let hasher: BlockHasher
    /// Hash state of the whole session, if the body continues one.
    let sessionHasher: BlockHasher?
}

/// Receives the body of one request.
final class BodyReceiver: Sendable {
    /// Maximum body of a request: 150 MiB.
    static let maximumSize: Int64 = 150 << 20
    private static let gatheredSize = 1 << 20

    private struct State {
        var size: Int64 = 0
        var hasher = BlockHasher()
        var sessionHasher: BlockHasher?
    }

    private let file: BlockingFile
    private let start: Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - start: offset in the file for the body.
    ///   - sessionHasher: hash state of the preceding bytes, to be continued.
    init(file: BlockingFile, start: Int64 = 0, sessionHasher: BlockHasher? = nil) {
        self.file = file
        self.start = start
        state = Mutex(State(sessionHasher: sessionHasher))
    }

    /// Receives the whole body. Throws `PayloadTooLarge` if it exceeds the limit, and the error
    /// that interrupts it.
    func receive(_ body: IncomingBody) async throws -> ReceivedBody {
        if let length = body.announcedLength, length > Self.maximumSize {
            throw PayloadTooLarge()
        }
        var gathered = ByteBuffer()
        var total: Int64 = 0
        try await body.forEach { piece in
            total += Int64(piece.readableBytes)
            guard total <= Self.maximumSize else { return }
            gathered.writeImmutableBuffer(piece)
            if gathered.readableBytes >= Self.gatheredSize {
                try await store(gathered)
                gathered.clear()
            }
        }
        guard total <= Self.maximumSize else { throw PayloadTooLarge() }
        if gathered.readableBytes > 0 { try await store(gathered) }
        return state.withLock {
            ReceivedBody(size: $0.size, hasher: $0.hasher, sessionHasher: $0.sessionHasher)
        }
    }

    private func store(_ buffer: ByteBuffer) async throws {
        try await onDiskThread { [self] in
            try state.withLock { state in
                try buffer.withUnsafeReadableBytes { bytes in
                    try file.write(bytes, at: start + state.size)
                    state.hasher.update(bytes)
                    state.sessionHasher?.update(bytes)
                    state.size += Int64(bytes.count)
                }
            }
        }
    }
}

/// Error for a body over 150 MiB.
struct PayloadTooLarge: APIUnion {
    var json: JSONValue { .tag("payload_too_large") }
}

/// Error for a body that does not match its `content_hash`.
struct ContentHashMismatch: APIUnion {
    var json: JSONValue { .tag("content_hash_mismatch") }

    /// Throws if the client announced another hash than the body's.
    static func check(_ received: ReceivedBody, _ announced: ContentDigest?) throws {
        if let announced, received.hasher.contentHash != announced { throw ContentHashMismatch() }
    }
}
