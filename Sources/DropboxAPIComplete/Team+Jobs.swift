// The routes of `team` that start jobs, with the routes that tell their state.

public import DropboxAPI

extension Team.Calls {
    /// Adds members to the team. The result has an outcome for each, in their order.
    ///
    ///     let outcomes = try await client.team.membersAddJob(.init(newMembers: people)).result()
    public func membersAddJob(
        _ argument: Team.MembersAddV2Arg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<[Team.MemberAddV2Result]> {
        try await client.job(
            Team.membersAddV2, argument, asking: Team.membersAddJobStatusGetV2, options)
    }

    /// Removes a member from the team.
    public func membersRemoveJob(
        _ argument: Team.MembersRemoveArg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Void> {
        try await client.job(
            Team.membersRemove, argument, asking: Team.membersRemoveJobStatusGet, options)
    }

    /// Moves the files of a former member to a member.
    public func membersMoveFormerMemberFilesJob(
        _ argument: Team.MembersDataTransferArg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Void> {
        try await client.job(
            Team.membersMoveFormerMemberFiles, argument,
            asking: Team.membersMoveFormerMemberFilesJobStatusCheck, options)
    }

    /// Deletes a group: its name is free at once, its members lose their access with the end of the
    /// job.
    public func groupsDeleteJob(
        _ group: Team.GroupSelector, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Void> {
        try await client.job(
            Team.groupsDelete, group, asking: Team.groupsJobStatusGet, options)
    }

    /// Adds members to a group, who have their access with the end of the job. The result is the
    /// group.
    public func groupsMembersAddJob(
        _ argument: Team.GroupMembersAddArg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Team.GroupFullInfo> {
        job(try await client.started(Team.groupsMembersAdd, argument, options), options)
    }

    /// Takes members out of a group, who lose their access with the end of the job. The result is
    /// the group.
    public func groupsMembersRemoveJob(
        _ argument: Team.GroupMembersRemoveArg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Team.GroupFullInfo> {
        job(try await client.started(Team.groupsMembersRemove, argument, options), options)
    }

    /// Archives a team folder: no member has access to it until it is activated again. The result
    /// is the folder.
    public func teamFolderArchiveJob(
        _ argument: Team.TeamFolderArchiveArg, options: CallOptions = .init()
    ) async throws(JobError) -> Job<Team.TeamFolderMetadata> {
        try await client.job(
            Team.teamFolderArchive, argument, asking: Team.teamFolderArchiveCheck, options)
    }

    /// The job of a change of a group's members.
    private func job(
        _ change: Team.GroupMembersChangeResult, _ options: CallOptions
    ) -> Job<Team.GroupFullInfo> {
        Job(.started(change.asyncJobID), client: client) { [client] id throws(JobError) in
            switch try await client.asked(Team.groupsJobStatusGet, id, options) {
            case .inProgress: .running
            case .complete: .finished(change.groupInfo)
            case .unknown(let tag): .unknown(tag)
            }
        }
    }
}

// MARK: Jobs that were started before

extension Team.Calls {
    /// A job of `membersAddJob` that was started before, by its id.
    public func membersAddJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<[Team.MemberAddV2Result]> {
        client.job(id: id, asking: Team.membersAddJobStatusGetV2, options)
    }

    /// A job of `membersRemoveJob` that was started before, by its id.
    public func membersRemoveJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Team.membersRemoveJobStatusGet, options)
    }

    /// A job of `membersMoveFormerMemberFilesJob` that was started before, by its id.
    public func membersMoveFormerMemberFilesJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Team.membersMoveFormerMemberFilesJobStatusCheck, options)
    }

    /// A job of `groupsDeleteJob` that was started before, by its id.
    public func groupsDeleteJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Team.groupsJobStatusGet, options)
    }

    /// A job of `groupsMembersAddJob` that was started before, by its id. Only the answer at its
    /// start has the group.
    public func groupsMembersAddJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Team.groupsJobStatusGet, options)
    }

    /// A job of `groupsMembersRemoveJob` that was started before, by its id. Only the answer at its
    /// start has the group.
    public func groupsMembersRemoveJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Void> {
        client.job(id: id, asking: Team.groupsJobStatusGet, options)
    }

    /// A job of `teamFolderArchiveJob` that was started before, by its id.
    public func teamFolderArchiveJob(
        id: Async.AsyncJobID, options: CallOptions = .init()
    ) -> Job<Team.TeamFolderMetadata> {
        client.job(id: id, asking: Team.teamFolderArchiveCheck, options)
    }
}

// MARK: The unions

extension Team.MembersAddLaunchV2Result: ReportsJob {
    package var jobReport: JobReport<[Team.MemberAddV2Result]> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let outcomes): .finished(outcomes)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Team.MembersAddJobStatusV2Result: ReportsJob {
    package var jobReport: JobReport<[Team.MemberAddV2Result]> {
        switch self {
        case .inProgress: .running
        case .complete(let outcomes): .finished(outcomes)
        case .failed(let reason): .failed(reason)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Team.TeamFolderArchiveLaunch: ReportsJob {
    package var jobReport: JobReport<Team.TeamFolderMetadata> {
        switch self {
        case .asyncJobID(let id): .started(id)
        case .complete(let folder): .finished(folder)
        case .unknown(let tag): .unknown(tag)
        }
    }
}

extension Team.TeamFolderArchiveJobStatus: ReportsJob {
    package var jobReport: JobReport<Team.TeamFolderMetadata> {
        switch self {
        case .inProgress: .running
        case .complete(let folder): .finished(folder)
        case .failed(let error): .failed(error.tagPath)
        case .unknown(let tag): .unknown(tag)
        }
    }
}
