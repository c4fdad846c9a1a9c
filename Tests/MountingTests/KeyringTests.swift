// Logins whose secret is in the keyring: the file, the entries, their replacement and removal. Not
// responsible for keyrings that are missing, locked or silent (`KeyringFaultTests`).

import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import Mounting

@Suite(.timeLimit(.minutes(1)))
struct KeyringTests {
    private let keyring: ScriptedKeyring

    init() throws {
        keyring = try ScriptedKeyring()
    }

    @Test("the file has all of the login but its secret, and the keyring has it for this account")
    func places() async throws {
        let file = keyring.file()
        #expect(try await keyring.save(file) == nil)
        let text = try String(contentsOfFile: keyring.path, encoding: .utf8)
        #expect(!text.contains("refresh-secret"))
        #expect(!keyring.calls.contains("refresh-secret"))
        let contents = try #require(try file.contents())
        #expect(file.isInKeyring)
        #expect(contents.appKey == StoredLogin.sample.appKey)
        #expect(try await keyring.secret(file) == "refresh-secret")
        #expect(try keyring.entries.count == 1)
        #expect(try keyring.entries.first?.hasPrefix("account work ") == true)
        // An earlier version says that the user has to log in again.
        #expect(throws: StoredLogin.Damage.self) { try StoredLogin(json: text) }
    }

    @Test("credentials in the keyring are found without it, and unlocked by it")
    func credentials() async throws {
        let file = keyring.file()
        _ = try await keyring.save(file)
        let before = keyring.calls
        let found = try Credentials.find(
            environment: Environment(["HOME": keyring.folder.path]), account: "work", login: file,
            tokenFile: keyring.folder.path + "/token")
        #expect(found.isInKeyring)
        #expect(keyring.calls == before)
        let unlocked = try await onThread { try found.unlocked(.background) }
        #expect(unlocked.secret == "refresh-secret")
        #expect(unlocked.scopes == StoredLogin.sample.scopes)
        // A mount that has this version of the file need not ask the keyring again.
        guard case .login(_, _, let version) = unlocked else {
            return #expect(Bool(false), "\(unlocked)")
        }
        #expect(version != nil)
        #expect(version == file.version)
        _ = try await keyring.save(file, "another")
        #expect(version != file.version)
    }

