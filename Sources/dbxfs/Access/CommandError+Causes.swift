// Translates errors of the layers below into messages about a mount that cannot start.

import Foundation
import MetadataStore
import Mounting
import RemoteStore
import Saturating
import Sync
import SystemPackage

extension CommandError {
    /// The same, as of a command for which no mount fails: 32 is for mounts, and ls(1) ends with 2.
    var withoutMount: CommandError {
        exitStatus == .mountFailure ? .reported(message, .system) : self
    }

    /// Translates the server's refusal of the first requests.
    init(_ error: RemoteError, server: String, remotePath: String) {
        switch error {
        case .offline, .unreachable, .timedOut:
            self = .unreachable(server: server, detail: "\(error)")
        case .unauthorized(let detail): self = .unauthorized(server: server, detail: detail)
        case .forbidden(let detail), .protected(let detail):
            self = .forbidden(server: server, detail: detail)
        case .malformed(let detail): self = .serverNonsense(server: server, detail: detail)
        case .contentUnreadable(let detail): self = .system("the content cannot be read: \(detail)")
        case .notFound, .disallowedName, .rootMissing: self = .remoteFolderMissing(remotePath)
        case .notAFolder: self = .remoteNotAFolder(remotePath)
        case .rateLimited, .server, .unsent, .notAFile, .conflict, .insufficientSpace, .tooLarge,
            .tooManyEntries, .busy, .cursorReset, .notDownloadable, .rootChanged, .contentMismatch,
            .sessionLost, .cancelled:
            self = .serverFailed(server: server, detail: "\(error)")
        }
    }

    /// Translates the server's refusal of what a command asked a running mount for.
    init(refusal error: RemoteError, by server: String) {
        switch error {
        case .unauthorized(let detail): self = .unauthorized(server: server, detail: detail)
        default: self = .serverRefused(server: server, detail: "\(error)")
        }
    }

    /// Translates a failure to open a file on the local disk.
    init(opening path: String, _ error: any Error) {
        if let error = error as? CommandError {
            self = error
        } else if let failure = MetadataStore.failure(in: error) {
            switch failure {
            case .diskFull: self = .diskFull(path)
            case .damaged(let detail): self = .databaseDamaged(path: path, detail: detail)
            case .other(let detail): self = .folderUnusable(path: path, reason: detail)
            }
        } else if (error as? POSIXError)?.code == .ENOSPC || (error as? Errno) == .noSpace {
            self = .diskFull(path)
        } else if let error = error as? POSIXError {
            self = .folderUnusable(
                path: path, reason: Errno(rawValue: Int32(clamping: error.errorCode)).description)
        } else if error is MetadataStore.TooNew {
            self = .databaseTooNew(path)
        } else if let error = error as? DamagedRow {
            self = .databaseDamaged(path: path, detail: "\(error)")
        } else {
            self = .folderUnusable(path: path, reason: "\(error)")
        }
    }
}
