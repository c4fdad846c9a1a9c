// The members of a shared folder.

import Account
import DropboxAPIComplete

extension SharingExamples {
    /// Invites people who may read the folder.
    func addFolderMember(_ emails: [String], to folder: Common.SharedFolderID) async throws {
        let members = emails.map {
            Sharing.AddMember(member: .email($0), accessLevel: .viewer)
        }
        try await client.sharing.addFolderMember(sharedFolderID: folder, members: members)
    }

    /// Lists the members, without groups and people who have not joined yet.
    func listFolderMembers(_ folder: Common.SharedFolderID) async throws -> [String] {
        let page = try await client.sharing.listFolderMembers(sharedFolderID: folder, limit: 100)
        return page.users.map { "\($0.user.displayName): \($0.accessType)" }
    }

    /// Lets a member write, too.
    func updateFolderMember(_ email: String, of folder: Common.SharedFolderID) async throws {
        _ = try await client.sharing.updateFolderMember(
            sharedFolderID: folder, member: .email(email), accessLevel: .editor)
    }

    /// Takes a member out of the folder, and returns the id of the job.
    func removeFolderMember(
        _ email: String, of folder: Common.SharedFolderID
    ) async throws -> Async.AsyncJobID? {
        let answer = try await client.sharing.removeFolderMember(
            sharedFolderID: folder, member: .email(email), leaveACopy: false)
        guard case .asyncJobID(let job) = answer else { return nil }
        return job
    }

    /// Asks whether the member has been taken out.
    func checkRemoveMemberJobStatus(_ job: Async.AsyncJobID) async throws -> Bool {
        switch try await client.sharing.checkRemoveMemberJobStatus(asyncJobID: job) {
        case .complete: return true
        case .failed(let error): throw Usage("the member has stayed: \(error)")
        default: return false
        }
    }

    /// Leaves another user's folder, and returns the id of the job if that takes time.
    func relinquishFolderMembership(
        _ folder: Common.SharedFolderID
    ) async throws -> Async.AsyncJobID? {
        let answer = try await client.sharing.relinquishFolderMembership(sharedFolderID: folder)
        guard case .asyncJobID(let job) = answer else { return nil }
        return job
    }
}
