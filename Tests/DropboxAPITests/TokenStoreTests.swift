// Logins in a store: their files, refused ones, and that renewals are kept.

import Foundation
import Glibc
import Synchronization
import Testing

@testable import DropboxAPI

extension StoredLogin {
    fileprivate static let sample = StoredLogin(
        appKey: "app1", refreshToken: "r", scopes: ["a", "b"], accountID: "dbid:1")
}

@Suite(.timeLimit(.minutes(5)))
final class FolderTokenStoreTests {
    private let parent: String
    private let store: FolderTokenStore

    init() throws {
        parent = NSTemporaryDirectory() + "dropbox-tokens-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true)
        store = FolderTokenStore(folder: parent + "/logins")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: parent)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("several accounts with any names are kept apart, listed and forgotten")
    func accounts() throws {
        #expect(store.accounts() == [])
        #expect(try store.load("work") == nil)
        try store.remove("work")
        let names = ["../up", ".", "a b/é", "work", "work.json", "WORK"]
        for name in names {
            var login = StoredLogin.sample
            login.accountID = "dbid:" + name
            try store.save(login, for: name)
        }
        #expect(store.accounts() == names.sorted())
        for name in names {
            #expect(try store.load(name)?.accountID == "dbid:" + name)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["logins"])
        try store.remove("work")
        #expect(try store.load("work") == nil)
        #expect(store.accounts() == names.filter { $0 != "work" }.sorted())
    }

    @Test("only the owner can read the stored logins, and nothing is left over")
    func modes() throws {
        try store.save(.sample, for: "work")
        try store.save(.sample, for: "work")
        #expect(try mode(store.folder) == 0o700)
        #expect(try mode(store.folder + "/work.json") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder) == ["work.json"])
    }

    @Test("a folder or a file that others may read is refused, and stays as it is")
    func wider() throws {
        try store.save(.sample, for: "work")
        chmod(store.folder, 0o750)
        #expect(throws: TokenStoreError.notPrivate(store.folder)) { try store.load("work") }
        #expect(throws: TokenStoreError.notPrivate(store.folder)) {
            try store.save(.sample, for: "work")
        }
        #expect(try mode(store.folder) == 0o750)
        chmod(store.folder, 0o700)
        let file = store.folder + "/work.json"
        chmod(file, 0o640)
        #expect(throws: TokenStoreError.notPrivate(file)) { try store.load("work") }
    }

    @Test("damage is reported without a copy of it", arguments: ["", "{", #"{"app_key":"hush"}"#])
    func damage(text: String) throws {
        try store.save(.sample, for: "work")
        let handle = try #require(FileHandle(forWritingAtPath: store.folder + "/work.json"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        let error = #expect(throws: TokenStoreError.self) { try store.load("work") }
        guard case .damaged("work", _)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(error?.description.contains("hush") == false)
    }

    @Test("names without an end, or with control characters, are refused")
    func names() {
        for name in ["", "a\u{0}b", "a\nb", String(repeating: "x", count: 101)] {
            #expect(throws: TokenStoreError.invalidAccount(name)) {
                try store.save(.sample, for: name)
            }
        }
    }

    @Test("a name that makes no file's name is refused before there is a login")
    func longNames() throws {
        let long = String(repeating: "é", count: 41)
        #expect(throws: TokenStoreError.invalidAccount(long)) { try store.load(long) }
        #expect(throws: TokenStoreError.invalidAccount(long)) {
            try store.save(.sample, for: long)
        }
        for name in [String(repeating: "é", count: 40), String(repeating: "x", count: 100)] {
            #expect(try store.load(name) == nil)
            try store.save(.sample, for: name)
            #expect(try store.load(name) == .sample)
        }
    }

    @Test("a login without an access token has the fields that it always had")
    func format() throws {
        #expect(
            StoredLogin.sample.json == """
                {
                  "account_id" : "dbid:1",
                  "app_key" : "app1",
                  "refresh_token" : "r",
                  "scopes" : [
                    "a",
                    "b"
                  ]
                }
                """)
        var login = StoredLogin.sample
        login.adopt(.init(accessToken: "t", expiresIn: 60), at: .init(secondsSince1970: 0))
        #expect(try StoredLogin(json: login.json) == login)
        #expect(login.expires == Timestamp("1970-01-01T00:01:00Z"))
        #expect("\(login)" == "<login of dbid:1>")
    }
}

/// A store in memory that can fail.
private actor MemoryStore: TokenStore {
    private(set) var logins: [String: StoredLogin] = [:]
    private var isFailing = false

    init(_ logins: [String: StoredLogin]) { self.logins = logins }

    func fail() { isFailing = true }

    func load(_ account: String) throws(TokenStoreError) -> StoredLogin? { logins[account] }

    func save(_ login: StoredLogin, for account: String) throws(TokenStoreError) {
        if isFailing { throw .failed("no room") }
        logins[account] = login
    }

    func remove(_ account: String) { logins[account] = nil }

    func accounts() -> [String] { logins.keys.sorted() }
}

