// The credentials of a mount: a token or refresh token from the environment, a login that the
// environment names, the account's login, or a token in a private file, in this order.

package import DropboxAPI
import LocalIO

/// The source of access tokens.
package enum Credentials: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// An access token that is not renewed.
    case token(String)
    /// A refresh token, which yields tokens for an app until it is revoked, and its account.
    case refreshToken(String, appKey: String)
    /// A login, which yields tokens until it is revoked.
    case login(StoredLogin, LoginFile)

    /// A description without the secret.
    package var description: String {
        switch self {
        case .token: "<access token>"
        case .refreshToken: "<refresh token>"
        case .login(let login, _): login.description
        }
    }
    /// A mirror without the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The secret, which must never be logged or shown.
    package var secret: String {
        switch self {
        case .token(let token), .refreshToken(let token, _): token
        case .login(let login, _): login.refreshToken
        }
    }

    /// The granted scopes; none if they are not known.
    package var scopes: [String] {
        switch self {
        case .token, .refreshToken: []
        case .login(let login, _): login.scopes
        }
    }

    /// Finds the credentials of an account.
    ///
    /// Refuses a file that others may read, because its content gives access to the whole account.
    package static func find(
        environment: Environment, account: String, login: LoginFile, tokenFile: String
    ) throws(CommandError) -> Credentials {
        if let token = environment.accessToken {
            return .token(try checked(token, from: "DBXFS_ACCESS_TOKEN"))
        }
        if let token = environment.refreshToken {
            return .refreshToken(
                try checked(token, from: "DBXFS_REFRESH_TOKEN"),
                appKey: try appKey(environment, account))
        }
        if let path = environment.loginFile {
            return try copiedLogin(path, server: environment.endpoint?.address)
        }
        if let stored = try login.load() { return .login(stored, login) }
        guard let text = try readPrivately(tokenFile) else {
            throw .noToken(
                account: account, command: CommandError.login(account, environment.scope),
                file: tokenFile)
        }
        return .token(try checked(text, from: tokenFile))
    }

    /// The app that the environment's refresh token is for. That of a stored login may be another.
    private static func appKey(
        _ environment: Environment, _ account: String
    ) throws(CommandError) -> String {
        guard let key = environment.appKey(of: account) ?? Environment.defaultAppKey else {
            throw .refreshTokenWithoutApp
        }
        guard StoredLogin.isAppKey(key) else { throw .badAppKey(key, name: "app key") }
        return key
    }

    /// The login in a file that the user named. Its place may be a link, as those of Kubernetes's
    /// secrets are.
    private static func copiedLogin(
        _ path: String, server: String?
    ) throws(CommandError) -> Credentials {
        let file = LoginFile(path: resolvedPath(path), server: server)
        guard let stored = try file.load() else {
            throw .credentialsMissing(variable: "DBXFS_LOGIN_FILE", file: path)
        }
        return .login(stored, file)
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
