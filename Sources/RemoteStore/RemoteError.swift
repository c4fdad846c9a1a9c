// What can go wrong between a filesystem and its cloud. The Dropbox implementation maps the API's
// unions to these; what each becomes for a process is decided in FileSystem and Sync.

/// Why the cloud did not do as asked.
public enum RemoteError: Error, Hashable, Sendable {
    /// The server cannot be reached (no route, no name, refused, reset after all retries, TLS).
    case offline(String)
    /// The server did not answer within the deadline.
    case timedOut
    /// Asked to wait, beyond the call's deadline; seconds until it may be tried.
    case rateLimited(retryAfter: Double)
    /// The token is not valid (any more): somebody must log in.
    case unauthorized(String)
    /// The account or the token's scopes do not allow it.
    case forbidden(String)
    /// Nothing is at that place, or the revision is unknown.
    case notFound
    /// A file is where a folder was expected.
    case notAFolder
    /// A folder is where a file was expected.
    case notAFile
    /// Something else is at the place, or another revision than the expected one.
    case conflict(Conflict)
    /// The account is full.
    case insufficientSpace
    /// Larger than the server takes.
    case tooLarge
    /// The name or path is one that the server does not store.
    case disallowedName
    /// Locked by somebody, or contended beyond the deadline.
    case busy
    /// A folder of the team, a shared folder's mount point or another thing that must stay.
    case protected(String)
    /// The cursor has expired: list again and compare.
    case cursorReset
    /// The file's bytes cannot be downloaded (cloud documents).
    case notDownloadable
    /// Paths start from somewhere else now, or the mounted folder is not where it was: `refreshRoot` is to be
    /// called, and everything to be listed again.
    case rootChanged
    /// Nothing is at the path of the mounted folder, which was there before.
    case rootMissing(String)
    /// The bytes did not match their hash on the way up.
    case contentMismatch
    /// The upload session is gone or does not fit: start over.
    case sessionLost
    /// The server's answer makes no sense; never believed.
    case malformed(String)
    /// The server failed (5xx after all retries, or an error that has no better name).
    case server(String)
    /// This machine, and not the server, could not do its part.
    case local(LocalFailure)
    /// The task was cancelled.
    case cancelled

    /// What failed on this machine.
    public enum LocalFailure: Hashable, Sendable {
        /// The disk, or the user's share of it, is full.
        case diskFull
        /// The disk or the database failed: what people are told.
        case other(String)
    }

    /// What was in the way.
    public enum Conflict: Hashable, Sendable {
        /// A file, or another revision of the file.
        case file
        /// A folder.
        case folder
        /// A file is where a parent folder should be.
        case ancestor
        /// The server did not say.
        case other
    }

    /// Whether the same call may succeed after a while, without anybody's doing.
    public var isTransient: Bool {
        switch self {
        case .offline, .timedOut, .rateLimited, .busy, .server, .sessionLost, .contentMismatch,
            .local:
            true
        case .unauthorized, .forbidden, .notFound, .notAFolder, .notAFile, .conflict,
            .insufficientSpace, .tooLarge, .disallowedName, .protected, .cursorReset,
            .notDownloadable, .rootChanged, .rootMissing, .malformed, .cancelled:
            false
        }
    }
}
