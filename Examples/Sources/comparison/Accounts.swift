// Logins, tokens and callers: lines of docs/sdk-comparison.md.

import Account
import DropboxAPI
import Foundation

/// Logins and those who call.
struct Accounts {
    let hosts: DropboxHosts
    let folder: String

    func run() async throws {
        let app = AppCredentials(key: "key", secret: "s")
        let configuration = DropboxConfiguration(hosts: hosts, app: app)
        let transport = try CurlTransport()
        let oauth = OAuthClient(app: app, configuration: configuration, transport: transport)
        let grant = try await login(oauth, transport)

        let store: any TokenStore = FolderTokenStore(folder: folder + "/logins")
        guard let login = StoredLogin(grant, app: app, hosts: hosts) else {
            throw Usage("no login")
        }
        try await store.save(login, for: "work")
        print("accounts: \(try await store.accounts())")
        let fresh = try await oauth.refresh(login.refreshToken)
        print("expires in: \(fresh.expiresIn ?? 0)")
        guard let tokens = try await oauth.tokens(of: "work", in: store) else {
            throw Usage("no login")
        }
        let client = DropboxClient(
            configuration: configuration, tokens: tokens, transport: transport)
        try await callers(client)
        try await client.auth.tokenRevoke()
        try await store.remove("work")
        await client.shutDown()
        await transport.shutDown()
    }

    private func login(
        _ oauth: OAuthClient, _ transport: CurlTransport
    ) async throws -> TokenGrant {
        let pkce = PKCE()
        print(oauth.authorizationURL(pkce: pkce, scopes: ["files.metadata.read"]))
        let team = LoginRequest(scopes: ["members.read"], grantedScopes: .team, locale: "de")
        print(oauth.beginLogin(redirect: "http://127.0.0.1/back", request: team).page)
        let (page, pending) = oauth.beginLogin(redirect: "http://127.0.0.1/back")
        let returned = try await allowed(page, transport)
        return try await oauth.finishLogin(pending, returned: returned)
    }

    /// Chooses the first account, like a user at a browser; returns the address that the page sends
    /// the browser to.
    private func allowed(_ page: String, _ transport: CurlTransport) async throws -> String {
        let shown = try await transport.send(TransportRequest(method: .get, url: page))
        let text = String(decoding: try await shown.body.collect(upTo: 1 << 20), as: UTF8.self)
        guard let account = text.firstMatch(of: /value="(dbid:[^"]*)"/)?.1 else {
            throw Usage("the page has no account")
        }
        let answer = try await transport.send(
            TransportRequest(
                url: page, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: BytesBody(Array("account_id=\(account)".utf8))))
        guard let address = answer.headers["Location"] else { throw Usage("no way back") }
        return address
    }

    private func callers(_ client: DropboxClient) async throws {
        let account = try await client.users.getCurrentAccount()
        let home = client.rooted(at: .root(account.rootInfo.rootNamespaceID))
        print("at the root: \(try await home.files.listFolder(path: "").entries.count)")
        print("the app: \(try await client.acting(as: .app).check.app(query: "hello").result)")
    }
}
