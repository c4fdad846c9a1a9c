// The common side of all errors of the library, so that one `catch`, one middleware or one job
// queue can handle the errors of all routes. Not responsible for single errors: their own types
// have the cases.

public import Essentials

/// Any error of this library.
///
///     catch let error as any DropboxError {
///         logger.warning("\(error.summary)")
///         return answer(502, error.localizedDescription)
///     }
public protocol DropboxError: LocalizedError, CustomStringConvertible, Sendable {
    /// One line for a log: where, what happened, what to do, and the request's id.
    var summary: String { get }
    /// The failed call, if a call is the cause: its kind, route, request id and route error.
    var failedCall: CallFailure? { get }
    /// Whether the cause is probably a missing network connection.
    var isConnectivityLoss: Bool { get }
    /// False when the server cannot have carried out the request.
    var mayHaveTakenEffect: Bool { get }
    /// Whether the caller's task was cancelled. This library throws its own errors then, and no
    /// `CancellationError`.
    var isCancellation: Bool { get }
    /// The server's name for the failed request, to be quoted to its support.
    var requestID: String? { get }
}

extension DropboxError {
    /// By default the same text as `summary`.
    public var description: String { summary }
    /// By default no call is the cause.
    public var failedCall: CallFailure? { nil }
    /// By default the failed call's.
    public var isConnectivityLoss: Bool { failedCall?.isConnectivityLoss ?? false }
    /// By default the failed call's.
    public var mayHaveTakenEffect: Bool { failedCall?.mayHaveTakenEffect ?? false }
    /// By default the failed call's.
    public var isCancellation: Bool { failedCall?.kind == .cancelled }

    /// By default the failed call's.
    public var requestID: String? { failedCall?.context.requestID }
    /// The message that the server wants its user to see, with its language.
    public var userMessage: UserMessage? { failedCall?.context.answer?.userMessage }
    /// A sentence for a user: the server's own if it sent one. Also `localizedDescription`.
    public var errorDescription: String? { failedCall?.sentence ?? summary.asSentence }
}

extension CallFailure {
    /// A sentence for a user: the server's own if it sent one.
    public var sentence: String {
        if let message = context.answer?.userMessage, !message.text.isEmpty { return message.text }
        guard let routeError else { return explanation.asSentence }
        let tags = routeError.tagPath
        let leaf = tags.split(separator: "/").last.map(String.init) ?? ""
        return Self.refusals[tags] ?? Self.refusals[leaf] ?? "Dropbox refused: \(tags)."
    }

    /// Sentences for refusals that a user can do something about, by tag path or last tag.
    private static let refusals = [
        "not_found": "There is no such file or folder.",
        "not_file": "This is not a file.",
        "not_folder": "This is not a folder.",
        "restricted_content":
            "Dropbox does not give this file out, because somebody claims rights in it.",
        "malformed_path": "The path is not one that Dropbox can have.",
        "disallowed_name": "Dropbox does not allow this name.",
        "insufficient_space": "There is not enough space in the Dropbox.",
        "no_write_permission": "This folder may not be changed.",
        "cant_move_shared_folder": "A shared folder cannot be moved there.",
        "too_many_write_operations": "The Dropbox is busy with other changes; try again.",
        "too_many_files": "These are too many files at once.",
        "path/conflict/file": "A file with this name exists already.",
        "path/conflict/folder": "A folder with this name exists already.",
        "to/conflict/file": "A file with this name exists already.",
        "to/conflict/folder": "A folder with this name exists already.",
        "path/reason/conflict/file": "A file with this name exists already.",
        "path/reason/conflict/folder": "A folder with this name exists already.",
        "content_hash_mismatch": "The content arrived damaged; try again.",
        "reset": "The server has forgotten the place in the listing; list again.",
    ]
}

extension String {
    /// The text with a capital letter and a full stop.
    fileprivate var asSentence: String {
        guard let first = first else { return "" }
        let isEnded = last.map { ".!?".contains($0) } ?? false
        return first.uppercased() + dropFirst() + (isEnded ? "" : ".")
    }
}

// MARK: The library's errors

extension CallError: DropboxError {
    /// The error itself, without its route's type.
    public var failedCall: CallFailure? { CallFailure(self) }
}

extension TransportError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String { kind == .cancelled ? "cancelled" : advice }
    /// Whether the server may have the request.
    public var mayHaveTakenEffect: Bool { mayHaveBeenReceived }
    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool { kind == .cancelled }
}

extension TokenError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String { advice }
    /// Whether the login server could not be reached.
    public var isConnectivityLoss: Bool {
        if case .transport(let error) = self { error.isConnectivityLoss } else { false }
    }
    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool { self == .cancelled }
}

extension TokenStoreError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String { description }
}
