// One file of any size to one path: small contents in a single request, larger ones in pieces,
// several at once, in an upload session. Not responsible for many files in few requests
// (UploadRun), nor for what outlives the process.

import Blocking
import ContentHashing
public import Essentials

extension Files.Calls {
    /// Uploads a local file of any size.
    ///
    /// The hash of the stored file is compared with that of the bytes read. If the last response is
    /// lost, the file at the path is requested, and nothing is stored twice. Cancelling the task
    /// ends the transfer; while the server may be storing the file, the error is `uncertain`.
    ///
    ///     let file = try await client.files.upload(
    ///         file: "/data/big.iso", to: "/big.iso", mode: .overwrite,
    ///         options: .progress { print($0.fraction ?? 0) })
    @discardableResult
    public func upload(
        file: String, to path: String, mode: Files.WriteMode = .add,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        try await upload(LocalFile(file), as: .init(path: path, mode: mode), options: options)
    }

    /// Uploads a local file of any size.
    @discardableResult
    public func upload(
        file: URL, to path: String, mode: Files.WriteMode = .add,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        guard file.isFileURL else {
            throw .localFile("\(file.absoluteString): not the URL of a file")
        }
        return try await upload(file: file.path, to: path, mode: mode, options: options)
    }

    /// Uploads bytes in memory, without a copy of them but for the last piece of several.
    @discardableResult
    public func upload(
        _ data: Data, to path: String, mode: Files.WriteMode = .add,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        try await upload(DataSource(data), as: .init(path: path, mode: mode), options: options)
    }

    /// Uploads content from any source, with all settings of its commit.
    @discardableResult
    public func upload(
        _ source: any FileSource, as commit: Files.CommitInfo,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        guard commit.hasSoundPath else {
            throw .init(FileUploadError.commit(.path(.malformedPath(nil))))
        }
        let upload = WholeUpload(calls: self, commit: commit, options: options)
        return try await upload.run(source)
    }
}

/// One upload of a file's whole content.
struct WholeUpload {
    let calls: Files.Calls
    let commit: Files.CommitInfo
    let options: FileTransferOptions

    func run(_ source: any FileSource) async throws(FileTransferError) -> Files.FileMetadata {
        let limit = UInt64(clamping: UploadLimits.wholePiece(options.pieceSize))
        let opened: any OpenedFile
        do {
            opened = try await DiskQueue.transfers.run { try source.open() }
        } catch {
            throw .init(FileUploadError.source(error))
        }
        return opened.length <= limit ? try await sendAtOnce(opened) : try await sendPieces(opened)
    }

    // MARK: One request

    private func sendAtOnce(
        _ opened: any OpenedFile
    ) async throws(FileTransferError) -> Files.FileMetadata {
        let (body, hash) = try await read(opened)
        do throws(CommitError<Files.UploadError>) {
            return try await calls.committed(
                commit, hash, size: opened.length, options: options.single
            ) { () async throws(CallError<Files.UploadError>) in
                try await calls.upload(
                    Files.UploadArg(
                        path: commit.path, mode: commit.mode, autorename: commit.autorename,
                        clientModified: commit.clientModified, mute: commit.mute,
                        propertyGroups: commit.propertyGroups,
                        strictConflict: commit.strictConflict, contentHash: hash),
                    body: body, options: options.call)
            }
        } catch {
            throw .init(error)
        }
    }

    private func read(
        _ opened: any OpenedFile
    ) async throws(FileTransferError) -> (any BodySource, ContentHash) {
        do {
            return try await DiskQueue.transfers.run {
                if let memory = opened as? any MemoryContent {
                    return (memory.body, memory.contentHash)
                }
                let bytes = try opened.bytes(0..<opened.length)
                guard try opened.isUnchanged() else { throw FileUploadError.changed }
                return (BytesBody(bytes), ContentHasher.hash(bytes))
            }
        } catch {
            throw .init(error as? FileUploadError ?? .source(error))
        }
    }

    // MARK: Pieces

    private func sendPieces(
        _ opened: any OpenedFile
    ) async throws(FileTransferError) -> Files.FileMetadata {
        let total = opened.length
        let (pieceSize, concurrency) = (options.pieceSize, max(1, options.concurrency))
        let whole = options.call.progress
        // A piece more is being read.
        let (budget, isTooMuch) = UploadLimits.wholePiece(pieceSize)
            .multipliedReportingOverflow(by: concurrency &+ 1)
        var batch = BatchUploadOptions(
            memoryBudget: isTooMuch ? .max : budget, pieceSize: pieceSize,
            concurrency: concurrency, call: options.single)
        batch.progress = { progress in
            whole?(TransferProgress(bytesDone: progress.bytesSent, bytesTotal: total))
        }
        let results = await calls.upload(
            files: [FileUpload(commit, source: OpenedSource(opened: opened))], options: batch)
        do throws(FileUploadError) {
            guard let result = results.first else { throw .malformedAnswer("no result") }
            return try result.get()
        } catch {
            throw .init(error)
        }
    }
}

/// A source that is open already.
private struct OpenedSource: FileSource {
    let opened: any OpenedFile

    func open() -> any OpenedFile { opened }
}
