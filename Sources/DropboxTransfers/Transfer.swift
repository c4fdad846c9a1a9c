// The requests to a queue of transfers, and the state of each transfer. Not responsible for running
// them.

public import DropboxAPI

/// A local file to upload to Dropbox.
public struct UploadRequest: Codable, Hashable, Sendable {
    /// The local file's absolute path.
    public var file: String
    /// The target path, and the write mode for a file that exists there.
    public var commit: Files.CommitInfo

    /// Takes over all fields.
    public init(file: String, commit: Files.CommitInfo) {
        self.file = file
        self.commit = commit
    }
}

/// A file at Dropbox to download.
public struct DownloadRequest: Codable, Hashable, Sendable {
    /// A path, an id or `rev:…`. The revision current when the transfer begins is fetched,
    /// regardless of later changes.
    public var path: Files.ReadPath
    /// The local file's absolute path; its folder must exist.
    public var file: String
    /// Whether an existing file is replaced.
    public var replacesExisting: Bool

    /// Takes over all fields.
    public init(path: Files.ReadPath, file: String, replacesExisting: Bool = false) {
        self.path = path
        self.file = file
        self.replacesExisting = replacesExisting
    }
}

/// A snapshot of a transfer.
public struct Transfer: Hashable, Sendable, Identifiable {
    /// The upload or download to perform.
    @nonexhaustive public enum Request: Hashable, Sendable {
        case upload(UploadRequest)
        case download(DownloadRequest)
    }

    /// The state of a transfer.
    @nonexhaustive public enum State: Hashable, Sendable {
        /// It waits for its start time, or for other transfers.
        case waiting
        /// It is running, or backs off after a network failure.
        case running
        /// The file is stored.
        case stored(Files.FileMetadata)
        /// It ended without a result.
        case failed(TransferFailure)
        /// It was cancelled by the caller.
        case cancelled
        /// It has not ended, and goes on when its folder is opened again. Until then it stays, for
        /// this reason: its record could not be read or written, or the client was shut down.
        case suspended(String)

        /// Whether the state is final.
        public var isEnded: Bool {
            switch self {
            case .waiting, .running, .suspended: false
            case .stored, .failed, .cancelled: true
            }
        }
    }

    /// The queue's number of the transfer, which is never reused.
    public let id: Int64
    /// The text that the caller gave it.
    public let label: String
    /// The request of the transfer.
    public let request: Request
    /// The time before which it does not start; nil for at once.
    public let earliestStart: Timestamp?
    /// The current state of the transfer.
    public internal(set) var state: State
    /// Bytes that have reached the other side.
    public internal(set) var bytesDone: UInt64
    /// Total bytes; nil while a download's size is unknown.
    public internal(set) var bytesTotal: UInt64?
}

/// The reason why a transfer ended without a result. Failures of the network, of its certificates
/// and of a token's renewal, and a failing or busy server are no reason: the transfer continues.
public struct TransferFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    @nonexhaustive public enum Reason: String, Codable, Sendable {
        /// The local file could not be read, or the folder could not be written.
        case localFile
        /// The local file has changed since the upload was enqueued.
        case sourceChanged
        /// A file exists at the download's target path.
        case targetExists
        /// The server refused, for example for a conflict.
        case refused
        /// The file to download does not exist.
        case notFound
        /// The content hash of the received or stored bytes is wrong.
        case damaged
        /// It is unknown whether the upload is stored: the commit may have succeeded, but the file
        /// is no longer at its path.
        case uncertain
        /// The client's access was revoked, or its permissions do not suffice.
        case access
    }

    /// The kind of the failure.
    public var reason: Reason
    /// The failure, in one line.
    public var message: String
    /// The tags of the route's error, such as `path/conflict/file`; nil without such an error.
    public var tagPath: String?
    /// The server's name for the request, to be quoted to its support; nil without one.
    public var requestID: String?
    /// The HTTP status of the response; nil without one.
    public var status: Int?

    /// Takes over all fields.
    public init(
        _ reason: Reason, _ message: String, tagPath: String? = nil, requestID: String? = nil,
        status: Int? = nil
    ) {
        self.reason = reason
        self.message = message
        self.tagPath = tagPath
        self.requestID = requestID
        self.status = status
    }

    /// Returns the same text as `message`.
    public var description: String { message }
}

/// The error of an operation on a queue.
@nonexhaustive public enum TransferQueueError: Error, Hashable, Sendable {
    /// Another queue, perhaps of another process, has locked this folder.
    case inUse
    /// The folder cannot be used; with the system's error number.
    case folder(errno: Int32)
    /// The database cannot be read or written; with SQLite's message.
    case database(String)
    /// The file to upload cannot be read.
    case source(LocalFile.Failure)
    /// There is no such transfer.
    case unknownTransfer
    /// The transfer has not ended, so it cannot be acknowledged.
    case notEnded
    /// The queue was closed.
    case closed
}
