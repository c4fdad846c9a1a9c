// The body of a response as a sequence of chunks. Not responsible for the source of the chunks: the
// curl transport and the tests' scripted transports both implement ChunkSource.

import Synchronization

/// Provides the chunks of a body to one reader at a time.
public protocol ChunkSource: AnyObject, Sendable {
    /// The next chunk, never empty; nil after the last one. An error ends the body for good.
    func nextChunk() async throws(TransportError) -> [UInt8]?

    /// Ends the transfer if it still runs: the reader has gone.
    func abandon()
}

/// The body of a response. It can be read once; dropping it ends the transfer.
///
/// Chunks are as large as the network delivered them, at most about a megabyte. If the reader is
/// slow, the transport buffers about one more megabyte and then stops receiving.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A chunk of the body, never empty.
    public typealias Element = [UInt8]
    /// The error that ends a body early.
    public typealias Failure = TransportError

    private let owner: Owner

    /// Ends the transfer when the last copy of the body or its iterator is released.
    fileprivate final class Owner: Sendable {
        let source: any ChunkSource

        init(_ source: any ChunkSource) {
            self.source = source
        }

        deinit {
            source.abandon()
        }
    }

    /// Takes over a source.
    public init(_ source: any ChunkSource) {
        owner = Owner(source)
    }

    /// A body in memory, as one chunk.
    public init(bytes: [UInt8]) {
        self.init(MemorySource(bytes))
    }

    /// Reads the body chunk by chunk.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: Owner

        /// The next chunk; nil at the end. Throws when the body is cut short, stalls or is
        /// cancelled.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await owner.source.nextChunk()
        }

        /// The next chunk; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            try await owner.source.nextChunk()
        }
    }

    /// Starts reading; a body is read once, so a second iterator continues where the first is.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(owner: owner)
    }

    /// The next chunk; nil at the end.
    func nextChunk() async throws(TransportError) -> [UInt8]? {
        try await owner.source.nextChunk()
    }

    /// Ends the transfer; a task that waits for a chunk is woken.
    func abandon() {
        owner.source.abandon()
    }

    /// The whole body. Throws `.tooLarge` for more than `limit` bytes.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await owner.source.nextChunk() {
            guard bytes.count <= limit, chunk.count <= limit &- bytes.count else {
                owner.source.abandon()
                throw TransportError(
                    kind: .tooLarge, message: "the answer has more than \(limit) bytes",
                    mayHaveBeenReceived: true)
            }
            if bytes.isEmpty { bytes = chunk } else { bytes.append(contentsOf: chunk) }
        }
        return bytes
    }

    /// Up to `limit` bytes from the start; the rest, and errors after some bytes, are ignored.
    public func prefix(upTo limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let chunk = try? await owner.source.nextChunk() {
            bytes.append(contentsOf: chunk.prefix(limit &- bytes.count))
        }
        owner.source.abandon()
        return bytes
    }
}

/// A body that is in memory.
private final class MemorySource: ChunkSource {
    /// Held for an exchange only.
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func nextChunk() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    func abandon() {
        rest.withLock { $0 = [] }
    }
}
