// The routes of `files` that start jobs, with the routes that tell their state. Not responsible for
// the waiting: Job.

extension Files.Calls {
    /// Deletes many entries. The result has an outcome for each, in their order.
    ///
    ///     let outcomes = try await client.files.deleteJob(paths.map { .init(path: $0) }).finished()
    public func deleteJob(
        _ entries: [Files.DeleteArg], options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.DeleteBatchResultEntry]> {
        let launch = try await started { () async throws(CallError<NoError>) in
            try await deleteBatch(entries: entries, options: options)
        }
        let (id, first): (Async.AsyncJobID?, Job<[Files.DeleteBatchResultEntry]>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .complete(let result): (nil, .finished(result.entries))
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) { id throws(JobError) in
            switch try await asked(id, deleteBatchCheck, options) {
            case .inProgress: .running
            case .complete(let result): .finished(result.entries)
            case .failed(let error): .failed(error.wireTag)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    /// Moves many entries, all or none. The result has an outcome for each, in their order.
    public func moveJob(
        _ entries: [Files.RelocationPath], autorename: Bool = false,
        options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.RelocationBatchResultEntry]> {
        let launch = try await started { () async throws(CallError<NoError>) in
            try await moveBatchV2(entries: entries, autorename: autorename, options: options)
        }
        return relocation(launch, moveBatchCheckV2, options)
    }

    /// Copies many entries, all or none. The result has an outcome for each, in their order.
    public func copyJob(
        _ entries: [Files.RelocationPath], autorename: Bool = false,
        options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.RelocationBatchResultEntry]> {
        let launch = try await started { () async throws(CallError<NoError>) in
            try await copyBatchV2(entries: entries, autorename: autorename, options: options)
        }
        return relocation(launch, copyBatchCheckV2, options)
    }

    /// Creates many folders. The result has an outcome for each, in their order.
    public func createFolderJob(
        _ paths: [String], autorename: Bool = false, options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.CreateFolderBatchResultEntry]> {
        let launch = try await started { () async throws(CallError<NoError>) in
            try await createFolderBatch(paths: paths, autorename: autorename, options: options)
        }
        let (id, first): (Async.AsyncJobID?, Job<[Files.CreateFolderBatchResultEntry]>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .complete(let result): (nil, .finished(result.entries))
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) { id throws(JobError) in
            switch try await asked(id, createFolderBatchCheck, options) {
            case .inProgress: .running
            case .complete(let result): .finished(result.entries)
            case .failed(let error): .failed(error.wireTag)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    /// Lets the server fetch a file from an address of the web.
    public func saveURLJob(
        path: String, url: String, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Files.FileMetadata> {
        let launch = try await started { () async throws(CallError<Files.SaveURLError>) in
            try await saveURL(path: path, url: url, options: options)
        }
        let (id, first): (Async.AsyncJobID?, Job<Files.FileMetadata>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .complete(let file): (nil, .finished(file))
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) { id throws(JobError) in
            switch try await asked(id, saveURLCheckJobStatus, options) {
            case .inProgress: .running
            case .complete(let file): .finished(file)
            case .failed(let error): .failed(error.tagPath)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    // MARK: The same for all

    private typealias Question<Status> =
        @Sendable (Async.PollArg, CallOptions) async throws(CallError<Async.PollError>) -> Status

    private func relocation(
        _ launch: Files.RelocationBatchV2Launch,
        _ question: @escaping Question<Files.RelocationBatchV2JobStatus>, _ options: CallOptions
    ) -> Job<[Files.RelocationBatchResultEntry]> {
        let (id, first): (Async.AsyncJobID?, Job<[Files.RelocationBatchResultEntry]>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .complete(let result): (nil, .finished(result.entries))
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) { id throws(JobError) in
            switch try await asked(id, question, options) {
            case .inProgress: .running
            case .complete(let result): .finished(result.entries)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    private func started<Launch, Failure>(
        _ call: () async throws(CallError<Failure>) -> Launch
    ) async throws(JobError) -> Launch {
        do throws(CallError<Failure>) {
            return try await call()
        } catch {
            throw JobError(error)
        }
    }

    private func asked<Status>(
        _ id: Async.AsyncJobID, _ question: Question<Status>, _ options: CallOptions
    ) async throws(JobError) -> Status {
        do throws(CallError<Async.PollError>) {
            return try await question(.init(asyncJobID: id), options)
        } catch {
            throw JobError(error)
        }
    }
}
