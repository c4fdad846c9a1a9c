// Arguments, options and results of a batch upload. Not responsible for the work: see UploadRun.

public import ContentHashing

/// One file to upload.
public struct FileUpload: Sendable {
    /// The target path, and the write mode for a file that exists there.
    public var commit: Files.CommitInfo
    /// The source of its content.
    public var source: any FileSource

    /// Takes over all fields.
    public init(_ commit: Files.CommitInfo, source: any FileSource) {
        self.commit = commit
        self.source = source
    }
}

/// Limits of a batch upload.
public struct BatchUploadOptions: Sendable {
    /// Bytes of content held in memory at most, 8 MiB at least: one request being filled, and those
    /// in flight.
    public var memoryBudget: Int
    /// Bytes of content in one request, at most. It is rounded down to units of 4 MiB, and is at
    /// most 144 MiB.
    public var pieceSize: Int
    /// Requests with content in flight at once, at most.
    public var concurrency: Int
    /// Options of each request.
    public var call: CallOptions
    /// Called on each progress; from any thread, never concurrently. It must return quickly.
    public var progress: (@Sendable (BatchUploadProgress) -> Void)?

    /// Takes over all fields.
    public init(
        memoryBudget: Int = 64 << 20, pieceSize: Int = 8 << 20, concurrency: Int = 4,
        call: CallOptions = .init(), progress: (@Sendable (BatchUploadProgress) -> Void)? = nil
    ) {
        self.memoryBudget = memoryBudget
        self.pieceSize = pieceSize
        self.concurrency = concurrency
        self.call = call
        self.progress = progress
    }
}

/// The progress of a batch upload.
public struct BatchUploadProgress: Hashable, Sendable {
    /// Bytes of content that the server has accepted.
    public var bytesSent: UInt64 = 0
    /// Number of files stored.
    public var filesStored = 0
    /// Number of files that failed.
    public var filesFailed = 0
    /// Number of files in the upload.
    public var filesTotal: Int
}

/// Why one file of many was not uploaded.
@nonexhaustive public enum FileUploadError: Error, Sendable {
    /// It could not be opened or read.
    case source(any Error)
    /// It changed while it was read. Nothing of it is visible.
    case changed
    /// No upload session could be started.
    case start(CallError<NoError>)
    /// The request with its content failed.
    case send(CallError<Files.UploadSessionAppendBatchError>)
    /// Its content was refused.
    case refused(Files.UploadSessionAppendBatchEntryError)
    /// The commit request failed, surely without effect.
    case finish(CallError<NoError>)
    /// The commit was refused for this file alone, for example because of a conflict.
    case commit(Files.UploadSessionFinishError)
    /// It is unknown whether the file is stored: the commit request may have taken effect, but the
    /// file is not, or is no longer, at its path, or the task was cancelled during the commit. With
    /// `autorename` it may be there under another name.
    case uncertain(CallError<NoError>?)
    /// The server stored other bytes than those that were read.
    case hashMismatch(expected: ContentHash, received: ContentHash?)
    /// The server's response does not fit the request.
    case malformedAnswer(String)
    /// The task was cancelled before the commit: surely nothing is stored.
    case cancelled
}

extension Files.Calls {
    /// Uploads many files in few requests; returns the result of each, in their order.
    ///
    /// Small files share requests, large ones are sent in several pieces in parallel; files become
    /// visible in batches of up to 1,000. A failed file does not affect the others. The
    /// stored content hash is compared with the hash of the bytes read. After a
    /// lost response the server's state is checked before any retry, so no file is stored twice.
    ///
    /// Cancelling the task ends all transfers at once; files stored by then stay.
    public func upload(
        files: [FileUpload], options: BatchUploadOptions = .init()
    ) async -> [Result<Files.FileMetadata, FileUploadError>] {
        await UploadRun(calls: self, files: files, options: options).results()
    }
}
