// The user of the token, other users, and the token itself.

import DropboxAPI

/// Examples of the routes of `users`.
struct UserExamples {
    let client: DropboxClient

    /// Asks whose token this is.
    func getCurrentAccount() async throws -> Users.FullAccount {
        let account = try await client.users.getCurrentAccount()
        print("\(account.name.displayName) <\(account.email)>")
        return account
    }

    /// Asks for the name of another user, such as the one who changed a shared file last.
    func getAccount(_ id: UsersCommon.AccountID) async throws -> String {
        try await client.users.getAccount(accountID: id).name.displayName
    }

    /// Asks for the names of many users.
    func getAccountBatch(_ ids: [UsersCommon.AccountID]) async throws -> [String] {
        try await client.users.getAccountBatch(accountIDs: ids).map(\.name.displayName)
    }

    /// Asks how many bytes are left, in the account or in its team.
    func getSpaceUsage() async throws -> UInt64? {
        let usage = try await client.users.getSpaceUsage()
        switch usage.allocation {
        case .individual(let own): return own.allocated - min(own.allocated, usage.used)
        case .team(let team): return team.allocated - min(team.allocated, team.used)
        default: return nil
        }
    }
}

/// Examples of the routes of `check`.
struct CheckExamples {
    let client: DropboxClient

    /// Asks whether the token is right.
    func user() async throws -> Bool {
        try await client.check.user(query: "hello").result == "hello"
    }

    /// Asks whether key and secret of the app are right, which `DropboxConfiguration.app` has.
    func app() async throws -> Bool {
        try await client.check.app(query: "hello").result == "hello"
    }
}

/// Examples of the routes of `auth`.
struct AuthExamples {
    let client: DropboxClient

    /// Ends the login: the token is worth nothing afterwards.
    func tokenRevoke() async throws {
        try await client.auth.tokenRevoke()
    }
}
