// Batches that may outlive the request that started them: launched, polled, finished. Not
// responsible for the form of the answers: `ReportsJob` of DropboxAPI.

import Core
import DropboxAPI
import Saturating

extension DropboxStore {
    /// Longest pause between polls of a job; pauses double up to this.
    private static var longestPause: Duration { .seconds(5) }
    /// Polls of one job: half an hour, as long as for a batch that answers at once
    /// (`CallOptions.batch`). After it the job may still be carried out, as after a lost response.
    private static var mostPolls: Int { 360 }

    /// Starts a batch that may become a job, and waits for its end.
    func finish<Argument, Launch: ReportsJob, Status: ReportsJob>(
        _ route: Route<Argument, Launch, NoError>, _ argument: Argument,
        _ check: Route<Async.PollArg, Status, Async.PollError>
    ) async throws(RemoteError) -> Launch.JobOutput where Launch.JobOutput == Status.JobOutput {
        let launch: Launch
        do {
            launch = try await client.call(route, argument, options: .batch)
        } catch {
            throw RemoteError(ofChange: error)
        }
        switch launch.jobReport {
        case .finished(let outcome): return outcome
        case .started(let id): return try await result(of: id, check)
        case .running: throw .malformed("a job without an id")
        case .failed(let reason), .unknown(let reason): throw .server(reason)
        }
    }

    private func result<Status: ReportsJob>(
        of job: Async.AsyncJobID, _ check: Route<Async.PollArg, Status, Async.PollError>
    ) async throws(RemoteError) -> Status.JobOutput {
        var pause = Duration.milliseconds(100)
        for _ in 0..<Self.mostPolls {
            guard (try? await clock.sleep(pause)) != nil else { throw .cancelled }
            pause = min(pause.doubled(times: 1), Self.longestPause)
            let status: Status
            do throws(CallError<Async.PollError>) {
                status = try await client.call(
                    check, Async.PollArg(asyncJobID: job), options: .interactive)
            } catch {
                // The job goes on without the answer.
                throw RemoteError(error) { _ in .server("\(error)") }.afterPossibleChange
            }
            switch status.jobReport {
            case .running, .started: continue
            case .finished(let outcome): return outcome
            case .failed(let reason), .unknown(let reason): throw .server(reason)
            }
        }
        throw .timedOut
    }
}

extension CallOptions {
    /// For batches of changes: not retried when they may have been applied.
    static var batch: CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(1800)), isSafeToRepeat: false,
            timeouts: TransferTimeouts(response: .seconds(900)))
    }
}
