// The commands that users are told to run before and after a login. Not responsible for running
// them.

extension CommandError {
    /// The command that logs an account in.
    package static func login(_ account: String, _ scope: Environment.Scope) -> String {
        "dbxfs login" + (scope == .system ? " --system" : "")
            + (account == MountSource.standard.account ? "" : " --account " + account)
    }

    /// The steps to an app of one's own with these permissions, a line each. `login` is the command
    /// to begin again with.
    package static func appSteps(
        scopes: LoginScopes, redirects: [String], login: String
    ) -> [String] {
        [
            "dbxfs logs in with an app of your own, which is made once:",
            "1. Create it at \(appConsole): Scoped access, Full Dropbox.",
            "2. Under Permissions, tick these, and submit:",
            "   " + scopes.needed.joined(separator: " "),
        ] + (scopes.wished.isEmpty ? [] : ["   " + scopes.wished.joined(separator: " ")]) + [
            "3. Under Settings, add these redirect URIs:",
            "   " + redirects.joined(separator: " "),
            "4. With the App key that Settings shows: \(login) --app-key KEY",
        ]
    }

    /// The advice after a refusal for want of the scopes of links and shared folders.
    package static func sharingAdvice(_ account: String, _ scope: Environment.Scope) -> String {
        "the app needs sharing.read and sharing.write, and the account a login since then: `\(login(account, scope))`"
    }
}

extension Environment {
    /// The commands that mount an account where it belongs, and elsewhere, a line each.
    package func mountAdvice(for account: String) -> [String] {
        let command = "dbxfs mount" + (scope == .system ? " --system" : "")
        let isStandard = account == MountSource.standard.account
        let elsewhere = "\(command)\(isStandard ? "" : " " + account) MOUNTPOINT"
        guard let place = try? standardPlace(of: account).mountpoint else {
            return ["Mount it: \(elsewhere)"]
        }
        return [
            "Mount it at \(place): \(command)\(isStandard ? "" : " --account " + account)",
            "Or elsewhere: \(elsewhere)",
        ]
    }
}
