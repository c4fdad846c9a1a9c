// Shows what a member of a team has, with the team's token:   team-member dbmid:…

import Account
import DropboxAPI

@main
struct TeamMember {
    static func main() async throws {
        let team = try accountFromEnvironment()
        let member = team.acting(as: .teamMember(try argument(1, "team-member MEMBER")))
        let account = try await member.users.getCurrentAccount()
        print("\(account.name.displayName) <\(account.email)>")
        // The member's own folder is the root of paths unless another one is named.
        let home = try await member.files.listFolder(path: "")
        print("at home: \(home.entries.compactMap(\.pathDisplay))")
        let space = member.rooted(at: .root(account.rootInfo.rootNamespaceID))
        let shared = try await space.files.listFolder(path: "")
        print("in the team's space: \(shared.entries.compactMap(\.pathDisplay))")
        await team.shutDown()
    }
}
