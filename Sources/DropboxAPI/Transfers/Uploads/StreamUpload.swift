// Uploads of byte streams of unknown length: an upload session, appended piece by piece. Not
// responsible for the bytes' source, nor for parallel pieces.

public import ContentHashing
import Saturating

/// Why a stream of bytes did not become a file.
@nonexhaustive public enum StreamUploadError<Source: Error>: Error {
    /// The source of the bytes failed.
    case source(Source)
    /// The upload session was not started.
    case start(CallError<Files.UploadSessionStartError>)
    /// A piece could not be appended.
    case append(CallError<Files.UploadSessionAppendError>)
    /// All pieces are appended, but the session was not committed.
    case finish(CallError<Files.UploadSessionFinishError>)
    /// The response to the commit was lost, and the file is not, or is no longer, at its path: it may be
    /// stored.
    case uncertain(CallError<Files.UploadSessionFinishError>)
    /// The server stored other bytes than those that were read.
    case mismatch(stored: Files.FileMetadata, expected: ContentHash)
}

extension Files.Calls {
    /// Uploads a file from a sequence of byte chunks.
    ///
    /// The bytes are sent in requests of `pieceSize` bytes; that many are held in memory, because a
    /// request may have to be retried. Nothing is visible before the commit; the session of a
    /// failed upload expires. The hash of the stored file is compared with that of the bytes sent.
    public func upload<Chunks: AsyncSequence>(
        _ commit: Files.CommitInfo, chunks: Chunks, pieceSize: Int = 8 << 20,
        options: CallOptions = .init()
    ) async throws(StreamUploadError<Chunks.Failure>) -> Files.FileMetadata
    where Chunks.Element == [UInt8] {
        let whole = options.progress
        var options = options
        options.progress = nil
        let session: Files.UploadSessionStartResult
        do throws(CallError<Files.UploadSessionStartError>) {
            session = try await uploadSessionStart(body: BytesBody([]), options: options)
        } catch {
            throw .start(error)
        }
        var hasher = ContentHasher()
        var cursor = Files.UploadSessionCursor(sessionID: session.sessionID, offset: 0)
        var pieces = PieceReader(chunks.makeAsyncIterator(), size: max(1, pieceSize))
        while let piece = try await pieces.next() {
            do throws(CallError<Files.UploadSessionAppendError>) {
                try await append(piece, at: cursor, options: options)
            } catch {
                throw .append(error)
            }
            hasher.update(piece)
            cursor.offset &+= UInt64(clamping: piece.count)
            whole?(TransferProgress(bytesDone: cursor.offset, bytesTotal: nil))
        }
        return try await finish(cursor, commit, hasher.finalized(), Chunks.Failure.self, options)
    }

    /// Commits the session. After a lost response, the file at the path decides.
    private func finish<Source: Error>(
        _ cursor: Files.UploadSessionCursor, _ commit: Files.CommitInfo, _ hash: ContentHash,
        _ type: Source.Type, _ options: CallOptions
    ) async throws(StreamUploadError<Source>) -> Files.FileMetadata {
        let stored: Files.FileMetadata
        do throws(CallError<Files.UploadSessionFinishError>) {
            stored = try await uploadSessionFinish(
                cursor: cursor, commit: commit, body: BytesBody([]), options: options)
        } catch {
            guard error.mayHaveTakenEffect, error.kind != .cancelled else { throw .finish(error) }
            switch await storedFile(of: commit, hash, options: options) {
            case .stored(let file): stored = file
            case .absent, .unknown: throw .uncertain(error)
            }
        }
        guard stored.holds(hash, size: cursor.offset) else {
            throw .mismatch(stored: stored, expected: hash)
        }
        return stored
    }

    /// A piece that is refused because it has arrived before is no failure.
    private func append(
        _ piece: [UInt8], at cursor: Files.UploadSessionCursor, options: CallOptions
    ) async throws(CallError<Files.UploadSessionAppendError>) {
        do throws(CallError<Files.UploadSessionAppendError>) {
            try await uploadSessionAppendV2(
                cursor: cursor, body: BytesBody(piece), options: options)
        } catch {
            let range = cursor.offset ..<| cursor.offset &+ UInt64(clamping: piece.count)
            guard PieceFate(error.routeError, range: range) == .arrived else { throw error }
        }
    }
}

/// Cuts chunks of any size into pieces of one size.
private struct PieceReader<Iterator: AsyncIteratorProtocol> where Iterator.Element == [UInt8] {
    private var iterator: Iterator
    private let size: Int
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(_ iterator: Iterator, size: Int) {
        self.iterator = iterator
        self.size = size
    }

    /// The next piece, never empty; nil after the last one.
    mutating func next() async throws(StreamUploadError<Iterator.Failure>) -> [UInt8]? {
        while buffer.count < size, !isAtEnd {
            do throws(Iterator.Failure) {
                guard let chunk = try await iterator.next(isolation: #isolation) else {
                    isAtEnd = true
                    break
                }
                buffer.append(contentsOf: chunk)
            } catch {
                throw .source(error)
            }
        }
        guard !buffer.isEmpty else { return nil }
        let piece = Array(buffer.prefix(size))
        buffer.removeFirst(piece.count)
        return piece
    }
}
