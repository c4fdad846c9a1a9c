// The calls that start a job and ask about it, with the errors of jobs. Not responsible for the
// waiting: `Job` of DropboxAPI.

import DropboxAPI

extension DropboxClient {
    /// The answer of a route that starts a job.
    func started<Argument, Launch, Failure>(
        _ route: Route<Argument, Launch, Failure>, _ argument: Argument, _ options: CallOptions
    ) async throws(JobError) -> Launch {
        do throws(CallError<Failure>) {
            return try await call(route, argument, options: options)
        } catch {
            throw JobError(error)
        }
    }

    /// The state of a job in its route's own type.
    func asked<Status, Failure>(
        _ route: Route<Async.PollArg, Status, Failure>, _ id: Async.AsyncJobID,
        _ options: CallOptions
    ) async throws(JobError) -> Status {
        try await started(route, Async.PollArg(asyncJobID: id), options)
    }

    /// A job that is asked about by one of the routes that know nothing but its end.
    func job<Failure>(
        _ launch: Async.LaunchEmptyResult,
        asking route: Route<Async.PollArg, Async.PollEmptyResult, Failure>, _ options: CallOptions
    ) -> Job<Void> {
        let (id, first) = launch.beginning
        return Job(id: id, first: first, client: self) { id throws(JobError) in
            switch try await asked(route, id, options) {
            case .inProgress: .running
            case .complete: .finished(())
            case .unknown(let tag): .unknown(tag)
            }
        }
    }
}

extension Async.LaunchEmptyResult {
    /// The job's id, and its state at the start.
    var beginning: (id: Async.AsyncJobID?, state: Job<Void>.State) {
        switch self {
        case .asyncJobID(let id): (id, .running)
        case .complete: (nil, .finished(()))
        case .unknown(let tag): (nil, .unknown(tag))
        }
    }
}
