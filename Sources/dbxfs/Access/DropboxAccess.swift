// Access to Dropbox, or to the server that replaces it: settings, connections, tokens. Shared by
// mounts, logins and logouts.

import DropboxAPI
import Logging
import Mounting

extension Keyring.Caller {
    /// For a command that a user has entered.
    static var asking: Self { .user { Terminal.complain($0) } }
}

/// Connections to Dropbox's servers, independent of an account.
struct DropboxAccess {
    var configuration: DropboxConfiguration
    var transport: any HTTPTransport

    /// Maximum bytes of an answer: four times a full page of a listing. Decoding one takes several
    /// times as much memory, which a mount must not give to any server. Listings with longer pages,
    /// because of very long paths, are repeated with fewer entries in each.
    private static let resultLimit = 8 << 20
    /// Bytes of a full page of the longest paths that Linux opens, each character escaped, with
    /// room to spare. For commands that keep nothing of it.
    static let longestPageBytes = 64 << 20

    /// Creates connections; `adjust` may change settings first.
    init(
        _ environment: Environment, adjust: (inout DropboxConfiguration) -> Void = { _ in }
    ) throws(CommandError) {
        var configuration = DropboxConfiguration(
            userAgent: "dbxfs/\(ProductVersion.current)", resultLimit: Self.resultLimit)
        adjust(&configuration)
        do throws(TransportError) {
            if let endpoint = environment.endpoint {
                configuration.hosts = try DropboxHosts(endpoint: endpoint.address)
            }
            transport = try CurlTransport(
                configuration: configuration.transport, logger: Logger(label: "dropbox"))
        } catch {
            throw .system(error.message)
        }
        self.configuration = configuration
    }

    /// A client for the account of these tokens, or for a member of their team.
    func client(
        _ tokens: any AccessTokenProvider, member: String? = nil
    ) -> DropboxClient {
        let client = DropboxClient(
            configuration: configuration, tokens: tokens, transport: transport,
            logger: Logger(label: "dropbox"))
        return member.map { client.acting(as: .teamMember($0)) } ?? client
    }

    /// The login pages and the token endpoint, for one app.
    func login(app: AppCredentials) -> OAuthClient {
        OAuthClient(app: app, configuration: configuration, transport: transport)
    }

    /// The access tokens of a mount. `command` is the login command for messages; `hide` gets every
    /// new secret.
    func tokens(
        _ credentials: Credentials, command: String, hide: @escaping @Sendable (String) -> Void
    ) -> any AccessTokenProvider {
        switch credentials {
        case .token(let token): return FixedAccessToken(AccessToken(token))
        case .refreshToken(let token, let key):
            hide(token)
            return RefreshingAccessTokens(
                client: login(app: AppCredentials(key: key)), refreshToken: token
            ) { grant in
                // The sink drops the secret that was hidden first. The refresh token stays valid,
                // so it is hidden again.
                hide(token)
                hide(grant.accessToken)
            }
        case .login(let login, let file, let version):
            let access = self
            return LoginTokens(
                login, file: file, version: version, command: command,
                log: Logger(label: "login")
            ) { login in
                hide(login.refreshToken)
                if let secret = login.appSecret { hide(secret) }
                return access.renewing(login) { grant in
                    // Hidden again, as above.
                    hide(login.refreshToken)
                    if let secret = login.appSecret { hide(secret) }
                    hide(grant.accessToken)
                }
            }
        }
    }

    /// Access tokens of a login.
    func renewing(
        _ login: StoredLogin, onRenewal: @escaping @Sendable (TokenGrant) -> Void = { _ in }
    ) -> RefreshingAccessTokens {
        RefreshingAccessTokens(
            client: self.login(app: AppCredentials(key: login.appKey, secret: login.appSecret)),
            refreshToken: login.refreshToken, onRenewal: onRenewal)
    }
}
