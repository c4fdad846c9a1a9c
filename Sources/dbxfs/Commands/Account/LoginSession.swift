// Checks a grant before it becomes a login: its account and its scopes; revokes it if it fails.

import Blocking
import DropboxAPI
import Foundation
import Mounting
import RemoteStore

/// A grant that is not stored yet.
struct LoginSession {
    /// The account of the grant.
    struct Owner {
        var account: RemoteAccount
        /// Bytes used and allowed, if the server returns them.
        var space: RemoteSpace?
    }

    /// Timeout in seconds for revoking a grant.
    private static let revocationTimeout = Duration.seconds(10)

    private let grant: TokenGrant
    private let client: DropboxClient

    init(_ access: DropboxAccess, _ grant: TokenGrant) {
        self.grant = grant
        client = access.client(FixedAccessToken(AccessToken(grant.accessToken)))
    }

    /// The files of the grant's account.
    var store: DropboxStore { DropboxStore(client: client) }

    /// Refuses a grant that lacks a required scope.
    func checkScopes(_ asked: LoginScopes) throws(CommandError) {
        if let scopes, let refusal = asked.refusal(of: scopes) { throw .loginFailed(refusal) }
    }

    /// Tells of the scopes that the grant lacks, and that a mount can do without.
    func reportMissing(_ asked: LoginScopes, takenFrom client: String?) {
        guard let scopes else { return }
        for sentence in asked.consequences(of: scopes, takenFrom: client) {
            Terminal.complain(sentence)
        }
    }

    /// The scopes of these that the grant does not have, as far as the server says.
    func missing(of wanted: [String]) -> [String] {
        guard let scopes else { return [] }
        return wanted.filter { !scopes.contains($0) }
    }

    private var scopes: [String]? {
        grant.scope?.split(separator: " ").map(String.init)
    }

    /// Requests the account of the grant.
    func owner(_ server: String) throws(CommandError) -> Owner {
        let store = store
        let answer = WorkerThread.result { () async throws(RemoteError) in
            let account = try await store.account()
            return Owner(account: account, space: try? await store.space())
        }
        switch answer {
        case .success(let owner): return owner
        case .failure(.offline(let detail)):
            throw .loginFailed("\(server) cannot be reached (\(detail)); run dbxfs login again")
        case .failure(.timedOut):
            throw .loginFailed("\(server) does not answer in time; run dbxfs login again")
        case .failure(let error):
            throw .loginFailed(CommandError(error, server: server, remotePath: "").message)
        case nil: throw .system("the account could not be asked for")
        }
    }

    /// The login to store.
    func login(
        _ app: AppCredentials, _ account: RemoteAccount
    ) throws(CommandError) -> StoredLogin {
        guard let refreshToken = grant.refreshToken else {
            throw .loginFailed("Dropbox gave no refresh token")
        }
        var login = StoredLogin(
            appKey: app.key, refreshToken: refreshToken, scopes: scopes ?? [],
            accountID: account.id)
        login.appSecret = app.secret
        return login
    }

    /// Revokes the grant, if Dropbox can be reached.
    func revoke() {
        let client = client
        _ = WorkerThread.waiting {
            _ = try? await client.call(
                Auth.tokenRevoke, options: .within(Self.revocationTimeout))
        }
    }
}
