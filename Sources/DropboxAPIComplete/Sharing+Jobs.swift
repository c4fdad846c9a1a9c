// The routes of `sharing` that start jobs, with the routes that tell their state.

public import DropboxAPI

extension Sharing.Calls {
    /// Shares a folder, which is created if there is none. The result is the shared folder.
    ///
    ///     let folder = try await client.sharing.shareFolderJob(.init(path: "/Team")).finished()
    public func shareFolderJob(
        _ argument: Sharing.ShareFolderArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Sharing.SharedFolderMetadata> {
        let launch = try await client.started(Sharing.shareFolder, argument, options)
        let (id, first): (Async.AsyncJobID?, Job<Sharing.SharedFolderMetadata>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .complete(let folder): (nil, .finished(folder))
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) {
            [client] id throws(DropboxAPI.JobError) in
            switch try await client.asked(Sharing.checkShareJobStatus, id, options) {
            case .inProgress: .running
            case .complete(let folder): .finished(folder)
            case .failed(let error): .failed(error.tagPath)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    /// Ends the sharing of a folder: all members but the owner lose it, or keep a copy.
    public func unshareFolderJob(
        _ argument: Sharing.UnshareFolderArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Void> {
        job(try await client.started(Sharing.unshareFolder, argument, options), options)
    }

    /// Gives up the caller's own membership of a shared folder.
    public func relinquishFolderMembershipJob(
        _ argument: Sharing.RelinquishFolderMembershipArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Void> {
        job(
            try await client.started(Sharing.relinquishFolderMembership, argument, options), options
        )
    }

    /// Takes a member out of a shared folder. The result is the access that remains, for example by
    /// a group.
    public func removeFolderMemberJob(
        _ argument: Sharing.RemoveFolderMemberArg, options: CallOptions = .init()
    ) async throws(DropboxAPI.JobError) -> Job<Sharing.MemberAccessLevelResult> {
        let launch = try await client.started(Sharing.removeFolderMember, argument, options)
        let (id, first): (Async.AsyncJobID?, Job<Sharing.MemberAccessLevelResult>.State) =
            switch launch {
            case .asyncJobID(let id): (id, .running)
            case .unknown(let tag): (nil, .unknown(tag))
            }
        return Job(id: id, first: first, client: client) {
            [client] id throws(DropboxAPI.JobError) in
            switch try await client.asked(Sharing.checkRemoveMemberJobStatus, id, options) {
            case .inProgress: .running
            case .complete(let access): .finished(access)
            case .failed(let error): .failed(error.tagPath)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }

    /// A job that `checkJobStatus` is asked about.
    private func job(_ launch: Async.LaunchEmptyResult, _ options: CallOptions) -> Job<Void> {
        let (id, first) = launch.beginning
        return Job(id: id, first: first, client: client) {
            [client] id throws(DropboxAPI.JobError) in
            switch try await client.asked(Sharing.checkJobStatus, id, options) {
            case .inProgress: .running
            case .complete: .finished(())
            case .failed(let error): .failed(error.cause)
            case .unknown(let tag): .unknown(tag)
            }
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
