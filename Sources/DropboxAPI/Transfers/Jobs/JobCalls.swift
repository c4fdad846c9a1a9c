// The calls that start a job and ask about it, with the errors of jobs. Not responsible for the
// waiting: Job.

extension DropboxClient {
    /// A job that one route starts, and that another one tells about.
    package func job<Argument, Launch: ReportsJob, Refusal, Status: ReportsJob, Failure>(
        _ start: Route<Argument, Launch, Refusal>, _ argument: Argument,
        asking check: Route<Async.PollArg, Status, Failure>, _ options: CallOptions
    ) async throws(JobError) -> Job<Status.JobOutput>
    where Launch.JobOutput == Status.JobOutput {
        let launch = try await started(start, argument, options)
        return job(launch.jobReport, asking: check, options)
    }

    /// A job of which the answer at its start is known.
    package func job<Status: ReportsJob, Failure>(
        _ beginning: JobReport<Status.JobOutput>,
        asking check: Route<Async.PollArg, Status, Failure>, _ options: CallOptions
    ) -> Job<Status.JobOutput> {
        Job(beginning, client: self) { id throws(JobError) in
            try await asked(check, id, options).jobReport
        }
    }

    /// A job that was started before, by its id.
    package func job<Status: ReportsJob, Failure>(
        id: Async.AsyncJobID, asking check: Route<Async.PollArg, Status, Failure>,
        _ options: CallOptions
    ) -> Job<Status.JobOutput> {
        let beginning: JobReport<Status.JobOutput> = .started(id)
        return job(beginning, asking: check, options)
    }

    /// The answer of a route that starts a job.
    package func started<Argument, Launch, Failure>(
        _ route: Route<Argument, Launch, Failure>, _ argument: Argument, _ options: CallOptions
    ) async throws(JobError) -> Launch {
        do throws(CallError<Failure>) {
            return try await call(route, argument, options: options)
        } catch {
            throw JobError(error)
        }
    }

    /// The answer of a route that tells the state of a job. Its error says that the job may have
    /// taken effect, whether or not the question was answered.
    package func asked<Status, Failure>(
        _ route: Route<Async.PollArg, Status, Failure>, _ id: Async.AsyncJobID,
        _ options: CallOptions
    ) async throws(JobError) -> Status {
        do throws(CallError<Failure>) {
            return try await call(route, Async.PollArg(asyncJobID: id), options: options)
        } catch {
            var context = error.context
            context.earlierAttemptMayHaveTakenEffect = true
            throw JobError(CallError(kind: error.kind, context: context))
        }
    }
}
