// Errors between a filesystem and its cloud: what the server or the network says. The Dropbox
// implementation maps the API's unions to these; FileSystem and Sync translate them for processes.
// Not responsible for failures of this machine (`Sync/Errors/SyncError.swift`).

/// The error of a cloud operation.
package enum RemoteError: Error, Hashable, Sendable {
    /// The server cannot be reached (no route, no name, refused, reset after all retries, TLS).
    case offline(String)
    /// No connection was made for this change: the server has no request of it, and has not made
    /// it.
    case unreachable(String)
    /// The server failed before it was asked for this change, as at a new token or a question about
    /// the node: it has not made the change.
    case unsent(String)
    /// The server did not respond within the deadline.
    case timedOut
    /// The server asked for a pause beyond the call's deadline; seconds until a retry.
    case rateLimited(retryAfter: Double)
    /// The token is not valid or no longer valid: the user must log in.
    case unauthorized(String)
    /// The account or the token's scopes do not allow it.
    case forbidden(String)
    /// Nothing exists at the path, or the revision is unknown.
    case notFound
    /// A file is at the path of a folder.
    case notAFolder
    /// A folder is at the path of a file.
    case notAFile
    /// Another entry is at the path, or the revision is not the expected one.
    case conflict(Conflict)
    /// The account's quota is used up.
    case insufficientSpace
    /// The file is larger than the server accepts.
    case tooLarge
    /// The change would involve more files and folders than the server changes at once.
    case tooManyEntries
    /// The server does not store this name or path.
    case disallowedName
    /// Locked by another user, or contended beyond the deadline.
    case busy
    /// A folder of the team, a shared folder's mount point or another entry that cannot be changed.
    case protected(String)
    /// The cursor has expired: list again and compare.
    case cursorReset
    /// The file's bytes cannot be downloaded (cloud documents), or no thumbnail can be made of it.
    case notDownloadable
    /// The root of paths has changed, or the mounted folder has moved: call `refreshRoot` and list
    /// everything again.
    case rootChanged
    /// The mounted folder, which existed before, is gone from its path.
    case rootMissing(String)
    /// The uploaded bytes did not match their hash.
    case contentMismatch
    /// The upload session has expired or does not fit: start over.
    case sessionLost
    /// The server's response is invalid and is not used.
    case malformed(String)
    /// The server failed (5xx after all retries, or an error without a specific case).
    case server(String)
    /// The content that was to be sent cannot be read on this machine; with the reason.
    case contentUnreadable(String)
    /// The task was cancelled.
    case cancelled

    /// The kind of a conflict.
    package enum Conflict: Hashable, Sendable {
        /// A file, or another revision of the file.
        case file
        /// A folder is at the path.
        case folder
        /// A file is at the path of a parent folder.
        case ancestor
        /// The server did not report the kind.
        case other
    }

    /// Whether a retry may succeed after a while, without user action.
    package var isTransient: Bool {
        switch self {
        case .offline, .unreachable, .unsent, .timedOut, .rateLimited, .busy, .server, .sessionLost,
            .contentMismatch, .contentUnreadable:
            true
        case .unauthorized, .forbidden, .notFound, .notAFolder, .notAFile, .conflict,
            .insufficientSpace, .tooLarge, .tooManyEntries, .disallowedName, .protected,
            .cursorReset, .notDownloadable, .rootChanged, .rootMissing, .malformed, .cancelled:
            false
        }
    }

    /// Whether the server has not made the change that failed with this error, and will not make
    /// it. A conflict may be with this mount's own earlier request.
    package var saysNotDone: Bool {
        switch self {
        case .unreachable, .unsent, .notAFolder, .notAFile, .insufficientSpace, .tooLarge,
            .tooManyEntries, .disallowedName, .forbidden, .protected, .contentMismatch,
            .rateLimited, .unauthorized, .busy, .contentUnreadable:
            true
        case .offline, .timedOut, .notFound, .conflict, .cursorReset, .notDownloadable,
            .rootChanged, .rootMissing, .sessionLost, .malformed, .server, .cancelled:
            false
        }
    }

    /// This error, of a request that precedes a change: of the change itself, nothing was sent.
    var beforeChange: RemoteError {
        switch self {
        case .offline, .timedOut: .unreachable("\(self)")
        case .server, .malformed: .unsent("\(self)")
        default: self
        }
    }

    /// This error, where an earlier request may have made the change: then no refusal counts as
    /// "not made".
    package var afterPossibleChange: RemoteError { saysNotDone ? .server("\(self)") : self }
}
