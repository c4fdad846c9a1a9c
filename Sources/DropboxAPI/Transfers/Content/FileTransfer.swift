// Options and the error of transfers of one whole file. Not responsible for the work: WholeUpload,
// WholeDownload.

import CLibrary
public import ContentHashing
import Essentials
import LocalFiles

/// Settings of the transfer of one file.
public struct FileTransferOptions: Sendable {
    /// Bytes of content in one request; units of 4 MiB, at most 144 MiB. A request of a long
    /// download asks for up to eight times as many; after a lost connection it goes on where it
    /// was.
    public var pieceSize: Int
    /// Requests with content in flight at once. An upload from a source that can be read only once
    /// holds a piece of each in memory.
    public var concurrency: Int
    /// Options of each request; `progress` is called for the transfer as a whole.
    public var call: CallOptions

    /// Takes over all fields.
    public init(
        pieceSize: Int = 8 << 20, concurrency: Int = 4, call: CallOptions = .init()
    ) {
        self.pieceSize = pieceSize
        self.concurrency = concurrency
        self.call = call
    }

    /// Options with a progress and the standard sizes.
    public static func progress(
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) -> FileTransferOptions {
        FileTransferOptions(call: CallOptions(progress: progress))
    }

    /// Options of a single request of the transfer.
    var single: CallOptions {
        var options = call
        options.progress = nil
        return options
    }
}

/// Why a file was not transferred.
@nonexhaustive public enum FileTransferError: Error, Sendable {
    /// A local file could not be opened, read, written or named; the text has the path and the
    /// system's words.
    case localFile(String)
    /// The local file changed while it was read. Nothing of it is visible on the server.
    case changed
    /// The sequence of bytes that was to be uploaded threw this error. Nothing of it is visible on
    /// the server.
    case source(any Error)
    /// There is a file at the local path, and it was not to be replaced.
    case targetExists(String)
    /// The server refused, or could not be reached; surely nothing was stored.
    /// `CallFailure.routeError` is the route's error, for example a `Files.UploadError` or a
    /// `Files.DownloadError`.
    case failed(CallFailure)
    /// The server refused a piece of the content.
    case refused(String)
    /// It is unknown whether the upload is stored: its response was lost, and the file is not, or
    /// is no longer, at its path; or the task was cancelled while the server may have been storing
    /// it.
    case uncertain(CallFailure?)
    /// The bytes have another hash than the file that they are, or became.
    case hashMismatch(expected: ContentHash, received: ContentHash?)
    /// The file has more bytes than the caller accepts.
    case tooLarge(limit: Int)
    /// The response does not fit the request.
    case malformedAnswer(String)
    /// The task was cancelled; of an upload, surely nothing was stored.
    case cancelled

    /// A failed call that stores nothing, or the caller's cancellation.
    init<Failure>(_ error: CallError<Failure>) {
        self = error.kind == .cancelled ? .cancelled : .failed(CallFailure(error))
    }

    init(_ error: DiskError, _ path: String) {
        self = .localFile("\(path): \(String(cString: strerror(error.errno)))")
    }

    /// A commit that has not returned its file.
    init<Failure>(_ error: CommitError<Failure>) {
        switch error {
        case .withoutEffect(let error): self.init(error)
        case .uncertain(let error): self = .uncertain(CallFailure(error))
        case .hashMismatch(let expected, let received):
            self = .hashMismatch(expected: expected, received: received)
        }
    }

    /// The same failure of one file of a batch.
    init(_ error: FileUploadError) {
        switch error {
        case .source(let error): self = .localFile("\(error)")
        case .changed: self = .changed
        case .start(let error), .finish(let error): self.init(error)
        case .send(let error): self.init(error)
        case .refused(let refusal): self = .refused("\(refusal)")
        case .commit(let refusal): self = .failed(CallFailure(refusal: refusal))
        case .uncertain(let error): self = .uncertain(error.map { CallFailure($0) })
        case .hashMismatch(let expected, let received):
            self = .hashMismatch(expected: expected, received: received)
        case .malformedAnswer(let text): self = .malformedAnswer(text)
        case .cancelled: self = .cancelled
        }
    }
}

extension CallFailure {
    /// The server's refusal of one of several files in a request.
    fileprivate init(refusal: Files.UploadSessionFinishError) {
        self.init(
            CallError(
                kind: .route(refusal, userMessage: nil),
                context: CallContext(route: "files/upload_session/finish_batch_v2", attempts: 1)))
    }
}

extension FileTransferError: DropboxError {
    /// The call that failed.
    public var failedCall: CallFailure? {
        switch self {
        case .failed(let call): call
        case .uncertain(let call): call
        default: nil
        }
    }
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .localFile(let text): text
        case .changed: "the local file changed while it was read"
        case .source(let error): "the bytes could not be read: \(error)"
        case .targetExists(let path): "\(path) exists already"
        case .failed(let call): "\(call.context.route): \(call.explanation)"
        case .refused(let text): "the content was refused: \(text)"
        case .uncertain(let call):
            "it is unknown whether the file is stored" + (call.map { ": \($0.explanation)" } ?? "")
        case .hashMismatch(let expected, let received):
            "the content has the hash \(received?.hex ?? "unknown") instead of \(expected.hex)"
        case .tooLarge(let limit): "the file has more than \(limit) bytes"
        case .malformedAnswer(let text): "the answer does not fit the request: \(text)"
        case .cancelled: "cancelled"
        }
    }
    /// Whether an upload may be stored, whole or damaged.
    public var mayHaveTakenEffect: Bool {
        switch self {
        case .uncertain, .hashMismatch, .malformedAnswer: true
        default: false
        }
    }
    /// Whether the caller's task was cancelled, also during the commit of an upload.
    public var isCancellation: Bool {
        if case .cancelled = self { true } else { failedCall?.kind == .cancelled }
    }
}
