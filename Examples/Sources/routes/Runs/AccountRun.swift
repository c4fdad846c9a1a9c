// Runs the examples of accounts and of checks.

import DropboxAPI

/// Calls that change nothing.
struct AccountRun {
    let client: DropboxClient

    func run() async throws {
        let check = CheckExamples(client: client)
        let user = try await check.user()
        try expect(user, "the token is right")
        let app = try await check.app()
        try expect(app, "key and secret of the app are right")
        let users = UserExamples(client: client)
        let account = try await users.getCurrentAccount()
        let name = try await users.getAccount(account.accountID)
        try expect(name == account.name.displayName, "an account has one name")
        let free = try await users.getSpaceUsage()
        try expect((free ?? 0) > 0, "there is space left")
    }
}
