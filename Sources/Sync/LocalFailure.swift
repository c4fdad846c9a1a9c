// The translation of failures of the local disk or database to `RemoteError`. Such a failure says
// nothing of the network: it is never shown as "offline".

import Glibc
import MetadataStore
public import RemoteStore
import Staging

extension RemoteError {
    /// The meaning of a failed local write or read for a step, or for the process that waits for
    /// it.
    public static func local(cause: any Error) -> RemoteError {
        switch cause {
        case let error as RemoteError: return error
        case is CancellationError: return .cancelled
        case let error as StagingError where error.code == ENOSPC || error.code == EDQUOT:
            return .local(.diskFull)
        case let error as StagingError where error.reason == .short:
            return .local(.other("\(stagingFailed)\(isShort)"))
        case let error as StagingError where error.reason == .notFlushed:
            return .local(.other("\(stagingFailed)\(isDoubtful)"))
        case let error as StagingError:
            return .local(.other("\(stagingFailed)\(String(cString: strerror(error.code)))"))
        case _ where MetadataStore.isDiskFull(cause): return .local(.diskFull)
        default: return .local(.other(databaseFailed + "\(cause)"))
        }
    }

    private static let stagingFailed = "a staging file failed: "
    private static let isShort =
        "it has lost bytes of the content; the next start puts it aside, see dbxfs recover"
    private static let isDoubtful =
        "the disk did not take the content; copy the file, and rename the copy over it"
    private static let databaseFailed = "the local database failed: "

    /// The error for a step that waits because of `problem`.
    init(problem: String) {
        switch problem {
        case UploadReaction.fullAccount: self = .insufficientSpace
        case UploadReaction.fullDisk: self = .local(.diskFull)
        default:
            // The journal has the text alone.
            let failures = [Self.stagingFailed, Self.databaseFailed]
            let isLocal =
                problem == UploadReaction.lostBase || failures.contains(where: problem.hasPrefix)
            self = isLocal ? .local(.other(problem)) : .server(problem)
        }
    }
}

extension RemoteError.LocalFailure {
    /// The message for people.
    public var problem: String {
        switch self {
        case .diskFull: UploadReaction.fullDisk
        case .other(let reason): reason
        }
    }
}
