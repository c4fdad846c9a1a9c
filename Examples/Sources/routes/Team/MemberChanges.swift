// Members who come, go and come back.

import Account
import DropboxAPIComplete

extension TeamExamples {
    /// Invites a person into the team, and returns the id of the job if that takes time.
    func membersAddV2(_ email: String, givenName: String) async throws -> Async.AsyncJobID? {
        let member = Team.MemberAddV2Arg(memberEmail: email, memberGivenName: givenName)
        switch try await client.team.membersAddV2(newMembers: [member]) {
        case .asyncJobID(let job): return job
        case .complete(let results): print("added: \(results)")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether the members are added; nil means that some are not yet.
    func membersAddJobStatusGetV2(
        _ job: Async.AsyncJobID
    ) async throws -> [Team.MemberAddV2Result]? {
        switch try await client.team.membersAddJobStatusGetV2(asyncJobID: job) {
        case .complete(let results): return results
        case .failed(let reason): throw Usage("no member is added: \(reason)")
        default: return nil
        }
    }

    /// Suspends a member, and leaves the content on the member's devices.
    func membersSuspend(_ email: String) async throws {
        try await client.team.membersSuspend(user: .email(email), wipeData: false)
    }

    /// Ends the suspension of a member.
    func membersUnsuspend(_ email: String) async throws {
        try await client.team.membersUnsuspend(user: .email(email))
    }

    /// Removes a member, and returns the id of the job if that takes time.
    func membersRemove(_ email: String) async throws -> Async.AsyncJobID? {
        let answer = try await client.team.membersRemove(user: .email(email), wipeData: true)
        guard case .asyncJobID(let job) = answer else { return nil }
        return job
    }

    /// Asks whether the member has been removed.
    func membersRemoveJobStatusGet(_ job: Async.AsyncJobID) async throws -> Bool {
        try await client.team.membersRemoveJobStatusGet(asyncJobID: job) == .complete
    }

    /// Moves the files of a former member to another one, and returns the id of the job if that
    /// takes time.
    func membersMoveFormerMemberFiles(
        _ member: Team.UserSelectorArg, to heir: String, tellTo admin: String
    ) async throws -> Async.AsyncJobID? {
        let answer = try await client.team.membersMoveFormerMemberFiles(
            user: member, transferDestID: .email(heir), transferAdminID: .email(admin))
        guard case .asyncJobID(let job) = answer else { return nil }
        return job
    }

    /// Brings a removed member back.
    func membersRecover(_ id: TeamCommon.TeamMemberID) async throws {
        try await client.team.membersRecover(user: .teamMemberID(id))
    }
}
