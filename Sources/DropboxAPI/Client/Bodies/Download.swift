// The response of a download: its result, and a body whose length and hash are checked to the last
// byte.

import ContentHashing

/// A part of a file to download.
@nonexhaustive public enum ByteRange: Hashable, Sendable {
    /// From an offset to the end.
    case from(UInt64)
    /// The given bytes, or fewer at the end of the file. Must not be empty.
    case bytes(Range<UInt64>)

    /// The value of the `Range` header; nil for an empty range, which HTTP cannot express.
    var headerValue: String? {
        switch self {
        case .from(let start): "bytes=\(start)-"
        case .bytes(let range) where range.isEmpty: nil
        case .bytes(let range): "bytes=\(range.lowerBound)-\(range.upperBound &- 1)"
        }
    }

    /// The range within a file of `size` bytes; nil when it starts behind its end.
    func resolved(size: UInt64) -> Range<UInt64>? {
        switch self {
        case .from(let start): start < size ? start..<size : nil
        case .bytes(let range):
            range.lowerBound < size
                ? range.lowerBound..<min(range.upperBound, size) : nil
        }
    }
}

/// A download whose body has yet to be read.
public struct Download<Output: Sendable, Failure: RouteError>: Sendable {
    /// The file's metadata in the response.
    public let result: Output
    /// The range of the file that the body covers; nil when the server does not state its length.
    public let range: Range<UInt64>?
    /// The file's bytes. Dropping the body ends the transfer.
    public let body: DownloadBody<Failure>
}

/// The body of a download: non-empty chunks; it ends with an error unless all bytes arrive,
/// unharmed.
public struct DownloadBody<RouteFailure: RouteError>: AsyncSequence, Sendable {
    /// A chunk of the body, never empty.
    public typealias Element = [UInt8]
    /// The error that ends a body early.
    public typealias Failure = CallError<RouteFailure>

    let chunks: ResponseBody
    let expected: UInt64?
    /// The hash of the whole body, if it is to be compared.
    let hash: ContentHash?
    let progress: (@Sendable (TransferProgress) -> Void)?
    let context: CallContext
    let reporter: Reporter

    /// Reads the body chunk by chunk.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: ResponseBody.AsyncIterator
        fileprivate let expected: UInt64?
        fileprivate let hash: ContentHash?
        fileprivate let progress: (@Sendable (TransferProgress) -> Void)?
        fileprivate var hasher = ContentHasher()
        fileprivate let context: CallContext
        fileprivate let reporter: Reporter
        fileprivate var received: UInt64 = 0

        /// The next chunk; nil after the last byte.
        ///
        /// Throws when the transfer fails, when there are fewer or more bytes than announced, or,
        /// for a whole file, when they have another hash.
        public mutating func next() async throws(CallError<RouteFailure>) -> [UInt8]? {
            let chunk: [UInt8]?
            do {
                chunk = try await chunks.next()
            } catch {
                throw failure(.init(error))
            }
            received =
                received.addingReportingOverflow(UInt64(clamping: chunk?.count ?? 0)).partialValue
            if let expected, received > expected || chunk == nil && received < expected {
                let fault = ResponseFault.bodyLength(expected: expected, received: received)
                throw failure(.response(fault))
            }
            try compare(chunk)
            if chunk != nil {
                progress?(TransferProgress(bytesDone: received, bytesTotal: expected))
            }
            return chunk
        }

        /// Hashes a chunk; at the end, the hash must be that of the metadata.
        private mutating func compare(_ chunk: [UInt8]?) throws(CallError<RouteFailure>) {
            guard let hash else { return }
            guard let chunk else {
                let read = hasher.finalized()
                guard read == hash else {
                    throw failure(.response(.contentHash(expected: hash, received: read)))
                }
                return
            }
            hasher.update(chunk)
        }

        fileprivate func failure(
            _ kind: CallError<RouteFailure>.Kind
        ) -> CallError<RouteFailure> {
            let error = CallError(kind: kind, context: context)
            reporter.downloadFailed(CallFailure(error))
            return error
        }

        /// The next chunk; nil after the last byte.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CallError<RouteFailure>) -> [UInt8]? {
            try await next()
        }
    }

    /// Starts reading; a second iterator would continue where the first is, with a wrong count.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            chunks: chunks.makeAsyncIterator(), expected: expected, hash: hash, progress: progress,
            context: context, reporter: reporter)
    }

    /// The whole body. Throws `tooLarge` for more than `limit` bytes.
    public func collect(upTo limit: Int) async throws(CallError<RouteFailure>) -> [UInt8] {
        var bytes: [UInt8] = []
        if let expected, let count = Int(exactly: expected), count <= limit {
            bytes.reserveCapacity(count)
        }
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() {
            guard bytes.count <= limit, chunk.count <= limit &- bytes.count else {
                let error = TransportError(
                    kind: .tooLarge, message: "more than \(limit) bytes",
                    mayHaveBeenReceived: true)
                throw iterator.failure(.transport(error))
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }
}

extension CallError.Kind {
    /// A network failure, or the caller's cancellation.
    init(_ error: TransportError) {
        self = error.kind == .cancelled ? .cancelled : .transport(error)
    }
}