@Suite(.timeLimit(.minutes(5)))
struct AccountTokensTests {
    private func client(_ server: ScriptedServer) throws -> OAuthClient {
        OAuthClient(
            app: AppCredentials(key: "app1"),
            configuration: .init(hosts: try DropboxHosts(endpoint: server.url)),
            transport: try TransportUnderTest())
    }

    /// The sample's login, given by a server.
    private func sample(of server: ScriptedServer) -> StoredLogin {
        var login = StoredLogin.sample
        login.server = server.url
        return login
    }

    private static let grant = [Step].json(
        #"{"access_token":"fresh","expires_in":14400,"refresh_token":"rotated","scope":"a c"}"#)

    @Test("an account without a login has no tokens")
    func unknown() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        #expect(try await client(server).tokens(of: "work", in: MemoryStore([:])) == nil)
    }

    @Test("a renewal is kept, with its new refresh token, before it is used; then nothing is asked")
    func kept() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        let store = MemoryStore(["work": sample(of: server), "home": sample(of: server)])
        let client = try client(server)
        let tokens = try #require(try await client.tokens(of: "work", in: store))
        #expect(try await tokens.accessToken().secret == "fresh")
        let login = try #require(await store.logins["work"])
        #expect(login.accessToken == "fresh")
        #expect(login.refreshToken == "rotated")
        #expect(login.scopes == ["a", "c"])
        #expect(login.accountID == "dbid:1")
        #expect(await store.logins["home"] == sample(of: server))
        let again = try #require(try await client.tokens(of: "work", in: store))
        #expect(try await again.accessToken().secret == "fresh")
        #expect(server.requests.count == 1)
        #expect(try await again.accessToken(replacing: AccessToken("fresh"))?.secret == "fresh")
        #expect(server.requests.last?.text.contains("refresh_token=rotated") == true)
    }

    @Test("a login with the secret of its app is renewed with it; other apps do not use the secret")
    func appSecret() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        var (own, other) = (sample(of: server), sample(of: server))
        (own.appSecret, other.appSecret, other.appKey) = ("s3cret", "s3cret", "app2")
        let store = MemoryStore(["own": own, "other": other])
        let client = try client(server)
        for account in ["own", "other"] {
            let tokens = try #require(try await client.tokens(of: account, in: store))
            _ = try await tokens.accessToken()
        }
        // RFC 6749, 2.3.1: "app1:s3cret" in Base64.
        let authorizations = server.requests.map { $0.headers["authorization"] }
        #expect(authorizations == ["Basic YXBwMTpzM2NyZXQ=", nil])
        #expect(server.requests.map { $0.text.contains("client_id=app1") } == [false, true])
    }

    @Test("a login that others replaced or removed during its renewal is left alone")
    func replaced() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        let store = MemoryStore(["work": sample(of: server), "home": sample(of: server)])
        let client = try client(server)
        let work = try #require(try await client.tokens(of: "work", in: store))
        let home = try #require(try await client.tokens(of: "home", in: store))
        var other = sample(of: server)
        other.refreshToken = "other"
        try await store.save(other, for: "work")
        await store.remove("home")
        #expect(try await work.accessToken().secret == "fresh")
        #expect(try await home.accessToken().secret == "fresh")
        #expect(await store.logins == ["work": other])
    }

    @Test("when keeping fails, the tokens go on")
    func failingStore() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        let store = MemoryStore(["work": sample(of: server)])
        let tokens = try #require(try await client(server).tokens(of: "work", in: store))
        await store.fail()
        #expect(try await tokens.accessToken().secret == "fresh")
        #expect(await store.logins["work"] == sample(of: server))
    }

    @Test("a login goes to no other server than the one that gave it")
    func otherServer() async throws {
        let server = try ScriptedServer(answers: [Self.grant])
        defer { server.stop() }
        var foreign = sample(of: server)
        foreign.server = "https://dropbox.example"
        let store = MemoryStore(["dropbox": .sample, "foreign": foreign])
        for (account, named) in [("dropbox", nil), ("foreign", foreign.server)] {
            await #expect(throws: TokenStoreError.otherServer(account: account, server: named)) {
                try await client(server).tokens(of: account, in: store)
            }
        }
        let dropbox = OAuthClient(
            app: AppCredentials(key: "app1"), transport: try TransportUnderTest())
        #expect(try await dropbox.tokens(of: "dropbox", in: store) != nil)
        await #expect(throws: TokenStoreError.self) {
            try await dropbox.tokens(of: "foreign", in: store)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("a grant is a login if it is for offline access")
    func fromGrant() throws {
        let app = AppCredentials(key: "app1")
        let grant = TokenGrant(
            accessToken: "t", refreshToken: "r", scope: "a b", accountID: "dbid:1")
        var login = StoredLogin(grant, app: app)
        #expect(login?.accessToken == "t")
        login?.accessToken = nil
        #expect(login == .sample)
        let hosts = try DropboxHosts(endpoint: "http://127.0.0.1:8080/")
        #expect(StoredLogin(grant, app: app, hosts: hosts)?.server == "http://127.0.0.1:8080")
        #expect(StoredLogin(TokenGrant(accessToken: "t", accountID: "dbid:1"), app: app) == nil)
    }
}
