// What a queue of transfers is asked for, and what it tells about each. Not responsible for doing any of it.

public import DropboxAPI

/// A local file that is to be stored at Dropbox.
public struct UploadRequest: Codable, Hashable, Sendable {
    /// The local file's absolute path.
    public var file: String
    /// Where it goes, and what is done about a file that is there already.
    public var commit: Files.CommitInfo

    /// Takes over all fields.
    public init(file: String, commit: Files.CommitInfo) {
        self.file = file
        self.commit = commit
    }
}

/// A file at Dropbox that is to be stored here.
public struct DownloadRequest: Codable, Hashable, Sendable {
    /// A path, an id or `rev:…`. Its version of the time when the transfer begins is fetched, whatever changes later.
    public var path: Files.ReadPath
    /// The local file's absolute path; its folder must exist.
    public var file: String
    /// Whether a file that is there is replaced.
    public var replacesExisting: Bool

    /// Takes over all fields.
    public init(path: Files.ReadPath, file: String, replacesExisting: Bool = false) {
        self.path = path
        self.file = file
        self.replacesExisting = replacesExisting
    }
}

/// A transfer as of a moment.
public struct Transfer: Hashable, Sendable, Identifiable {
    /// What is transferred.
    public enum Request: Hashable, Sendable {
        case upload(UploadRequest)
        case download(DownloadRequest)
    }

    /// How far it is.
    public enum State: Hashable, Sendable {
        /// Its turn or its time has not come.
        case waiting
        /// It is under way, or pauses after a failure of the network.
        case running
        /// The file is stored.
        case stored(Files.FileMetadata)
        /// It ended without a result.
        case failed(TransferFailure)
        /// It was cancelled.
        case cancelled

        /// Whether nothing more will happen.
        public var isEnded: Bool {
            switch self {
            case .waiting, .running: false
            case .stored, .failed, .cancelled: true
            }
        }
    }

    /// The queue's number of it, which is never used again.
    public let id: Int64
    /// Whatever its owner wrote there.
    public let label: String
    /// What is transferred.
    public let request: Request
    /// It does not start before; nil for at once.
    public let earliestStart: Timestamp?
    /// How far it is.
    public internal(set) var state: State
    /// Bytes that are on the other side.
    public internal(set) var bytesDone: UInt64
    /// All bytes; nil while a download's size is not known.
    public internal(set) var bytesTotal: UInt64?
}

/// Why a transfer ended without a result. What the network or a busy server does to it is no failure: it goes on.
public struct TransferFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Reason: String, Codable, Sendable {
        /// The local file could not be read, or the folder not be written to.
        case localFile
        /// The local file is not what it was when the upload was enqueued.
        case sourceChanged
        /// A file is where the download was to go.
        case targetExists
        /// The server refused, for example for a conflict.
        case refused
        /// There is nothing to download.
        case notFound
        /// The bytes that came, or were stored, are not those of the file.
        case damaged
        /// Nobody can tell whether the upload is stored: it may have been, and is not at its path any more.
        case uncertain
        /// The client's access has ended, or it may not do this.
        case access
    }

    /// What kind of failure it is.
    public var reason: Reason
    /// What happened, in one line.
    public var message: String

    /// Takes over all fields.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// Why a queue did not do what it was asked for.
public enum TransferQueueError: Error, Hashable, Sendable {
    /// Another queue, perhaps of another process, has this folder.
    case inUse
    /// The folder cannot be used; with the system's error number.
    case folder(errno: Int32)
    /// The record cannot be read or written; with SQLite's words.
    case database(String)
    /// The file to upload cannot be read.
    case source(LocalFile.Failure)
    /// There is no such transfer.
    case unknownTransfer
    /// It has not ended, so there is nothing to acknowledge.
    case notEnded
    /// The queue was closed.
    case closed
}
