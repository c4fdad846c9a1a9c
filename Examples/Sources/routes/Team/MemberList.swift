// The members of the team, their names and their roles.

import DropboxAPIComplete

extension TeamExamples {
    /// Lists the first members; there are more if `hasMore` says so.
    func membersListV2() async throws -> Team.MembersListV2Result {
        try await client.team.membersListV2(limit: 100)
    }

    /// Lists the members after the first ones.
    func membersListContinueV2(_ cursor: String) async throws -> [Team.TeamMemberInfoV2] {
        let page = try await client.team.membersListContinueV2(cursor: cursor)
        guard page.hasMore else { return page.members }
        return page.members + (try await membersListContinueV2(page.cursor))
    }

    /// Asks for the name of one member.
    func membersGetInfoV2(_ email: String) async throws -> String? {
        let answer = try await client.team.membersGetInfoV2(members: [.email(email)])
        guard case .memberInfo(let member)? = answer.membersInfo.first else { return nil }
        return member.profile.name.displayName
    }

    /// Changes the name of a member.
    func membersSetProfileV2(_ email: String, givenName: String) async throws -> String {
        let answer = try await client.team.membersSetProfileV2(
            user: .email(email), newGivenName: givenName)
        return answer.memberInfo.profile.name.displayName
    }

    /// Gives a member a role, or takes all roles away.
    func membersSetAdminPermissionsV2(
        _ email: String, role: Team.TeamMemberRoleID?
    ) async throws -> [String] {
        let roles = role.map { [$0] } ?? []
        let answer = try await client.team.membersSetAdminPermissionsV2(
            user: .email(email), newRoles: roles)
        return answer.roles?.map(\.name) ?? []
    }
}
