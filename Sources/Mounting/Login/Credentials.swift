// The credentials of a mount: a token or refresh token from the environment, a login that the
// environment names, the account's login, or a token in a private file, in this order. A login may
// have its secret in the keyring, which is asked in a second step.

package import DropboxAPI
package import LocalFiles
import LocalIO

/// The source of access tokens.
package enum Credentials: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// An access token that is not renewed.
    case token(String)
    /// A refresh token, which yields tokens for an app until it is revoked, and its account.
    case refreshToken(String, appKey: String)
    /// A login, which yields tokens until it is revoked, and the version of its file that had it: a
    /// later one is another login.
    case login(StoredLogin, LoginFile, version: PrivateFile.Version?)

    /// A description without the secret.
    package var description: String {
        switch self {
        case .token: "<access token>"
        case .refreshToken: "<refresh token>"
        case .login(let login, _, _): login.description
        }
    }
    /// A mirror without the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The secret, which must never be logged or shown.
    package var secret: String {
        switch self {
        case .token(let token), .refreshToken(let token, _): token
        case .login(let login, _, _): login.refreshToken
        }
    }

    /// The granted scopes; none if they are not known.
    package var scopes: [String] {
        switch self {
        case .token, .refreshToken: []
        case .login(let login, _, _): login.scopes
        }
    }

    /// Whether they are a login that asked for nothing that changes files.
    package var isReadOnly: Bool { !scopes.isEmpty && !scopes.contains(LoginScopes.writing) }

    /// The credentials of an account, of which the secret may still be in the keyring.
    package enum Found: Hashable, Sendable {
        /// The secret is known.
        case credentials(Credentials)
        /// The secret of this login is in the keyring.
        case keyring(LoginFile.Contents, LoginFile, version: PrivateFile.Version?)

        /// Whether the secret is in the keyring.
        package var isInKeyring: Bool {
            if case .keyring = self { true } else { false }
        }

        /// The credentials with their secret, from the keyring if that has it. Blocks.
        package func unlocked(_ caller: Keyring.Caller) throws(CommandError) -> Credentials {
            switch self {
            case .credentials(let credentials): return credentials
            case .keyring(let contents, let file, let version):
                return .login(
                    try file.waitForLogin(of: contents, caller), file, version: version)
            }
        }
    }

    /// Finds the credentials of an account. Reads files only, and starts no thread.
    ///
    /// Refuses a file that others may read, because its content gives access to the whole account.
    package static func find(
        environment: Environment, account: String, login: LoginFile, tokenFile: String
    ) throws(CommandError) -> Found {
        if let token = environment.accessToken {
            return .credentials(.token(try checked(token, from: "DBXFS_ACCESS_TOKEN")))
        }
        if let token = environment.refreshToken {
            return .credentials(
                .refreshToken(
                    try checked(token, from: "DBXFS_REFRESH_TOKEN"),
                    appKey: try appKey(environment, account)))
        }
        if let path = environment.loginFile {
            return try copiedLogin(path, server: environment.endpoint?.address)
        }
        if let found = try found(login) { return found }
        guard let text = try readPrivately(tokenFile) else {
            throw .noToken(
                account: account, command: CommandError.login(account, environment.scope),
                file: tokenFile)
        }
        return .credentials(.token(try checked(text, from: tokenFile)))
    }

    private static func found(_ file: LoginFile) throws(CommandError) -> Found? {
        // Before the content: if the file is replaced in between, the mount reads it again.
        let version = file.version
        guard let contents = try file.contents() else { return nil }
        return switch contents {
        case .login(let login): .credentials(.login(login, file, version: version))
        case .keyring: .keyring(contents, file, version: version)
        }
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
    ) throws(CommandError) -> Found {
        let file = LoginFile(path: resolvedPath(path), server: server)
        guard let found = try found(file) else {
            throw .credentialsMissing(variable: "DBXFS_LOGIN_FILE", file: path)
        }
        return found
    }

    private static func readPrivately(_ path: String) throws(CommandError) -> String? {
        do {
            return try PrivateFile.read(path)
        } catch {
            throw CommandError(error)
        }
    }

    private static func checked(_ text: String, from place: String) throws(CommandError) -> String {
        let token = String(text.trimmed)
        guard PrivateFile.isSecret(token) else {
            throw .credentialsUnreadable(
                file: place, reason: token.isEmpty ? "empty" : "not a token")
        }
        return token
    }
}
