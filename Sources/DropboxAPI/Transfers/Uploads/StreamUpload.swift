// Uploads of byte streams of unknown length: an upload session, to which pieces are appended,
// several at once. Not responsible for the bytes' source, nor for streams that one request can
// hold: WholeStream.

package import ContentHashing
import Saturating

/// Why a stream of bytes did not become a file.
package enum StreamUploadError<Source: Error>: Error {
    /// The source of the bytes failed.
    case source(Source)
    /// The upload session was not started.
    case start(CallError<Files.UploadSessionStartError>)
    /// A piece could not be appended.
    case append(CallError<Files.UploadSessionAppendError>)
    /// All pieces are appended, but the session was not committed: surely nothing is stored.
    case finish(CallError<Files.UploadSessionFinishError>)
    /// The answer to the commit was lost, and the file is not, or is no longer, at its path; or the
    /// task was cancelled during the commit. The file may be stored.
    case uncertain(CallError<Files.UploadSessionFinishError>)
    /// The server stored other bytes than those that were read.
    case hashMismatch(expected: ContentHash, received: ContentHash?)
}

extension Files.Calls {
    /// Uploads a file from a sequence of byte chunks.
    ///
    /// The bytes are sent in requests of `pieceSize` bytes, `concurrency` of them at once. So many
    /// pieces and one more are held in memory, because a request may have to be retried. With more
    /// than one request at once the size of pieces is rounded down to units of 4 MiB. The sequence
    /// is read by the calling task only, and no faster than pieces leave.
    ///
    /// Nothing is visible before the commit; the session of a failed upload expires. The hash of
    /// the stored file is compared with that of the bytes sent.
    ///
    /// Apps have `upload(_:to:)`, which takes all kinds of bytes, needs one request for a short
    /// stream, and fails like a file's upload.
    package func upload<Chunks: AsyncSequence>(
        _ commit: Files.CommitInfo, chunks: Chunks, pieceSize: Int = 8 << 20,
        concurrency: Int = 4, options: CallOptions = .init()
    ) async throws(StreamUploadError<Chunks.Failure>) -> Files.FileMetadata
    where Chunks.Element == [UInt8] {
        let size = concurrency > 1 ? UploadLimits.wholePiece(pieceSize) : max(1, pieceSize)
        var upload = StreamUpload(
            calls: self, options: options, concurrency: max(1, concurrency),
            pieces: .chunks(of: chunks, size: size))
        try await upload.send()
        return try await upload.finish(commit)
    }
}

/// The upload of one stream.
struct StreamUpload<Iterator: AsyncIteratorProtocol> {
    typealias Failure = StreamUploadError<Iterator.Failure>
    /// The bytes that a request has brought to the server.
    private typealias Sent = Result<UInt64, CallError<Files.UploadSessionAppendError>>

    private let calls: Files.Calls
    /// Options of each request.
    private let options: CallOptions
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let concurrency: Int
    private var pieces: PieceReader<Iterator>
    private var hasher = ContentHasher()
    /// Where the next piece begins.
    private var cursor = Files.UploadSessionCursor(sessionID: "", offset: 0)
    private var bytesSent: UInt64 = 0

    init(
        calls: Files.Calls, options: CallOptions, concurrency: Int, pieces: PieceReader<Iterator>
    ) {
        self.calls = calls
        self.concurrency = concurrency
        self.pieces = pieces
        progress = options.progress
        var single = options
        single.progress = nil
        self.options = single
    }

    // MARK: Sending

    /// Sends all pieces, each in a request of its own.
    mutating func send() async throws(Failure) {
        // A stream of one piece needs no session that takes several at once.
        let first = try await pieces.next()
        let isParallel =
            if concurrency > 1, first != nil { try await !pieces.isAtEnd() } else { false }
        do throws(CallError<Files.UploadSessionStartError>) {
            cursor.sessionID = try await calls.uploadSessionStart(
                sessionType: isParallel ? .concurrent : nil, body: BytesBody([]), options: options
            ).sessionID
        } catch {
            throw .start(error)
        }
        guard let first else { return }
        if isParallel { try await sendParallel(first) } else { try await sendInTurn(first) }
    }

