// What an upload of many files is given, and what it tells. Not responsible for the work: see UploadRun.

public import ContentHashing

/// One file to upload.
public struct FileUpload: Sendable {
    /// Where it goes, and what is done about a file that is there already.
    public var commit: Files.CommitInfo
    /// Its content.
    public var source: any FileSource

    /// Takes over all fields.
    public init(_ commit: Files.CommitInfo, source: any FileSource) {
        self.commit = commit
        self.source = source
    }
}

/// How many files travel.
public struct BatchUploadOptions: Sendable {
    /// Bytes of content held in memory at most, 8 MiB at least: one request's worth that is read, and as many as are
    /// on their way.
    public var memoryBudget: Int
    /// Bytes of content in one request, at most. It is rounded down to units of 4 MiB, and is at most 144 MiB.
    public var pieceSize: Int
    /// Requests with content on their way at once, at most.
    public var concurrency: Int
    /// For each request.
    public var call: CallOptions
    /// Told of each step forward; called from any thread, never twice at once. It must return quickly.
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

/// How far an upload of many files is.
public struct BatchUploadProgress: Hashable, Sendable {
    /// Bytes of content that the server has taken.
    public var bytesSent: UInt64 = 0
    /// Files that are stored.
    public var filesStored = 0
    /// Files that failed.
    public var filesFailed = 0
    /// All files.
    public var filesTotal: Int
}

/// Why one file of many was not uploaded.
public enum FileUploadError: Error, Sendable {
    /// It could not be opened or read.
    case source(any Error)
    /// It changed while it was read. Nothing of it is visible.
    case changed
    /// No upload session was to be had.
    case start(CallError<NoError>)
    /// The request with its content failed.
    case send(CallError<Files.UploadSessionAppendBatchError>)
    /// Its content was refused.
    case refused(Files.UploadSessionAppendBatchEntryError)
    /// The request to make it a file failed, surely without effect.
    case finish(CallError<NoError>)
    /// It was not made a file, for a reason of its own such as a conflict.
    case commit(Files.UploadSessionFinishError)
    /// Nobody can tell whether it is stored: the request to make it a file may have had its effect, and it is not, or
    /// not any more, at its path. With `autorename` it may be there under another name.
    case uncertain(CallError<NoError>?)
    /// The server stored other bytes than those that were read.
    case mismatch(stored: Files.FileMetadata, expected: ContentHash)
    /// The server's answer does not fit the request.
    case malformedAnswer(String)
    /// The task was cancelled before the file was made one.
    case cancelled
}

extension Files.Calls {
    /// Uploads many files, in few requests; returns what became of each, in their order.
    ///
    /// Small files share requests, large ones travel in pieces, several at once; files become visible in groups of up
    /// to 1,000. A file that fails leaves the others alone. Each is read once; what it becomes is compared with the hash of
    /// what was read. When an answer is lost, it is found out what the server has done before anything is done again,
    /// so no file is stored twice.
    ///
    /// Cancelling the task ends all transfers at once; files that are stored by then stay.
    public func upload(
        files: [FileUpload], options: BatchUploadOptions = .init()
    ) async -> [Result<Files.FileMetadata, FileUploadError>] {
        await UploadRun(calls: self, files: files, options: options).results()
    }
}
