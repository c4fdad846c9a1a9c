// Receives the body of an upload into a file, hashing it on the way. Pieces are gathered so that a
// switch to a disk thread is paid for by more than a few kilobytes.

import NIOCore
import Synchronization

/// What was received.
struct ReceivedBody: Sendable {
    let size: Int64
    /// Hash state over what was received.
    let hasher: BlockHasher
    /// Hash state over the whole session, where the body continues one.
    let sessionHasher: BlockHasher?
}

/// Receives one body.
final class BodyReceiver: Sendable {
    /// The most that one request may carry: 150 MiB.
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
    ///   - start: where in the file the body goes.
    ///   - sessionHasher: hash state of the bytes before, to be continued.
    init(file: BlockingFile, start: Int64 = 0, sessionHasher: BlockHasher? = nil) {
        self.file = file
        self.start = start
        state = Mutex(State(sessionHasher: sessionHasher))
    }

    /// Receives the whole body. Throws `PayloadTooLarge` if it is over the limit, and whatever breaks
    /// it off.
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

/// A body over 150 MiB.
struct PayloadTooLarge: APIUnion {
    var json: JSONValue { .tag("payload_too_large") }
}

/// A body that is not what its `content_hash` says.
struct ContentHashMismatch: APIUnion {
    var json: JSONValue { .tag("content_hash_mismatch") }

    /// Throws unless a body has the hash that a client announced, if it did.
    static func check(_ received: ReceivedBody, _ announced: ContentDigest?) throws {
        if let announced, received.hasher.contentHash != announced { throw ContentHashMismatch() }
    }
}