    private mutating func sendInTurn(_ first: [UInt8]) async throws(Failure) {
        var piece: [UInt8]? = first
        while let bytes = piece {
            let place = taken(bytes)
            try settle(await calls.append(bytes, at: place, closes: false, options: options))
            piece = try await pieces.next()
        }
    }

    /// All pieces but the last are sent in parallel; the last one follows, because it closes the
    /// session.
    private mutating func sendParallel(_ first: [UInt8]) async throws(Failure) {
        var failure: Failure?
        await withTaskGroup(of: Sent.self) { group in
            do throws(Failure) {
                var underWay = 0
                var piece: [UInt8]? = first
                while let bytes = piece {
                    let isLast = try await pieces.isAtEnd()
                    while underWay >= (isLast ? 1 : concurrency), let sent = await group.next() {
                        underWay &-= 1
                        try settle(sent)
                    }
                    let (calls, options, place) = (calls, options, taken(bytes))
                    group.addTask {
                        await calls.append(bytes, at: place, closes: isLast, options: options)
                    }
                    underWay &+= 1
                    piece = try await pieces.next()
                }
                while let sent = await group.next() { try settle(sent) }
            } catch {
                failure = error
                group.cancelAll()
            }
        }
        if let failure { throw failure }
    }

    /// The place of a piece that is sent next.
    private mutating func taken(_ piece: [UInt8]) -> Files.UploadSessionCursor {
        let place = cursor
        hasher.update(piece)
        cursor.offset &+= UInt64(clamping: piece.count)
        return place
    }

    private mutating func settle(_ sent: Sent) throws(Failure) {
        switch sent {
        case .failure(let error): throw .append(error)
        case .success(let count):
            bytesSent &+= count
            progress?(TransferProgress(bytesDone: bytesSent, bytesTotal: nil))
        }
    }

    // MARK: The commit

    /// Commits the session, unless the task is cancelled: an `AsyncStream` whose reader is
    /// cancelled ends as if it were complete.
    func finish(_ commit: Files.CommitInfo) async throws(Failure) -> Files.FileMetadata {
        do throws(CommitError<Files.UploadSessionFinishError>) {
            return try await calls.committed(
                commit, hasher.finalized(), size: cursor.offset, options: options
            ) { () async throws(CallError<Files.UploadSessionFinishError>) in
                try await calls.uploadSessionFinish(
                    cursor: cursor, commit: commit, body: BytesBody([]), options: options)
            }
        } catch {
            switch error {
            case .withoutEffect(let error): throw .finish(error)
            case .uncertain(let error): throw .uncertain(error)
            case .hashMismatch(let expected, let received):
                throw .hashMismatch(expected: expected, received: received)
            }
        }
    }
}

extension Files.Calls {
    /// Sends a piece; returns its length. One that is refused because it has arrived before is no
    /// failure.
    fileprivate func append(
        _ piece: [UInt8], at cursor: Files.UploadSessionCursor, closes: Bool, options: CallOptions
    ) async -> Result<UInt64, CallError<Files.UploadSessionAppendError>> {
        let count = UInt64(clamping: piece.count)
        do throws(CallError<Files.UploadSessionAppendError>) {
            try await uploadSessionAppendV2(
                cursor: cursor, close: closes, body: BytesBody(piece), options: options)
        } catch {
            let range = cursor.offset ..<| cursor.offset &+ count
            switch PieceFate(error.routeError, range: range) {
            case .arrived: break
            // By this piece: no other one closes.
            case .closed where closes: break
            default: return .failure(error)
            }
        }
        return .success(count)
    }
}
