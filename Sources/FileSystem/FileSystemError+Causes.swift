// From what other layers report to what a process is told. Exhaustive on purpose: a new case of
// `RemoteError` must choose its meaning here.

import Glibc
import RemoteStore
import Staging
import Sync

extension FileSystemError {
    /// What a failed question to the server means to the process that waits for it. Changes are not
    /// sent while a process waits, but for `fsync` with `fsync=remote`.
    init(_ error: RemoteError) {
        switch error {
        case .offline: self = .offline
        // The deadline is over: to the process it is the same as no network.
        case .timedOut, .rateLimited: self = .offline
        // Somebody must log in; until then nothing is allowed.
        case .unauthorized, .forbidden: self = .accessDenied
        // A name would have been looked up; what is missing is a revision or a folder behind a handle.
        case .notFound: self = .staleHandle
        case .notAFolder: self = .notADirectory
        case .notAFile: self = .isADirectory
        case .conflict: self = .exists
        case .insufficientSpace: self = .quotaExceeded
        case .tooLarge: self = .tooLarge
        case .disallowedName: self = .invalidArgument
        case .busy: self = .busy
        case .protected: self = .notPermitted
        case .notDownloadable: self = .unsupported
        case .cancelled: self = .interrupted
        case .cursorReset: self = .inputOutput("the listing's cursor expired")
        case .rootChanged: self = .inputOutput("the account's root has changed")
        case .rootMissing(let path):
            self = .inputOutput("the mounted folder is not on Dropbox any more: \(path)")
        case .contentMismatch: self = .inputOutput("the content does not match its hash")
        case .sessionLost: self = .inputOutput("the upload session was lost")
        case .malformed(let text):
            self = .inputOutput("the server's answer makes no sense: \(text)")
        case .server(let text): self = .inputOutput("the server failed: \(text)")
        case .local(.diskFull): self = .noSpace
        case .local(.other(let text)): self = .inputOutput(text)
        }
    }

    /// What any error of the layers below means.
    init(cause error: any Error) {
        switch error {
        case let error as FileSystemError: self = error
        case let error as StagingError where error.code == EFBIG: self = .tooLarge
        default: self.init(RemoteError.local(cause: error))
        }
    }
}

extension StagingError {
    /// Whether the staging file is not there.
    var isMissingFile: Bool { code == ENOENT }
}
