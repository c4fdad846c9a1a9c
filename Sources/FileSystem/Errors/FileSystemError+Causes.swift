// The table from errors of other layers to `FileSystemError`. Exhaustive, so that a new case of
// `RemoteError` or `SyncError` must choose its meaning here.

import Glibc
import RemoteStore
import Staging
import Sync
import Tree

extension FileSystemError {
    /// The meaning of a failed request for the process that waits for it. Only `fsync` with
    /// `fsync=remote` waits for an upload; all other requests are reads.
    init(_ error: RemoteError) {
        switch error {
        case .offline, .unreachable: self = .offline
        // The deadline has passed: for the process the same as no network.
        case .timedOut, .rateLimited: self = .offline
        // The account needs a login first.
        case .unauthorized, .forbidden: self = .accessDenied
        // A missing name fails in the lookup, so this is the revision or folder behind a handle.
        case .notFound: self = .staleHandle
        case .notAFolder: self = .notADirectory
        case .notAFile: self = .isADirectory
        case .conflict: self = .exists
        case .insufficientSpace: self = .quotaExceeded
        case .tooLarge: self = .tooLarge
        case .disallowedName: self = .invalidArgument
        case .busy: self = .busy
        case .protected: self = .notPermitted
        case .tooManyEntries: self = .inputOutput("too many entries for one change")
        case .notDownloadable: self = .unsupported
        case .cancelled: self = .interrupted
        case .cursorReset: self = .inputOutput("the listing's cursor expired")
        case .rootChanged: self = .inputOutput("the account's root has changed")
        case .rootMissing(let path):
            self = .inputOutput("the mounted folder is no longer on Dropbox: \(path)")
        case .contentMismatch: self = .inputOutput("the content does not match its hash")
        case .sessionLost: self = .inputOutput("the upload session was lost")
        case .malformed(let text):
            self = .inputOutput("the server's answer makes no sense: \(text)")
        case .server(let text), .unsent(let text):
            self = .inputOutput("the server failed: \(text)")
        case .contentUnreadable(let text):
            self = .inputOutput("the content cannot be read: \(text)")
        }
    }

    /// The meaning of a failed step or listing for the process that waits for it.
    init(_ error: SyncError) {
        switch error {
        case .remote(let error): self.init(error)
        case .local(let failure): self.init(failure)
        case .baseLost: self = .inputOutput(SyncError.baseLostProblem)
        // Only the feed has this error.
        case .relist: self.init(RemoteError.cursorReset)
        case .delayed(let problem): self = .inputOutput(problem)
        }
    }

    /// The meaning of a failed export for the process that waits for it, or reads it.
    init(_ failure: ExportFailure) {
        switch failure {
        case .remote(let error): self.init(error)
        case .local(ENOSPC), .local(EDQUOT): self = .noSpace
        case .local(let code):
            self = .inputOutput("an export on this disk: \(String(cString: strerror(code)))")
        }
    }

    private init(_ failure: LocalFailure) {
        switch failure {
        case .diskFull, .reserveReached: self = .noSpace
        case .stagedContentCut, .stagedContentDoubtful, .staging, .database:
            self = .inputOutput(failure.problem)
        }
    }

    /// The meaning of a refused change of the tree.
    init(_ error: TreeError) {
        switch error {
        case .noEntry: self = .noEntry
        case .notADirectory: self = .notADirectory
        case .isADirectory: self = .isADirectory
        case .exists: self = .exists
        case .notEmpty: self = .notEmpty
        case .invalidArgument: self = .invalidArgument
        case .invalidEncoding: self = .invalidEncoding
        case .readOnly: self = .readOnly
        case .accessDenied: self = .accessDenied
        case .notPermitted: self = .notPermitted
        case .unsupported: self = .unsupported
        case .busy: self = .busy
        case .crossDevice: self = .crossDevice
        case .staleContent: self = .staleHandle
        case .noContent(let inode): self = .inputOutput("the file \(inode) has no content")
        }
    }

    /// Translates any error of the layers below.
    init(cause error: any Error) {
        switch error {
        case let error as FileSystemError: self = error
        case let error as TreeError: self.init(error)
        case let error as StagingError where error.code == EFBIG: self = .tooLarge
        case let error as StagingError where error.code == EOPNOTSUPP: self = .unsupported
        case let error as StagingError where error.code == EMFILE || error.code == ENFILE:
            self = .tooManyOpenFiles
        default: self.init(SyncError(cause: error))
        }
    }
}

extension StagingError {
    /// Whether the staging file is missing.
    var isMissingFile: Bool { code == ENOENT }
}
