// One file to one path from a sequence of bytes, whose number need not be known: up to one piece in
// a single request, more in an upload session. Not responsible for either: WholeUpload,
// StreamUpload.

extension Files.Calls {
    /// Uploads the bytes of a sequence, of any number.
    ///
    /// The sequence is read by the calling task only, and no faster than pieces leave. Nothing is
    /// visible before its end: if it throws, there is no file, and the error is `source`. The hash
    /// of the stored file is compared with that of the bytes read. If the last response is lost,
    /// the file at the path is requested, and nothing is stored twice. Cancelling the task ends the
    /// transfer. `bytesTotal` of the progress is nil when there is more than one piece.
    ///
    /// A sequence of chunks is many times faster than one of single bytes.
    ///
    ///     let file = try await client.files.upload(bytes, to: "/log", mode: .overwrite)
    @discardableResult
    public func upload<Bytes: AsyncSequence>(
        _ bytes: Bytes, to path: String, mode: Files.WriteMode = .add,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata where Bytes.Element == UInt8 {
        try await upload(bytes, as: .init(path: path, mode: mode), options: options)
    }

    /// Uploads a sequence of chunks of bytes: arrays, slices, `Data`, views of buffers. Their sizes
    /// and their number do not matter. The rest is as for single bytes.
    ///
    ///     let file = try await client.files.upload(request.body, to: "/log", mode: .overwrite)
    @discardableResult
    public func upload<Chunks: AsyncSequence>(
        _ chunks: Chunks, to path: String, mode: Files.WriteMode = .add,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata
    where Chunks.Element: Sequence<UInt8> {
        try await upload(chunks, as: .init(path: path, mode: mode), options: options)
    }

    /// Uploads the bytes of a sequence, with all settings of the commit.
    @discardableResult
    public func upload<Bytes: AsyncSequence>(
        _ bytes: Bytes, as commit: Files.CommitInfo, options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata where Bytes.Element == UInt8 {
        let size = UploadLimits.wholePiece(options.pieceSize)
        let upload = WholeStream(calls: self, commit: commit, options: options)
        return try await upload.run(.bytes(of: bytes, size: size))
    }

    /// Uploads a sequence of chunks of bytes, with all settings of the commit.
    @discardableResult
    public func upload<Chunks: AsyncSequence>(
        _ chunks: Chunks, as commit: Files.CommitInfo, options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata
    where Chunks.Element: Sequence<UInt8> {
        let size = UploadLimits.wholePiece(options.pieceSize)
        let upload = WholeStream(calls: self, commit: commit, options: options)
        return try await upload.run(.chunks(of: chunks, size: size))
    }
}

/// One upload of a whole stream.
private struct WholeStream {
    let calls: Files.Calls
    let commit: Files.CommitInfo
    let options: FileTransferOptions

    func run<Iterator: AsyncIteratorProtocol>(
        _ reader: PieceReader<Iterator>
    ) async throws(FileTransferError) -> Files.FileMetadata {
        // Before a byte is taken.
        guard commit.hasSoundPath else {
            throw .init(FileUploadError.commit(.path(.malformedPath(nil))))
        }
        var pieces = reader
        let content: [UInt8]?
        do throws(StreamUploadError<Iterator.Failure>) {
            content = try await pieces.wholeContent()
        } catch {
            throw .init(error)
        }
        guard let content else { return try await sendPieces(pieces) }
        // An `AsyncStream` whose reader is cancelled ends as if it were complete.
        guard !Task.isCancelled else { throw .cancelled }
        return try await calls.upload(BytesSource(content), as: commit, options: options)
    }

    private func sendPieces<Iterator: AsyncIteratorProtocol>(
        _ pieces: PieceReader<Iterator>
    ) async throws(FileTransferError) -> Files.FileMetadata {
        var upload = StreamUpload(
            calls: calls, options: options.call, concurrency: max(1, options.concurrency),
            pieces: pieces)
        do throws(StreamUploadError<Iterator.Failure>) {
            try await upload.send()
            return try await upload.finish(commit)
        } catch {
            throw .init(error)
        }
    }
}

extension FileTransferError {
    /// The same failure of a stream.
    fileprivate init<Source>(_ error: StreamUploadError<Source>) {
        switch error {
        case .source(let error): self = Task.isCancelled ? .cancelled : .source(error)
        case .start(let error): self.init(error)
        case .append(let error): self.init(error)
        case .finish(let error): self.init(error)
        case .uncertain(let error): self = .uncertain(CallFailure(error))
        case .hashMismatch(let expected, let received):
            self = .hashMismatch(expected: expected, received: received)
        }
    }
}
