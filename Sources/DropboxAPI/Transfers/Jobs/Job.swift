// Work that goes on at the server after its call has returned: asked about, with pauses, until it
// has ended. Not responsible for which routes start jobs: Files+Jobs.

import Essentials
import Saturating

/// Why a job has no result.
@nonexhaustive public enum JobError: Error, Sendable {
    /// The job was not started, or was not asked about. In the second case it may go on, and
    /// `mayHaveTakenEffect` is true.
    case call(CallFailure)
    /// The job failed as a whole, with this tag.
    case failed(String)
    /// The server answers with a state that this version does not know.
    case unknownState(String)
    /// The task was cancelled; the job goes on.
    case cancelled

    /// A failed call, or the caller's cancellation.
    package init<Failure>(_ error: CallError<Failure>) {
        self = error.kind == .cancelled ? .cancelled : .call(CallFailure(error))
    }
}

extension JobError: DropboxError {
    /// The call that failed.
    public var failedCall: CallFailure? { if case .call(let call) = self { call } else { nil } }
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .call(let call): "\(call.context.route): \(call.explanation)"
        case .failed(let tag): "the job failed: \(tag)"
        case .unknownState(let tag): "the job is in an unknown state: \(tag)"
        case .cancelled: "cancelled"
        }
    }
    /// Whether some of the work may be done.
    public var mayHaveTakenEffect: Bool { failedCall?.mayHaveTakenEffect ?? true }
    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool { if case .cancelled = self { true } else { false } }
}

/// A job at the server, which goes on when the process ends: with its `id`, a later one asks about
/// it, for example by `client.files.copyJob(id:)`.
public struct Job<Output: Sendable>: Sendable {
    /// The state of a job.
    @nonexhaustive public enum State: Sendable {
        case running
        case finished(Output)
        case failed(String)
        case unknown(String)
    }

    /// The server's id of the job; nil when the first answer was the result.
    public let id: Async.AsyncJobID?
    private let first: State
    private let client: DropboxClient
    private let ask: @Sendable (Async.AsyncJobID) async throws(JobError) -> JobReport<Output>

    /// A job of which the answer at its start is known.
    package init(
        _ beginning: JobReport<Output>, client: DropboxClient,
        ask: @escaping @Sendable (Async.AsyncJobID) async throws(JobError) -> JobReport<Output>
    ) {
        if case .started(let id) = beginning { self.id = id } else { id = nil }
        first = beginning.state
        self.client = client
        self.ask = ask
    }

    /// The present state, by one call.
    public func state() async throws(JobError) -> State {
        guard let id else { return first }
        return try await ask(id).state
    }

    /// Waits for the job to end, and returns its result. Cancelling the task ends the waiting, not
    /// the job.
    public func result() async throws(JobError) -> Output {
        var pause = Duration.milliseconds(200)
        while true {
            switch try await state() {
            case .finished(let output): return output
            case .failed(let tag): throw .failed(tag)
            case .unknown(let tag): throw .unknownState(tag)
            case .running: break
            }
            guard (try? await client.clock.sleep(pause)) != nil else { throw .cancelled }
            pause = min(pause.doubled(times: 1), .seconds(5))
        }
    }
}

extension JobReport {
    /// The state for the job's user.
    fileprivate var state: Job<Output>.State {
        switch self {
        case .started, .running: .running
        case .finished(let output): .finished(output)
        case .failed(let tag): .failed(tag)
        case .unknown(let tag): .unknown(tag)
        }
    }
}
