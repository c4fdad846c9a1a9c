// Single files that are shared with people.

import DropboxAPIComplete

extension SharingExamples {
    /// Shares a file with people who may read it, and returns those who could not be added.
    func addFileMember(_ emails: [String], to file: String) async throws -> [Sharing.MemberSelector]
    {
        let results = try await client.sharing.addFileMember(
            file: file, members: emails.map { .email($0) }, accessLevel: .viewer)
        return results.compactMap { result in
            if case .success = result.result { nil } else { result.member }
        }
    }

    /// Lists those whom a file is shared with.
    func listFileMembers(_ file: String) async throws -> [String] {
        let page = try await client.sharing.listFileMembers(file: file, includeInherited: false)
        return page.users.map { "\($0.user.displayName): \($0.accessType)" }
    }

    /// Lists the files that others have shared with this account.
    func listReceivedFiles() async throws -> [String] {
        let page = try await client.sharing.listReceivedFiles(limit: 100)
        return page.entries.map { "\($0.name), \($0.previewURL)" }
    }

    /// Ends the sharing of a file with one of its members.
    func removeFileMember2(_ email: String, of file: String) async throws -> Bool {
        let result = try await client.sharing.removeFileMember2(file: file, member: .email(email))
        guard case .memberError(let error) = result else { return true }
        print("\(email) has stayed: \(error)")
        return false
    }
}
