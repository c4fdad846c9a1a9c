// The command that messages tell users to run. Not responsible for running it.

extension CommandError {
    /// The command that logs an account in.
    package static func login(_ account: String, _ scope: Environment.Scope) -> String {
        "dbxfs login" + (scope == .system ? " --system" : "")
            + (account == MountSource.standard.account ? "" : " --account " + account)
    }

    /// The advice after a refusal for want of the scopes of links and shared folders.
    package static func sharingAdvice(_ account: String, _ scope: Environment.Scope) -> String {
        "the app needs sharing.read and sharing.write, and the account `\(login(account, scope)) --sharing`"
    }
}
