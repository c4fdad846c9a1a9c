// `dbxfs login --from-rclone` and `--from-maestral`: the login of another client is tried before it
// is kept. `RcloneLogin` and `MaestralLogin` read it.

import ArgumentParser
import Blocking
import DropboxAPI
import Mounting
import RemoteStore

/// The client whose login is taken over, if any.
struct TakeoverOptions: ParsableArguments {
    @Flag(
        help: """
            Use the login of rclone, if its remote has an app of your own (client_id): of the remote NAME, or of \
            the only one of Dropbox.
            """)
    var fromRclone = false

    @Flag(help: "Use the login of Maestral: of the configuration NAME, by default 'maestral'.")
    var fromMaestral = false

    @Argument(
        help: "With --from-rclone, the remote; with --from-maestral, the configuration.",
        completion: .remotesOfRclone)
    var name: String?

    func validate() throws {
        guard !(fromRclone && fromMaestral) else {
            throw ValidationError("name one of --from-rclone and --from-maestral")
        }
        guard let name, !isWished else { return }
        throw ValidationError("unexpected argument '\(name)': an account has its name by --account")
    }

    /// Whether a login is to be taken over.
    var isWished: Bool { fromRclone || fromMaestral }

    /// That login; nil if none is to be taken over.
    func login(_ variables: [String: String]) throws(CommandError) -> TakenLogin? {
        if fromRclone { return try RcloneLogin(variables).login(of: name) }
        if fromMaestral { return try MaestralLogin(variables, .asking).login(of: name) }
        return nil
    }
}

extension LoginSession {
    /// Timeout in seconds for the renewal of a token.
    private static let renewalTimeout = Duration.seconds(60)

    /// Tries the login of another client: an access token, its scopes, and whether it can list
    /// files.
    init(
        _ access: DropboxAccess, _ taken: TakenLogin, needing scopes: LoginScopes
    ) throws(CommandError) {
        var grant = try Self.renew(taken, access.login(app: taken.app))
        grant.refreshToken = grant.refreshToken ?? taken.refreshToken
        self.init(access, grant)
        // The right to change metadata includes that to read it.
        let changesMetadata = missing(of: [LoginScopes.posix]).isEmpty
        let lacking = missing(of: scopes.needed).filter {
            $0 != "files.metadata.read" || !changesMetadata
        }
        guard lacking.isEmpty else { throw taken.lacks(lacking.joined(separator: ", ")) }
        guard try canList() else { throw taken.lacks("files.metadata.read") }
    }

    private static func renew(
        _ taken: TakenLogin, _ client: OAuthClient
    ) throws(CommandError) -> TokenGrant {
        let answer = WorkerThread.result { () async throws(TokenError) in
            try await client.refresh(
                taken.refreshToken, options: .within(Self.renewalTimeout))
        }
        switch answer {
        case .success(let grant): return grant
        case .failure(.invalidGrant(let text)):
            throw .loginFailed(
                "Dropbox has ended the login of \(taken.client) (\(text)): log in there again, or by dbxfs login"
            )
        case .failure(.rejected(let code, let text)):
            throw .loginFailed(
                "Dropbox does not accept the app of \(taken.client)'s login (\(code): \(text)): its key and secret "
                    + "have to be those with which \(taken.client) logged in")
        case .failure(let error): throw .loginFailed(error.advice)
        case nil: throw .system("the token could not be renewed")
        }
    }

    /// Whether the grant may list files. Other failures are reported by the next request.
    private func canList() throws(CommandError) -> Bool {
        let store = store
        let answer = WorkerThread.waiting { () async -> RemoteError? in
            do throws(RemoteError) {
                _ = try await store.latestCursor()
                return nil
            } catch {
                return error
            }
        }
        if case .forbidden?? = answer { return false }
        return true
    }
}

extension TakenLogin {
    fileprivate func lacks(_ scopes: String) -> CommandError {
        .loginFailed(
            "the login of \(client) lacks the permission \(scopes): tick it at \(CommandError.appConsole) under "
                + "Permissions, submit, and log in again there, or by dbxfs login")
    }

    /// The consequences of two clients with one login, in lines for the user.
    func consequences(of command: String) -> String {
        let shared =
            "\(client) goes on with the same login: `dbxfs logout` ends it for both, and so does ending it there."
        guard !isOwnApp else { return shared }
        return shared
            + "\nDropbox shows dbxfs as \(client). With an app of your own it has its own name: \(command) "
            + "--app-key KEY"
    }
}
