// The error policy for refused steps. Pure: error and step in, reaction out.

import Core
import MetadataStore
import RemoteStore
import Tree

/// The reaction to a refusal.
enum UploadReaction: Hashable, Sendable {
    /// Suspends all uploads for so many seconds; the entry keeps its turn.
    case pause(seconds: Double, Pause)
    /// Retries this entry after so many seconds, and reports the problem.
    case retry(seconds: Double, problem: Problem)
    /// Retries this entry after so many seconds, when the server will be ready for it.
    case wait(seconds: Double)
    /// Requests the present state of these paths and applies it; the next step follows from that.
    case refresh([RemotePath])
    /// Undoes a change that will never be allowed: users see the server's state.
    case undo(reason: String)
    /// Has a folder moved in parts.
    case split
    /// Modes, attributes or a link stay on this machine.
    case keepHere
    /// The content has changed since: decide again.
    case restart

    /// Why uploads are suspended.
    enum Pause: Hashable, Sendable {
        case offline(String)
        case rateLimit
        case authentication(String)
        /// A local failure: the server may well be reachable.
        case local(String)
    }

    /// Seconds, at most, until the network or the local disk is tried again: a user who is back
    /// waits no longer.
    private static let offlinePause = 30.0
    /// Seconds until a refused token is tried again, in case that it was the server's mistake. A
    /// new login is noticed at once.
    private static let loginPause = 30.0
    /// Seconds, at least, between two tries to store in a full account.
    private static let fullPause = 30.0
    /// Seconds until content that Dropbox does not allow is sent again: others may have changed
    /// rights by then.
    private static let refusalPause = 600.0
    /// Seconds until a step is repeated that only a change by users could make possible.
    private static let hopelessPause = 3600.0
    /// The longest backoff after failures of the server in seconds.
    private static let longestDelay = 300.0

    init(to error: SyncError, step: UploadStep, attempts: Int) {
        let delay = min(Self.offlinePause, Self.delay(after: attempts))
        switch error {
        case .remote(let error): self.init(to: error, step: step, attempts: attempts)
        case .local(let failure): self = .retry(seconds: delay, problem: Problem(failure))
        case .baseLost:
            // A revision can be unknown for seconds after its upload.
            self = .retry(
                seconds: attempts < 3 ? delay : Self.hopelessPause,
                problem: .lasting(SyncError.baseLostProblem))
        // No step has these errors.
        case .relist: self.init(to: RemoteError.cursorReset, step: step, attempts: attempts)
        case .delayed(let problem): self = .retry(seconds: delay, problem: .passing(problem))
        }
    }

    private init(to error: RemoteError, step: UploadStep, attempts: Int) {
        let delay = Self.delay(after: attempts)
        switch error {
        case .offline(let reason), .unreachable(let reason):
            self = .pause(seconds: min(delay, Self.offlinePause), .offline(reason))
        case .timedOut:
            self = .pause(
                seconds: min(delay, Self.offlinePause),
                .offline("the server did not answer in time"))
        case .rateLimited(let seconds): self = .pause(seconds: seconds, .rateLimit)
        case .unauthorized(let reason):
            self = .pause(seconds: Self.loginPause, .authentication(reason))
        case .cancelled, .sessionLost, .contentMismatch, .rootChanged, .rootMissing:
            self = .restart
        case .notFound: self = Self.notFound(step, attempts: attempts)
        case .conflict, .notAFolder, .notAFile: self = .refresh(step.paths)
        case .busy:
            self = .retry(seconds: delay, problem: .passing("the server is busy with this file"))
        case .server(let reason), .unsent(let reason):
            self = .retry(seconds: delay, problem: .passing(reason))
        case .malformed(let reason):
            self = .retry(
                seconds: delay,
                problem: .passing("the server's answer makes no sense: \(reason)"))
        case .insufficientSpace:
            self = .retry(
                seconds: max(Self.fullPause, delay), problem: .lasting(Self.fullAccount))
        case .tooLarge:
            self = .retry(
                seconds: Self.hopelessPause, problem: .lasting("larger than Dropbox can store"))
        case .tooManyEntries: self = Self.tooMany(step)
        case .forbidden(let reason): self = Self.refused(step, "not allowed: \(reason)")
        case .protected(let reason): self = Self.refused(step, "protected: \(reason)")
        case .disallowedName: self = Self.refused(step, "Dropbox does not store this name")
        case .contentUnreadable(let reason):
            self = .retry(
                seconds: min(delay, Self.offlinePause),
                problem: .passing("the content cannot be read: \(reason)"))
        case .cursorReset, .notDownloadable:
            self = .retry(seconds: delay, problem: .passing("\(error)"))
        }
    }

    /// The message for people if the account is full.
    static let fullAccount = "the account is full: delete something or get more space"

    /// The problem of a step that is refused again and again for no reason that can be seen.
    static func unexplained(_ error: SyncError) -> Problem {
        .lasting("Dropbox refuses it: \(error)")
    }

    /// Exponential backoff from one second to five minutes.
    static func delay(after attempts: Int) -> Double {
        min(longestDelay, Double(sign: .plus, exponent: min(max(0, attempts), 9), significand: 1))
    }

    private static func notFound(_ step: UploadStep, attempts: Int) -> UploadReaction {
        switch step {
        // Deleted or moved by another client; the feed will contain a move.
        case .deleteFile, .deleteFolder, .setFacts: .refresh(step.paths)
        case .move where attempts < 2:
            // A file can be unknown for seconds after its upload, and a move by another client
            // reaches this mount by the feed, which contains its new place.
            .wait(seconds: 1)
        case .move, .upload, .copy, .makeFolder: .refresh(step.paths)
        case .settled, .waitFor, .waitForWriters: .restart
        }
    }

    private static func tooMany(_ step: UploadStep) -> UploadReaction {
        if case .move(let move) = step, move.isFolder { return .split }
        return .retry(
            seconds: Self.hopelessPause,
            problem: .lasting("more entries than Dropbox changes at once"))
    }

    private static func refused(_ step: UploadStep, _ reason: String) -> UploadReaction {
        switch step {
        case .move, .deleteFile, .deleteFolder: .undo(reason: reason)
        // Links work without Dropbox.
        case .upload(let upload) where upload.link != nil: .keepHere
        // Content of users is kept, and waits for an action of the user.
        case .makeFolder, .upload, .copy:
            .retry(seconds: Self.refusalPause, problem: .lasting(reason))
        case .setFacts: .keepHere
        case .settled, .waitFor, .waitForWriters: .restart
        }
    }
}
