// The consequences of an app that lacks permissions, for the user who has just logged in with it.

extension LoginScopes {
    /// The reason to refuse a login with this grant; nil if the grant has all needed scopes.
    package func refusal(of granted: [String]) -> String? {
        let missing = needed.filter { !granted.contains($0) }
        guard !missing.isEmpty else { return nil }
        let less = missing == [Self.writing] ? "; dbxfs login --read-only does without" : ""
        return "the app lacks the permission \(missing.joined(separator: ", ")): tick it at "
            + "\(CommandError.appConsole) under Permissions, submit, and log in again\(less)"
    }

    /// The abilities that a login lacks because its grant lacks wished scopes, a sentence each.
    /// `client` is the other client whose login was taken over, if it was.
    package func consequences(of granted: [String], takenFrom client: String?) -> [String] {
        let missing = wished.filter { !granted.contains($0) }
        if let client {
            return missing.isEmpty
                ? []
                : [
                    "the login of \(client) lacks \(missing.joined(separator: ", ")): dbxfs goes on without"
                ]
        }
        let place = "which \(CommandError.appConsole) has under Permissions"
        var sentences: [String] = []
        if missing.contains(Self.posix) {
            sentences.append(
                "\(PosixSharing.kinds) will stay on this machine: the app lacks the permission \(Self.posix), \(place)"
            )
        }
        let shares = missing.filter { $0 != Self.posix }
        if !shares.isEmpty {
            sentences.append(
                "links and shared folders are left out: the app lacks \(shares.joined(separator: " and ")), \(place); "
                    + "--no-sharing does not ask for them")
        }
        return sentences
    }
}
