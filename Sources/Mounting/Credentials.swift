// By what a mount proves whose account it is for: a token of the environment, a login, or a token in a
// file that only its owner can read, in this order.

public import DropboxAPI
import PrivateFiles

/// What access tokens are had from.
public enum Credentials: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// A ready token that nobody renews.
    case token(String)
    /// A login, which gives tokens until it is revoked.
    case login(StoredLogin, LoginFile)

    /// Never a secret.
    public var description: String {
        switch self {
        case .token: "<access token>"
        case .login(let login, _): login.description
        }
    }
    /// Never a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The secret that must not appear anywhere.
    public var secret: String {
        switch self {
        case .token(let token): token
        case .login(let login, _): login.refreshToken
        }
    }

    /// What there is for an account.
    ///
    /// A file that others may read is refused: whoever has read it has the whole account.
    public static func find(
        environment: Environment, account: String, login: LoginFile, tokenFile: String
    ) throws(CommandError) -> Credentials {
        if let token = environment.accessToken {
            return .token(try checked(token, from: "DBXFS_ACCESS_TOKEN"))
        }
        if let stored = try login.load() { return .login(stored, login) }
        guard let text = try readPrivately(tokenFile) else {
            throw .noToken(
                account: account, command: CommandError.login(account, environment.scope),
                file: tokenFile)
        }
        return .token(try checked(text, from: tokenFile))
    }

    private static func readPrivately(_ path: String) throws(CommandError) -> String? {
        do {
            return try PrivateFile.read(path)
        } catch {
            throw CommandError(error)
        }
    }

    private static func checked(_ text: String, from place: String) throws(CommandError) -> String {
        var token = Substring(text)
        while token.last?.isWhitespace == true { token.removeLast() }
        while token.first?.isWhitespace == true { token.removeFirst() }
        guard PrivateFile.isSecret(String(token)) else {
            throw .credentialsUnreadable(
                file: place, reason: token.isEmpty ? "empty" : "not a token")
        }
        return String(token)
    }
}
