// The login of a program that has no web page: the user copies a code once, and the login stays in
// a folder that no other user can read. Not responsible for the calls that are made with it.

import DropboxAPI
import Foundation

// [step 1]
/// What the user has to do differently, or the fault of a file.
struct Problem: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }

    init(_ description: String) {
        self.description = description
    }
}

/// The app that asks for access, and the folder with its logins.
struct Login {
    private let app: AppCredentials
    private let configuration: DropboxConfiguration
    private let logins: FolderTokenStore

    /// Takes `DROPBOX_APP_KEY`, `DROPBOX_LOGINS` (a folder) and `DROPBOX_ENDPOINT` (a server that
    /// is not Dropbox) from the environment.
    init() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let key = environment["DROPBOX_APP_KEY"] else {
            throw Problem("set DROPBOX_APP_KEY to the key of your app")
        }
        app = AppCredentials(key: key)
        logins = FolderTokenStore(
            folder: environment["DROPBOX_LOGINS"]
                ?? NSHomeDirectory() + "/.local/state/dropbox-examples")
        var configuration = DropboxConfiguration(userAgent: "examples/1.0")
        if let endpoint = environment["DROPBOX_ENDPOINT"] {
            configuration.hosts = try DropboxHosts(endpoint: endpoint)
        }
        self.configuration = configuration
    }

    // [step 2]
    /// Asks the user for access to the account, and keeps the login.
    func ask() async throws {
        let transport = try CurlTransport(configuration: configuration.transport)
        let oauth = OAuthClient(app: app, configuration: configuration, transport: transport)
        let pkce = PKCE()
        print("Allow the access at this page, and enter the code that it shows:")
        print(
            oauth.authorizationURL(
                pkce: pkce,
                scopes: ["files.metadata.read", "files.content.read", "files.content.write"]))
        guard let code = readLine(), !code.isEmpty else { throw Problem("no code was entered") }
        // [step 3]
        let grant = try await oauth.exchange(code: code, pkce: pkce)
        guard let login = StoredLogin(grant, app: app, hosts: configuration.hosts) else {
            throw Problem("the server gave a login that ends within hours")
        }
        try logins.save(login, for: "me")
        await transport.shutDown()
        print("logged in as \(login.accountID)")
    }

    // [step 4]
    /// A client for the account of the login.
    func client() async throws -> DropboxClient {
        let transport = try CurlTransport(configuration: configuration.transport)
        let oauth = OAuthClient(app: app, configuration: configuration, transport: transport)
        guard let tokens = try await oauth.tokens(of: "me", in: logins) else {
            throw Problem("log in first")
        }
        return DropboxClient(configuration: configuration, tokens: tokens, transport: transport)
    }
}
