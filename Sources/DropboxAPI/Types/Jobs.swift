// Jobs that outlive their request: launched, polled, finished. One generic pair of unions stands
// for the many of the specification, which differ only in the type of the outcome.

extension Async {
    /// Which job to ask about.
    public struct PollArg: Codable, Hashable, Sendable {
        /// The job.
        public var jobID: JobID

        /// Takes over the job.
        public init(jobID: JobID) {
            self.jobID = jobID
        }

        enum CodingKeys: String, CodingKey {
            case jobID = "async_job_id"
        }
    }

    /// The answer to a call that either finished at once or started a job.
    public enum Launch<Outcome: Codable & Hashable & Sendable>: TaggedUnion {
        case complete(Outcome)
        case job(JobID)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "complete": .complete(try union.fields())
                case "async_job_id": .job(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .complete(let outcome): try union.write("complete", fields: outcome)
            case .job(let id): try union.write("async_job_id", value: id)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// How far a job is.
    public enum JobStatus<
        Outcome: Codable & Hashable & Sendable, JobFailure: Codable & Hashable & Sendable
    >: TaggedUnion {
        case inProgress
        case complete(Outcome)
        case failed(JobFailure)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "in_progress": .inProgress
                case "complete": .complete(try union.fields())
                case "failed": .failed(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .inProgress: try union.write("in_progress")
            case .complete(let outcome): try union.write("complete", fields: outcome)
            case .failed(let error): try union.write("failed", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}

extension Files {
    /// The answer to `create_folder_batch`.
    public typealias CreateFolderBatchLaunch = Async.Launch<CreateFolderBatchResult>
    /// The state of a job of `create_folder_batch`.
    public typealias CreateFolderBatchJobStatus = Async.JobStatus<
        CreateFolderBatchResult, CreateFolderBatchError
    >
    /// The answer to `delete_batch`.
    public typealias DeleteBatchLaunch = Async.Launch<DeleteBatchResult>
    /// The state of a job of `delete_batch`.
    public typealias DeleteBatchJobStatus = Async.JobStatus<DeleteBatchResult, DeleteBatchError>
    /// The answer to `move_batch:2` and `copy_batch:2`.
    public typealias RelocationBatchV2Launch = Async.Launch<RelocationBatchV2Result>
    /// The state of a job of `move_batch:2` or `copy_batch:2`.
    public typealias RelocationBatchV2JobStatus = Async.JobStatus<
        RelocationBatchV2Result, NoError
    >
}
