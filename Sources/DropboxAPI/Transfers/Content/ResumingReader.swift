// The bytes of a range of one revision, one after another, over as many requests as it takes. Not
// responsible for hashes of whole files, nor for where the bytes go.

import Saturating

/// A range that is read, and requested again from where it was cut off.
struct ResumingReader {
    typealias Body = DownloadBody<Files.DownloadError>

    private let calls: Files.Calls
    private let options: CallOptions
    /// The revision that all bytes are of.
    private let revision: Files.Rev
    private let end: UInt64
    /// Where the next byte is.
    private(set) var position: UInt64
    private var body: Body.AsyncIterator?
    private var backoff = OperationBackoff()

    /// `body` is a response that covers the range from its start on, if there is one already.
    init(
        _ range: Range<UInt64>, of revision: Files.Rev, calls: Files.Calls, options: CallOptions,
        body: Body? = nil
    ) {
        self.calls = calls
        self.options = options
        self.revision = revision
        position = range.lowerBound
        end = range.upperBound
        self.body = body?.makeAsyncIterator()
    }

    /// The next bytes, never empty; nil at the end of the range.
    mutating func next() async throws(FileTransferError) -> [UInt8]? {
        while position < end {
            do throws(CallError<Files.DownloadError>) {
                var iterator: Body.AsyncIterator
                if let body { iterator = body } else { iterator = try await ask() }
                body = nil
                guard let chunk = try await iterator.next() else { continue }
                body = iterator
                let left = end -| position
                guard UInt64(clamping: chunk.count) <= left else {
                    throw Self.fault(
                        .bodyLength(expected: left, received: UInt64(clamping: chunk.count)))
                }
                position +|= UInt64(clamping: chunk.count)
                backoff = OperationBackoff()
                return chunk
            } catch {
                body = nil
                try await waitOrThrow(error)
            }
        }
        return nil
    }

    private func ask() async throws(CallError<Files.DownloadError>) -> Body.AsyncIterator {
        let download = try await calls.download(
            path: "rev:" + revision, range: .bytes(position..<end), options: options)
        guard download.result.rev == revision, download.range == position..<end else {
            throw Self.fault(.rangeNotHonoured(status: 206, contentRange: nil))
        }
        return download.body.makeAsyncIterator()
    }

    private static func fault(_ fault: ResponseFault) -> CallError<Files.DownloadError> {
        CallError(kind: .response(fault), context: CallContext(route: "files/download"))
    }

    /// Damage in transit is as good as a fault of the server: some attempts may mend it.
    private mutating func waitOrThrow(
        _ error: CallError<Files.DownloadError>
    ) async throws(FileTransferError) {
        var event = error.kind.retryEvent
        if case .response = error.kind { event = .serverFault }
        let isPaused = await backoff.pause(
            after: event, of: calls.client, maxAttempts: options.maxAttempts,
            deadline: options.deadline)
        guard isPaused else { throw Task.isCancelled ? .cancelled : .init(error) }
    }
}
