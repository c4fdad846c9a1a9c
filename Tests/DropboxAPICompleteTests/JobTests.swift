// Jobs of shared folders and teams as values: started, asked about, ended.

import DropboxAPIComplete
import DropboxAPITesting
import Testing

struct JobTests {
    /// A client that does not pause between questions.
    private func client(_ transport: ScriptedTransport) -> DropboxClient {
        var client = transport.client()
        client.clock = CallClock(sleep: { _ in await Task.yield() })
        return client
    }

    private var folder: Sharing.SharedFolderMetadata {
        Sharing.SharedFolderMetadata(
            accessType: .owner, isInsideTeamFolder: false, isTeamFolder: false, name: "Team",
            policy: Sharing.FolderPolicy(aclUpdatePolicy: .owner, sharedLinkPolicy: .anyone),
            previewURL: "https://example.com", sharedFolderID: "84528192421",
            timeInvited: Timestamp(secondsSince1970: 0))
    }

    @Test("sharing a folder is waited for, and asked about until it has ended")
    func shareFolder() async throws {
        let transport = ScriptedTransport()
        transport.answer(Sharing.shareFolder, .result(.asyncJobID("j1")))
        transport.answer(
            Sharing.checkShareJobStatus, .result(.inProgress), .result(.inProgress),
            .result(.complete(folder)))
        let job = try await client(transport).sharing.shareFolderJob(.init(path: "/Team"))
        #expect(job.id == "j1")
        #expect(try await job.result() == folder)
        #expect(
            try transport.arguments(of: Sharing.checkShareJobStatus).map(\.asyncJobID)
                == ["j1", "j1", "j1"])
        #expect(transport.unusedAnswers.isEmpty)
    }

    @Test("a job that is done at once is not asked about")
    func atOnce() async throws {
        let transport = ScriptedTransport()
        transport.answer(Sharing.shareFolder, .result(.complete(folder)))
        transport.answer(Sharing.unshareFolder, .result(.complete))
        transport.answer(Team.membersRemove, .result(.complete))
        let client = client(transport)
        let job = try await client.sharing.shareFolderJob(.init(path: "/Team"))
        #expect(job.id == nil)
        #expect(try await job.result() == folder)
        try await client.sharing.unshareFolderJob(.init(sharedFolderID: "1")).result()
        try await client.team.membersRemoveJob(.init(user: .email("a@example.com"))).result()
        #expect(transport.requests.count == 3)
    }

    @Test("a job that fails, a state that came later, and a refusal at the start are told apart")
    func failures() async throws {
        let transport = ScriptedTransport()
        transport.answer(
            Sharing.unshareFolder, .result(.asyncJobID("j")), .result(.asyncJobID("j")),
            .error(.teamFolder))
        transport.answer(
            Sharing.checkJobStatus, .result(.failed(.unshareFolderError(.tooManyFiles))),
            .result(.unknown("paused")))
        let sharing = client(transport).sharing
        let argument = Sharing.UnshareFolderArg(sharedFolderID: "1")
        var errors: [DropboxAPI.JobError] = []
        for _ in 1...3 {
            do throws(DropboxAPI.JobError) {
                try await sharing.unshareFolderJob(argument).result()
            } catch {
                errors.append(error)
            }
        }
        #expect(
            errors.map(\.summary) == [
                "the job failed: too_many_files", "the job is in an unknown state: paused",
                "sharing/unshare_folder: \(Sharing.UnshareFolderError.teamFolder)",
            ])
        #expect(errors.last?.failedCall?.routeError is Sharing.UnshareFolderError)
        #expect(errors.last?.mayHaveTakenEffect == false)
    }

    @Test("a job whose question fails may have taken effect, and is asked about by its id later")
    func later() async throws {
        let transport = ScriptedTransport()
        let refused = TransportError(kind: .connect, message: "", mayHaveBeenReceived: false)
        let client = client(transport)
        transport.answer(Files.deleteBatch, .result(.asyncJobID("j1")))
        transport.answer(
            Files.deleteBatchCheck, .error(.invalidAsyncJobID),
            .result(.complete(.init(entries: []))))
        let job = try await client.files.deleteJob([.init(path: "/a")])
        let error = await #expect(throws: DropboxAPI.JobError.self) { try await job.result() }
        #expect(error?.mayHaveTakenEffect == true)
        #expect(error?.failedCall?.mayHaveTakenEffect == true)
        #expect(try await client.files.deleteJob(id: "j1").result().isEmpty)

        transport.answer(
            Sharing.checkShareJobStatus, .result(.inProgress), .result(.complete(folder)))
        #expect(try await client.sharing.shareFolderJob(id: "j2").result() == folder)
        transport.answer(Team.groupsJobStatusGet, .result(.complete))
        try await client.team.groupsMembersAddJob(id: "j3").result()
        #expect(transport.unusedAnswers.isEmpty)

        transport.answer(Files.copyBatchV2, .failure(refused), .failure(refused))
        let start = await #expect(throws: DropboxAPI.JobError.self) {
            _ = try await client.files.copyJob([], options: .init(maxAttempts: 2))
        }
        #expect(start?.mayHaveTakenEffect == false)
    }

    @Test("members come and go by jobs, of folders, groups and teams")
    func members() async throws {
        let transport = ScriptedTransport()
        let access = Sharing.MemberAccessLevelResult(accessLevel: .viewer)
        transport.answer(Sharing.removeFolderMember, .result(.asyncJobID("a")))
        transport.answer(Sharing.checkRemoveMemberJobStatus, .result(.complete(access)))
        let group = Team.GroupFullInfo(
            groupName: "g", groupID: "g:1", groupManagementType: .companyManaged, created: 0)
        transport.answer(
            Team.groupsMembersAdd, .result(.init(groupInfo: group, asyncJobID: "b")))
        transport.answer(Team.groupsDelete, .result(.asyncJobID("c")))
        transport.answer(
            Team.groupsJobStatusGet, .result(.inProgress), .result(.complete),
            .result(.complete))
        transport.answer(Team.membersAddV2, .result(.asyncJobID("d")))
        transport.answer(
            Team.membersAddJobStatusGetV2, .result(.complete([])))
        let client = client(transport)
        let left = try await client.sharing.removeFolderMemberJob(
            .init(sharedFolderID: "1", member: .email("a@example.com"), leaveACopy: false))
        #expect(try await left.result() == access)
        let grown = try await client.team.groupsMembersAddJob(
            .init(group: .groupID("g:1"), members: []))
        #expect(try await grown.result() == group)
        try await client.team.groupsDeleteJob(.groupID("g:1")).result()
        let added = try await client.team.membersAddJob(.init(newMembers: []))
        #expect(try await added.result().isEmpty)
        #expect(
            try transport.arguments(of: Team.groupsJobStatusGet).map(\.asyncJobID)
                == ["b", "b", "c"])
    }
}
