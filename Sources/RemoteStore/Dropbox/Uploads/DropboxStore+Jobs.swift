// Batches that may outlive the request that started them: launched, polled, finished. The API has a
// pair of unions for each kind of batch; they differ only in the outcome.

import Core
import DropboxAPI
import Saturating

/// The state of a batch.
enum BatchState<Outcome> {
    case done(Outcome)
    /// The batch runs as a job, to be polled.
    case started(Async.AsyncJobID)
    case running
    case failed(String)
}

/// The server's report on a batch, at its start or later.
protocol BatchReport: Codable, Sendable {
    associatedtype Outcome: Sendable
    var state: BatchState<Outcome> { get }
}

extension DropboxStore {
    /// Longest pause between polls of a job; pauses double up to this.
    private static var longestPause: Duration { .seconds(5) }
    /// Polls of one job: half an hour, as long as for a batch that answers at once
    /// (`CallOptions.batch`). After it the job may still be carried out, as after a lost response.
    private static var mostPolls: Int { 360 }

    /// Starts a batch that may become a job, and waits for its end.
    func finish<Argument, Launch: BatchReport, Status: BatchReport>(
        _ route: Route<Argument, Launch, NoError>, _ argument: Argument,
        _ check: Route<Async.PollArg, Status, Async.PollError>
    ) async throws(RemoteError) -> Launch.Outcome where Launch.Outcome == Status.Outcome {
        let launch: Launch
        do {
            launch = try await client.call(route, argument, options: .batch)
        } catch {
            throw RemoteError(error)
        }
        switch launch.state {
        case .done(let outcome): return outcome
        case .started(let id): return try await result(of: id, check)
        case .running: throw .malformed("a job without an id")
        case .failed(let reason): throw .server(reason)
        }
    }

    private func result<Status: BatchReport>(
        of job: Async.AsyncJobID, _ check: Route<Async.PollArg, Status, Async.PollError>
    ) async throws(RemoteError) -> Status.Outcome {
        var pause = Duration.milliseconds(100)
        for _ in 0..<Self.mostPolls {
            guard (try? await clock.sleep(pause)) != nil else { throw .cancelled }
            pause = min(pause.doubled(times: 1), Self.longestPause)
            let status: Status
            do throws(CallError<Async.PollError>) {
                status = try await client.call(
                    check, Async.PollArg(asyncJobID: job), options: .interactive)
            } catch {
                throw RemoteError(error) { _ in .server("\(error)") }
            }
            switch status.state {
            case .running, .started: continue
            case .done(let outcome): return outcome
            case .failed(let reason): throw .server(reason)
            }
        }
        throw .timedOut
    }
}

extension CallOptions {
    /// For batches of changes: not retried when they may have been applied.
    static var batch: CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(1800)), retryAfterSend: false,
            timeouts: TransferTimeouts(response: .seconds(900)))
    }
}

// MARK: The unions

extension Files.CreateFolderBatchLaunch: BatchReport {
    var state: BatchState<Files.CreateFolderBatchResult> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let outcome): .done(outcome)
        case .unknown(let tag): .failed(tag)
        }
    }
}

extension Files.CreateFolderBatchJobStatus: BatchReport {
    var state: BatchState<Files.CreateFolderBatchResult> {
        switch self {
        case .inProgress: .running
        case .complete(let outcome): .done(outcome)
        case .failed(let error): .failed("\(error)")
        case .unknown(let tag): .failed(tag)
        }
    }
}

extension Files.DeleteBatchLaunch: BatchReport {
    var state: BatchState<Files.DeleteBatchResult> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let outcome): .done(outcome)
        case .unknown(let tag): .failed(tag)
        }
    }
}

extension Files.DeleteBatchJobStatus: BatchReport {
    var state: BatchState<Files.DeleteBatchResult> {
        switch self {
        case .inProgress: .running
        case .complete(let outcome): .done(outcome)
        case .failed(let error): .failed("\(error)")
        case .unknown(let tag): .failed(tag)
        }
    }
}

extension Files.RelocationBatchV2Launch: BatchReport {
    var state: BatchState<Files.RelocationBatchV2Result> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let outcome): .done(outcome)
        case .unknown(let tag): .failed(tag)
        }
    }
}

extension Files.RelocationBatchV2JobStatus: BatchReport {
    var state: BatchState<Files.RelocationBatchV2Result> {
        switch self {
        case .inProgress: .running
        case .complete(let outcome): .done(outcome)
        case .unknown(let tag): .failed(tag)
        }
    }
}
