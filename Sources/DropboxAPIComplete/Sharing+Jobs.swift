// The routes of `sharing` that start jobs, with the routes that tell their state.

public import DropboxAPI

extension Sharing.Calls {
    /// Shares a folder, which is created if there is none. The result is the shared folder.
    ///
    ///     let folder = try await client.sharing.shareFolderJob(.init(path: "/Team")).result()
    public func shareFolderJob(
        _ argument: Sharing.ShareFolderArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Sharing.SharedFolderMetadata> {
        try await client.job(
            Sharing.shareFolder, argument, asking: Sharing.checkShareJobStatus, options)
    }

    /// Ends the sharing of a folder: all members but the owner lose it, or keep a copy.
    public func unshareFolderJob(
        _ argument: Sharing.UnshareFolderArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Void> {
        try await client.job(
            Sharing.unshareFolder, argument, asking: Sharing.checkJobStatus, options)
    }

    /// Gives up the caller's own membership of a shared folder.
    public func relinquishFolderMembershipJob(
        _ argument: Sharing.RelinquishFolderMembershipArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Void> {
        try await client.job(
            Sharing.relinquishFolderMembership, argument, asking: Sharing.checkJobStatus, options)
    }

    /// Takes a member out of a shared folder. The result is the access that remains, for example by
    /// a group.
    public func removeFolderMemberJob(
        _ argument: Sharing.RemoveFolderMemberArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Sharing.MemberAccessLevelResult> {
        let launch = try await client.started(Sharing.removeFolderMember, argument, options)
        let beginning: JobReport<Sharing.MemberAccessLevelResult> =
            switch launch {
            case .asyncJobID(let id): .started(id)
            case .unknown(let tag): .unknown(tag)
            }
        return client.job(beginning, asking: Sharing.checkRemoveMemberJobStatus, options)
    }
}

// MARK: Jobs that were started before

extension Sharing.Calls {
    /// A job of `shareFolderJob` that was started before, by its id.
    public func shareFolderJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Sharing.SharedFolderMetadata> {
        client.job(id: id, asking: Sharing.checkShareJobStatus, options)
    }

    /// A job of `unshareFolderJob` that was started before, by its id.
    public func unshareFolderJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Sharing.checkJobStatus, options)
    }

    /// A job of `relinquishFolderMembershipJob` that was started before, by its id.
    public func relinquishFolderMembershipJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Sharing.checkJobStatus, options)
    }

    /// A job of `removeFolderMemberJob` that was started before, by its id.
    public func removeFolderMemberJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Sharing.MemberAccessLevelResult> {
        client.job(id: id, asking: Sharing.checkRemoveMemberJobStatus, options)
    }
}

// MARK: The unions

extension Sharing.ShareFolderLaunch: ReportsJob {
    package var jobReport: JobReport<Sharing.SharedFolderMetadata> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let folder): .finished(folder)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Sharing.ShareFolderJobStatus: ReportsJob {
    package var jobReport: JobReport<Sharing.SharedFolderMetadata> {
        switch self {
        case .inProgress: .running
        case .complete(let folder): .finished(folder)
        case .failed(let error): .failed(error.tagPath)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Sharing.RemoveMemberJobStatus: ReportsJob {
    package var jobReport: JobReport<Sharing.MemberAccessLevelResult> {
        switch self {
        case .inProgress: .running
        case .complete(let access): .finished(access)
        case .failed(let error): .failed(error.tagPath)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Sharing.JobStatus: ReportsJob {
    package var jobReport: JobReport<Void> {
        switch self {
        case .inProgress: .running
        case .complete: .finished(())
        case .failed(let error): .failed(error.cause)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Sharing.JobError {
    /// The tags of what made the job fail.
    fileprivate var cause: String {
        switch self {
        case .unshareFolderError(let error): error.tagPath
        case .removeFolderMemberError(let error): error.tagPath
        case .relinquishFolderMembershipError(let error): error.tagPath
        case .unknown(let tag): tag
        }
    }
}
