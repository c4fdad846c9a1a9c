// Checks a grant before it becomes a login: its account and its scopes; revokes it if it fails.

import DropboxAPI
import Foundation
import LocalIO
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

    /// Refuses a grant that lacks a required scope.
    func checkScopes(_ wanted: [String]) throws(CommandError) {
        guard let scopes else { return }
        let missing = wanted.filter { !scopes.contains($0) }
        guard missing.isEmpty else {
            throw .loginFailed(
                "the app lacks the permission \(missing.joined(separator: ", ")): tick it at "
                    + "\(CommandError.appConsole) under Permissions, submit, and log in again")
        }
    }

    /// Tells of a scope that the grant lacks, and that a mount can do without.
    func reportMissing(_ scope: String) {
        guard let scopes, !scopes.contains(scope) else { return }
        Terminal.complain(
            "\(PosixSharing.kinds) will stay on this machine: the app lacks the permission \(scope), "
                + "which \(CommandError.appConsole) has under Permissions")
    }

    private var scopes: [String]? {
        grant.scope?.split(separator: " ").map(String.init)
    }

    /// Requests the account of the grant.
    func owner(_ server: String) throws(CommandError) -> Owner {
        let store = DropboxStore(client: client)
        let answer = WorkerThread.waiting { () async -> Result<Owner, RemoteError> in
            do throws(RemoteError) {
                let account = try await store.account()
                return .success(Owner(account: account, space: try? await store.space()))
            } catch {
                return .failure(error)
            }
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
        appKey: String, _ account: RemoteAccount
    ) throws(CommandError) -> StoredLogin {
        guard let refreshToken = grant.refreshToken else {
            throw .loginFailed("Dropbox gave no refresh token")
        }
        return StoredLogin(
            appKey: appKey, refreshToken: refreshToken, scopes: scopes ?? [],
            accountID: account.id)
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
