// The errors of Sync: the server's refusals, and failures of this machine, which say nothing about
// the network and are never shown as "offline". Not responsible for the reaction
// (`UploadReaction.swift`).

import Glibc
import MetadataStore
package import RemoteStore
import Staging

/// The error of a step, of a listing, or of a wait for one.
package enum SyncError: Error, Hashable, Sendable {
    /// The server or the network, or the end of the task.
    case remote(RemoteError)
    /// A disk or the database of this machine.
    case local(LocalFailure)
    /// The server no longer has the revision that staged content is an edit of, so the blocks that
    /// were never read here are lost.
    case baseLost
    /// The feed has to begin anew with a listing, although its cursor is valid.
    case relist(RelistReason)
    /// A change that is waited for is not sent because of a problem, which has this text.
    case delayed(String)

    /// The task was cancelled, or the step no longer holds.
    static var cancelled: SyncError { .remote(.cancelled) }

    /// The message for users if a base revision is gone.
    package static let baseLostProblem =
        "the version that this is an edit of is no longer on Dropbox, and with it the parts that were never read here: "
        + "save the whole file anew, or copy what is here with dd conv=noerror,sync and remove the file"

    /// The meaning of the error of a layer below.
    package init(cause: any Error) {
        switch cause {
        case let error as SyncError: self = error
        case let error as RemoteError: self = .remote(error)
        case is CancellationError: self = .cancelled
        case let error as StagingError: self = .local(LocalFailure(error))
        case _ where MetadataStore.isDiskFull(cause): self = .local(.diskFull)
        default: self = .local(.database("\(cause)"))
        }
    }

    /// The error for a step that waits because of a problem, by the text in the journal. For a
    /// process that waits, only a full disk and a full account are errors of their own.
    init(problem: String) {
        self =
            switch problem {
            case LocalFailure.diskFull.problem: .local(.diskFull)
            case LocalFailure.reserveReached.problem: .local(.reserveReached)
            case UploadReaction.fullAccount: .remote(.insufficientSpace)
            default: .delayed(problem)
            }
    }

    /// Whether a retry may succeed after a while, without user action.
    var isTransient: Bool {
        switch self {
        case .remote(let error): error.isTransient
        // A revision can be unknown for seconds after its upload.
        case .local, .baseLost, .delayed: true
        case .relist: false
        }
    }
}

extension SyncError: CustomStringConvertible {
    /// The reason in a few words.
    package var description: String {
        switch self {
        case .remote(let error): "\(error)"
        case .local(let failure): failure.problem
        case .baseLost: Self.baseLostProblem
        case .relist(let reason): "\(RemoteError.cursorReset): \(reason)"
        case .delayed(let problem): problem
        }
    }
}

/// Why the feed begins anew with a listing by its own decision.
package enum RelistReason: Hashable, Sendable {
    /// Deltas or a response contradict the tree.
    case contradiction
    /// There are more deltas than fit into memory.
    case tooManyDeltas
}

extension RelistReason: CustomStringConvertible {
    /// The reason in a few words.
    package var description: String {
        switch self {
        case .contradiction: "what the server says contradicts the tree"
        case .tooManyDeltas: "there are too many changes to apply at once"
        }
    }
}

/// The outcome of one of several steps or requests.
typealias SyncOutcome<Value: Sendable> = Result<Value, SyncError>

/// Asks the server. Its refusal is thrown as an error of Sync.
nonisolated(nonsending) func fromServer<Value: Sendable>(
    _ request: @autoclosure () async throws(RemoteError) -> Value
) async throws(SyncError) -> Value {
    do throws(RemoteError) {
        return try await request()
    } catch {
        throw .remote(error)
    }
}

/// Works on the local database. Its failure is thrown as an error of Sync.
nonisolated(nonsending) func fromStore<Value: Sendable>(
    _ work: nonisolated(nonsending) () async throws -> Value
) async throws(SyncError) -> Value {
    do {
        return try await work()
    } catch {
        throw SyncError(cause: error)
    }
}

/// A failure of this machine.
package enum LocalFailure: Hashable, Sendable {
    /// The disk of the state folder, or the user's quota on it, is full.
    case diskFull
    /// The disk of the state folder has only the reserve for users' writes left.
    case reserveReached
    /// A staging file has lost bytes of its content.
    case stagedContentCut
    /// A flush of a staging file has failed, so the disk may have other bytes than were written.
    case stagedContentDoubtful
    /// A system call on a staging file failed, with the system's reason.
    case staging(String)
    /// The local database failed, with its reason.
    case database(String)

    init(_ error: StagingError) {
        if error.isOfFullDisk {
            self = .diskFull
        } else {
            switch error.reason {
            case .short: self = .stagedContentCut
            case .notFlushed: self = .stagedContentDoubtful
            case nil: self = .staging(String(cString: strerror(error.code)))
            }
        }
    }

    private static let stagingFailed = "a staging file failed: "

    /// The message for users.
    package var problem: String {
        switch self {
        case .diskFull: "the disk of the state folder is full: free some space"
        case .reserveReached:
            "the disk of the state folder is almost full, and changes on Dropbox wait: free some space"
        case .stagedContentCut:
            Self.stagingFailed
                + "it has lost bytes of the content; the next start puts it aside, see dbxfs recover"
        case .stagedContentDoubtful:
            Self.stagingFailed
                + "the disk did not take the content; copy the file, and rename the copy over it"
        case .staging(let reason): "\(Self.stagingFailed)\(reason)"
        case .database(let reason): "the local database failed: \(reason)"
        }
    }
}

extension Problem {
    /// Why a change waits after a failure of this machine.
    init(_ failure: LocalFailure) {
        switch failure {
        case .stagedContentCut, .stagedContentDoubtful: self = .lasting(failure.problem)
        case .diskFull, .reserveReached, .staging, .database: self = .passing(failure.problem)
        }
    }
}
