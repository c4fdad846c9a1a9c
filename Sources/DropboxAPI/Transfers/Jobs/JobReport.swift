// The server's answers about jobs, in one form: the API has a pair of unions for each kind of job,
// which differ only in the result. Not responsible for the calls: JobCalls.

/// The content of an answer about a job.
package enum JobReport<Output: Sendable>: Sendable {
    /// The job runs; questions about it take this id.
    case started(Async.AsyncJobID)
    case running
    case finished(Output)
    /// The job failed as a whole, with this tag.
    case failed(String)
    /// The job is in a state of this tag, which this version does not know.
    case unknown(String)
}

/// An answer about a job, at its start or later.
package protocol ReportsJob: Decodable, Sendable {
    associatedtype JobOutput: Sendable
    var jobReport: JobReport<JobOutput> { get }
}

// MARK: The unions

extension Async.LaunchEmptyResult: ReportsJob {
    package var jobReport: JobReport<Void> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete: .finished(())
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Async.PollEmptyResult: ReportsJob {
    package var jobReport: JobReport<Void> {
        switch self {
        case .inProgress: .running
        case .complete: .finished(())
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.CreateFolderBatchLaunch: ReportsJob {
    package var jobReport: JobReport<[Files.CreateFolderBatchResultEntry]> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let result): .finished(result.entries)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.CreateFolderBatchJobStatus: ReportsJob {
    package var jobReport: JobReport<[Files.CreateFolderBatchResultEntry]> {
        switch self {
        case .inProgress: .running
        case .complete(let result): .finished(result.entries)
        case .failed(let error): .failed(error.wireTag)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.DeleteBatchLaunch: ReportsJob {
    package var jobReport: JobReport<[Files.DeleteBatchResultEntry]> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let result): .finished(result.entries)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.DeleteBatchJobStatus: ReportsJob {
    package var jobReport: JobReport<[Files.DeleteBatchResultEntry]> {
        switch self {
        case .inProgress: .running
        case .complete(let result): .finished(result.entries)
        case .failed(let error): .failed(error.wireTag)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.RelocationBatchV2Launch: ReportsJob {
    package var jobReport: JobReport<[Files.RelocationBatchResultEntry]> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let result): .finished(result.entries)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.RelocationBatchV2JobStatus: ReportsJob {
    package var jobReport: JobReport<[Files.RelocationBatchResultEntry]> {
        switch self {
        case .inProgress: .running
        case .complete(let result): .finished(result.entries)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.SaveURLResult: ReportsJob {
    package var jobReport: JobReport<Files.FileMetadata> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let file): .finished(file)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Files.SaveURLJobStatus: ReportsJob {
    package var jobReport: JobReport<Files.FileMetadata> {
        switch self {
        case .inProgress: .running
        case .complete(let file): .finished(file)
        case .failed(let error): .failed(error.tagPath)
        case .unknown(let tag): .unknown(tag)
        }
    }
}
