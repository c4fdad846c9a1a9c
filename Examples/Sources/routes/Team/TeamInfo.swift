// The team, and the administrator who connected the app. The token is a team's.

import DropboxAPIComplete

/// Examples of the routes of `team`.
struct TeamExamples {
    let client: DropboxClient
}

extension TeamExamples {
    /// Asks for the team's name and licences.
    func getInfo() async throws -> String {
        let team = try await client.team.getInfo()
        return "\(team.name): \(team.numProvisionedUsers) of \(team.numLicensedUsers) licences"
    }

    /// Asks which administrator gave the app the team's token.
    func tokenGetAuthenticatedAdmin() async throws -> String {
        try await client.team.tokenGetAuthenticatedAdmin().adminProfile.email
    }
}
