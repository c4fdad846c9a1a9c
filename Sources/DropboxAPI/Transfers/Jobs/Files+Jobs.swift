// The routes of `files` that start jobs, with the routes that tell their state. Not responsible for
// the waiting: Job.

extension Files.Calls {
    /// Deletes many entries. The result has an outcome for each, in their order.
    ///
    ///     let outcomes = try await client.files.deleteJob(paths.map { .init(path: $0) }).result()
    public func deleteJob(
        _ entries: [Files.DeleteArg], options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.DeleteBatchResultEntry]> {
        try await client.job(
            Files.deleteBatch, Files.DeleteBatchArg(entries: entries),
            asking: Files.deleteBatchCheck, options)
    }

    /// Moves many entries, all or none. The result has an outcome for each, in their order.
    public func moveJob(
        _ entries: [Files.RelocationPath], autorename: Bool = false,
        options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.RelocationBatchResultEntry]> {
        try await client.job(
            Files.moveBatchV2, Files.MoveBatchArg(entries: entries, autorename: autorename),
            asking: Files.moveBatchCheckV2, options)
    }

    /// Copies many entries, all or none. The result has an outcome for each, in their order.
    public func copyJob(
        _ entries: [Files.RelocationPath], autorename: Bool = false,
        options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.RelocationBatchResultEntry]> {
        try await client.job(
            Files.copyBatchV2, Files.CopyBatchArg(entries: entries, autorename: autorename),
            asking: Files.copyBatchCheckV2, options)
    }

    /// Creates many folders. The result has an outcome for each, in their order.
    public func createFolderJob(
        _ paths: [String], autorename: Bool = false, options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Files.CreateFolderBatchResultEntry]> {
        try await client.job(
            Files.createFolderBatch,
            Files.CreateFolderBatchArg(paths: paths, autorename: autorename),
            asking: Files.createFolderBatchCheck, options)
    }

    /// Lets the server fetch a file from an address of the web.
    public func saveURLJob(
        path: String, url: String, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Files.FileMetadata> {
        try await client.job(
            Files.saveURL, Files.SaveURLArg(path: path, url: url),
            asking: Files.saveURLCheckJobStatus, options)
    }
}

// MARK: Jobs that were started before

extension Files.Calls {
    /// A job of `deleteJob` that was started before, by its id.
    public func deleteJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<[Files.DeleteBatchResultEntry]> {
        client.job(id: id, asking: Files.deleteBatchCheck, options)
    }

    /// A job of `moveJob` that was started before, by its id.
    public func moveJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<[Files.RelocationBatchResultEntry]> {
        client.job(id: id, asking: Files.moveBatchCheckV2, options)
    }

    /// A job of `copyJob` that was started before, by its id.
    ///
    ///     let outcomes = try await client.files.copyJob(id: stored).result()
    public func copyJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<[Files.RelocationBatchResultEntry]> {
        client.job(id: id, asking: Files.copyBatchCheckV2, options)
    }

    /// A job of `createFolderJob` that was started before, by its id.
    public func createFolderJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<[Files.CreateFolderBatchResultEntry]> {
        client.job(id: id, asking: Files.createFolderBatchCheck, options)
    }

    /// A job of `saveURLJob` that was started before, by its id.
    public func saveURLJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Files.FileMetadata> {
        client.job(id: id, asking: Files.saveURLCheckJobStatus, options)
    }
}