    @Test("a login is replaced in the keyring, from a file, and back, and no old secret stays")
    func replacement() async throws {
        let file = keyring.file()
        _ = try await keyring.save(file, "first", inKeyring: false)
        let reader = try #require(try file.contents())
        #expect(try await keyring.save(file, "second") == nil)
        let old = try #require(try file.contents())
        let names = try keyring.entries
        #expect(try await keyring.save(file, "third") == nil)
        #expect(try await keyring.secret(file) == "third")
        // The new one did not take the old one's entry, which had to last until the file was
        // replaced.
        #expect(try keyring.entries.count == 1)
        #expect(try keyring.entries != names)
        await #expect(throws: CommandError.keyring(.missing, login: "dbxfs login")) {
            try await file.login(of: old, .background)
        }
        #expect(try await keyring.save(file, "fourth") == nil)
        #expect(try keyring.entries == names)
        #expect(try await keyring.save(file, "fifth", inKeyring: false) == nil)
        #expect(try await keyring.secret(file) == "fifth")
        #expect(try keyring.entries.isEmpty)
        #expect(try await file.login(of: reader, .background).refreshToken == "first")
    }

    @Test("accounts of the same name in two state folders have entries of their own")
    func twoFolders() async throws {
        let other = keyring.file(path: keyring.folder.path + "/other/work/credentials.json")
        _ = try await keyring.save(keyring.file(), "one")
        _ = try await keyring.save(other, "two")
        #expect(try await keyring.secret(keyring.file()) == "one")
        #expect(try await keyring.secret(other) == "two")
        #expect(try keyring.entries.count == 2)
    }

    @Test("when the file cannot be replaced, the keyring keeps nothing of the new login")
    func failure() async throws {
        try FileManager.default.createDirectory(
            atPath: keyring.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        await #expect(throws: CommandError.self) { try await keyring.save(keyring.file()) }
        #expect(keyring.calls.contains("store"))
        #expect(try keyring.entries.isEmpty)
    }

    @Test("an entry of another account or server, or a damaged one, is not used")
    func strangers() async throws {
        _ = try await keyring.save(keyring.file())
        let entry = keyring.folder.path + "/keyring/" + (try #require(try keyring.entries.first))
        var login = StoredLogin.sample
        login.accountID = "dbid:2"
        try login.json.write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(
            try await keyring.fault(keyring.file()) == .damaged(reason: "it is another account's"))
        login = .sample
        login.server = "http://127.0.0.1:8080"
        try login.json.write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(
            try await keyring.fault(keyring.file()) == .damaged(reason: "it is another account's"))
        try "secret-of-the-entry".write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(try await keyring.fault(keyring.file()) == .damaged(reason: "it is damaged"))
        // The file is for one server, too.
        #expect(
            throws: CommandError.otherServer(
                file: keyring.path, login: "Dropbox", configured: "http://127.0.0.1:8080")
        ) { try keyring.file(server: "http://127.0.0.1:8080").contents() }
    }

    @Test("a removed login is gone from the keyring, and one that was removed there is missing")
    func removal() async throws {
        let file = keyring.file()
        _ = try await keyring.save(file)
        // As a login that was killed leaves it.
        let entry = try #require(try keyring.entries.first)
        _ = try keyring.folder.write("{}", to: "keyring/" + entry + " b", mode: 0o600)
        #expect(try await onThread { try file.remove() } == nil)
        #expect(try keyring.entries.isEmpty)
        #expect(file.isMissing)
        // Without a login in the keyring, it is not asked.
        let before = keyring.calls
        #expect(try await onThread { try file.remove() } == nil)
        _ = try await keyring.save(file, inKeyring: false)
        #expect(try await onThread { try file.remove() } == nil)
        #expect(keyring.calls == before)
        _ = try await keyring.save(file)
        try FileManager.default.removeItem(
            atPath: keyring.folder.path + "/keyring/" + (try #require(try keyring.entries.first)))
        #expect(try await keyring.fault(file) == .missing)
    }

    @Test("an account's folders have the command for its login")
    func accountCommand() throws {
        let environment = try Environment(["HOME": keyring.folder.path])
        func login(_ account: String) -> LoginFile {
            AccountFolders(
                source: MountSource(account: account, remotePath: ""), settings: MountSettings(),
                environment: environment
            ).login
        }
        let work = login("work")
        #expect(
            work
                == LoginFile(path: work.path, server: nil, command: "dbxfs login --account work"))
        #expect(login("default") == LoginFile(path: login("default").path, server: nil))
    }

    @Test("where a login of another server has its secret is known, though the login is refused")
    func otherServer() async throws {
        let other = keyring.file(server: "http://127.0.0.1:8080")
        #expect(!other.isInKeyring)
        _ = try await keyring.save(keyring.file())
        #expect(throws: CommandError.self) { try other.contents() }
        #expect(other.isInKeyring)
        _ = try await keyring.save(keyring.file(), inKeyring: false)
        #expect(!other.isInKeyring)
    }

    @Test("a secret that no file names is found and removed", arguments: [true, false])
    func leftover(byLogin: Bool) async throws {
        let file = keyring.file()
        _ = try await keyring.save(file)
        // If the login is killed here, the keyring has a secret that the file does not name.
        let during = try String(contentsOfFile: keyring.folder.path + "/during", encoding: .utf8)
        #expect(during.contains("credentials.json.keyring"))
        #expect(!file.hasLeftover)
        // As a login that was killed between the file and the keyring.
        try keyring.set("locked")
        #expect(try await keyring.save(file, "other", inKeyring: false) == .locked)
        #expect(try keyring.entries.count == 1)
        #expect(file.hasLeftover)
        // Still locked: it is not forgotten.
        #expect(try await keyring.save(file, "third", inKeyring: false) == .locked)
        #expect(file.hasLeftover)
        try FileManager.default.removeItem(atPath: keyring.folder.path + "/locked")
        if byLogin {
            #expect(try await keyring.save(file, "fourth", inKeyring: false) == nil)
            #expect(try await keyring.secret(file) == "fourth")
        } else {
            #expect(try await onThread { try file.remove() } == nil)
        }
        #expect(try keyring.entries.isEmpty)
        #expect(!file.hasLeftover)
    }

    @Test(
        "a file that is no login in a keyring is refused",
        arguments: [
            #"{"app_key":"a","scopes":[],"account_id":"d","keyring":""}"#,
            #"{"app_key":"a","scopes":[],"account_id":"","keyring":"k"}"#,
            #"{"app_key":"evil&x=1","scopes":[],"account_id":"d","keyring":"k"}"#,
            #"{"app_key":"a","scopes":[],"account_id":"d"}"#,
        ])
    func damaged(text: String) throws {
        try keyring.file().makeFolder()
        _ = try keyring.folder.write(text, to: "work/credentials.json", mode: 0o600)
        let error = try #require(throws: CommandError.self) { try keyring.file().contents() }
        guard case .loginDamaged = error else { return #expect(Bool(false), "\(error)") }
    }
}
