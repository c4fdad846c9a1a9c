// Logins whose secret is in the keyring: its files, its replacement, and keyrings that are missing,
// locked or silent. A script in place of secret-tool keeps the entries; the real one is in
// `SecretServiceTests` and the scenario `keyring`.

import Blocking
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Mounting

/// Runs work that waits on a thread of its own: that of a test belongs to the pool which the work
/// needs.
private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        WorkerThread.start { continuation.resume(with: Result { try work() }) }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct KeyringTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/work/credentials.json"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/keyring", withIntermediateDirectories: false)
        // Files of its folder change it: `locked`, `answered` (the user enters the password),
        // `hung`.
        try writeProgram(
            #"""
            #!/bin/sh
            cd '\#(folder.path)/keyring' || exit 1
            command=$1
            shift
            echo "$command $*" >> ../calls
            test ! -e ../hung || exec timeout 3600 tail -f /dev/null
            case $1 in --*) shift ;; esac
            case $command in
                store)
                    ls ../work > ../during
                    if test -e ../locked; then
                        echo 'secret-tool: Cannot create an item in a locked collection' >&2
                        exit 1
                    fi
                    cat > "$4"
                    ;;
                lookup)
                    test ! -e ../answered || rm -f ../locked
                    test ! -e ../locked || exit 1
                    test -e "$4" && cat "$4"
                    ;;
                search)
                    test -e "$4" || exit 0
                    echo '[/1]'
                    echo "attribute.account = $4" >&2
                    if test -e ../locked; then
                        echo 'secret-tool: Cannot get secret of a locked object' >&2
                    else
                        printf 'secret = '
                        cat "$4"
                    fi
                    ;;
                clear) test ! -e ../locked && rm "$4" ;;
            esac
            """#, to: folder.path + "/secret-tool")
    }

    private func file(
        _ variables: [String: String] = [:], path: String? = nil, server: String? = nil,
        limits: Keyring.Limits = .init(user: 120, background: 120)
    ) -> LoginFile {
        let usual = [
            "PATH": "\(folder.path):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none",
        ]
        return LoginFile(
            path: path ?? self.path, server: server,
            keyring: Keyring(variables: usual.merging(variables) { $1 }, limits: limits))
    }

    private func save(
        _ file: LoginFile, _ secret: String = "refresh-secret", inKeyring: Bool = true
    ) async throws -> KeyringFault? {
        var login = StoredLogin.sample
        login.refreshToken = secret
        let saved = login
        return try await onThread {
            try file.save(saved, keyring: inKeyring ? .user { _ in } : nil)
        }
    }

    private func secret(
        _ file: LoginFile, _ caller: Keyring.Caller = .background
    ) async throws -> String {
        let contents = try #require(try file.contents())
        return try await file.login(of: contents, caller).refreshToken
    }

    private func fault(
        _ file: LoginFile, _ caller: Keyring.Caller = .background
    ) async throws -> KeyringFault? {
        let error = await #expect(throws: CommandError.self) { try await secret(file, caller) }
        guard case .keyring(let fault, _)? = error else { return nil }
        #expect(error?.message.contains("secret-of-the") == false)
        return fault
    }

    private var entries: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keyring").sorted()
        }
    }

    private var calls: String {
        (try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8)) ?? ""
    }

    private func set(_ mark: String) throws { _ = try folder.write("", to: mark, mode: 0o600) }

    @Test("the file has all of the login but its secret, and the keyring has it for this account")
    func places() async throws {
        let file = file()
        #expect(try await save(file) == nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("refresh-secret"))
        #expect(!calls.contains("refresh-secret"))
        let contents = try #require(try file.contents())
        #expect(file.isInKeyring)
        #expect(contents.appKey == StoredLogin.sample.appKey)
        #expect(try await secret(file) == "refresh-secret")
        #expect(try entries.count == 1)
        #expect(try entries.first?.hasPrefix("account work ") == true)
        // An earlier version says that the user has to log in again.
        #expect(throws: StoredLogin.Damage.self) { try StoredLogin(json: text) }
    }

    @Test("credentials in the keyring are found without it, and unlocked by it")
    func credentials() async throws {
        let file = file()
        _ = try await save(file)
        let before = calls
        let found = try Credentials.find(
            environment: Environment(["HOME": folder.path]), account: "work", login: file,
            tokenFile: folder.path + "/token")
        #expect(found.isInKeyring)
        #expect(calls == before)
        let unlocked = try await onThread { try found.unlocked(.background) }
        #expect(unlocked.secret == "refresh-secret")
        #expect(unlocked.scopes == StoredLogin.sample.scopes)
        // A mount that has this version of the file need not ask the keyring again.
        guard case .login(_, _, let version) = unlocked else {
            return #expect(Bool(false), "\(unlocked)")
        }
        #expect(version != nil)
        #expect(version == file.version)
        _ = try await save(file, "another")
        #expect(version != file.version)
    }

    @Test("a login is replaced in the keyring, from a file, and back, and no old secret stays")
    func replacement() async throws {
        let file = file()
        _ = try await save(file, "first", inKeyring: false)
        let reader = try #require(try file.contents())
        #expect(try await save(file, "second") == nil)
        let old = try #require(try file.contents())
        let names = try entries
        #expect(try await save(file, "third") == nil)
        #expect(try await secret(file) == "third")
        // The new one did not take the old one's entry, which had to last until the file was
        // replaced.
        #expect(try entries.count == 1)
        #expect(try entries != names)
        await #expect(throws: CommandError.keyring(.missing, login: "dbxfs login")) {
            try await file.login(of: old, .background)
        }
        #expect(try await save(file, "fourth") == nil)
        #expect(try entries == names)
        #expect(try await save(file, "fifth", inKeyring: false) == nil)
        #expect(try await secret(file) == "fifth")
        #expect(try entries.isEmpty)
        #expect(try await file.login(of: reader, .background).refreshToken == "first")
    }

    @Test("accounts of the same name in two state folders have entries of their own")
    func twoFolders() async throws {
        let other = file(path: folder.path + "/other/work/credentials.json")
        _ = try await save(file(), "one")
        _ = try await save(other, "two")
        #expect(try await secret(file()) == "one")
        #expect(try await secret(other) == "two")
        #expect(try entries.count == 2)
    }

    @Test("when the file cannot be replaced, the keyring keeps nothing of the new login")
    func failure() async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        await #expect(throws: CommandError.self) { try await save(file()) }
        #expect(calls.contains("store"))
        #expect(try entries.isEmpty)
    }

    @Test("a locked keyring is an error at once in the background, and the desktop asks nothing")
    func lockedInBackground() async throws {
        _ = try await save(file())
        try set("locked")
        try set("answered")
        #expect(try await fault(file()) == .locked)
        #expect(!calls.contains("lookup"))
    }

    @Test("for a user's command the desktop asks, and the login is there when it was answered")
    func unlocking() async throws {
        _ = try await save(file())
        try set("locked")
        let notices = Mutex<[String]>([])
        let caller = Keyring.Caller.user { text in notices.withLock { $0.append(text) } }
        // The user closes the question.
        #expect(try await fault(file(), caller) == .locked)
        try set("answered")
        #expect(try await secret(file(), caller) == "refresh-secret")
        // It is open now.
        #expect(try await secret(file(), caller) == "refresh-secret")
        let told = notices.withLock { $0 }
        #expect(told.count == 2)
        #expect(told.first?.contains("within 120 s") == true)
    }

    @Test("a keyring that stays locked keeps no new login, and the login before stays")
    func lockedForNew() async throws {
        _ = try await save(file(), "old")
        try set("locked")
        await #expect(throws: CommandError.keyring(.locked, login: "dbxfs login")) {
            try await save(file(), "new")
        }
        try FileManager.default.removeItem(atPath: folder.path + "/locked")
        #expect(try await secret(file()) == "old")
    }

    @Test("a keyring that does not answer is given up at the limit", arguments: [true, false])
    func silence(asksUser: Bool) async throws {
        _ = try await save(file())
        try set("hung")
        let file = file(limits: .init(user: 1, background: 1))
        #expect(
            try await fault(file, asksUser ? .user { _ in } : .background) == .silent(seconds: 1))
        await #expect(throws: CommandError.keyring(.silent(seconds: 1), login: "dbxfs login")) {
            try await onThread { try file.checkKeyring() }
        }
    }

    @Test("without a session bus no program is started")
    func noSession() async throws {
        _ = try await save(file())
        let before = calls
        let file = file(["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path])
        #expect(try await fault(file, .user { _ in }) == .noSession)
        await #expect(throws: CommandError.keyring(.noSession, login: "dbxfs login")) {
            try await onThread { try file.checkKeyring() }
        }
        #expect(calls == before)
        // A bus at its usual place will do.
        try set("bus")
        #expect(try await secret(file) == "refresh-secret")
    }

    @Test("without secret-tool, the package that has it is named")
    func notInstalled() async throws {
        let file = file(["PATH": folder.path + "/keyring"])
        let error = await #expect(throws: CommandError.self) {
            try await onThread { try file.checkKeyring() }
        }
        #expect(error?.message.contains("libsecret-tools") == true)
        #expect(error?.exitStatus == .system)
    }

    @Test("an entry of another account or server, or a damaged one, is not used")
    func strangers() async throws {
        _ = try await save(file())
        let entry = folder.path + "/keyring/" + (try #require(try entries.first))
        var login = StoredLogin.sample
        login.accountID = "dbid:2"
        try login.json.write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(try await fault(file()) == .damaged(reason: "it is another account's"))
        login = .sample
        login.server = "http://127.0.0.1:8080"
        try login.json.write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(try await fault(file()) == .damaged(reason: "it is another account's"))
        try "secret-of-the-entry".write(toFile: entry, atomically: true, encoding: .utf8)
        #expect(try await fault(file()) == .damaged(reason: "it is damaged"))
        // The file is for one server, too.
        #expect(
            throws: CommandError.otherServer(
                file: path, login: "Dropbox", configured: "http://127.0.0.1:8080")
        ) { try file(server: "http://127.0.0.1:8080").contents() }
    }

    @Test("a removed login is gone from the keyring, and one that was removed there is missing")
    func removal() async throws {
        let file = file()
        _ = try await save(file)
        // As a login that was killed leaves it.
        let entry = try #require(try entries.first)
        _ = try folder.write("{}", to: "keyring/" + entry + " b", mode: 0o600)
        #expect(try await onThread { try file.remove() } == nil)
        #expect(try entries.isEmpty)
        #expect(file.isMissing)
        // Without a login in the keyring, it is not asked.
        let before = calls
        #expect(try await onThread { try file.remove() } == nil)
        _ = try await save(file, inKeyring: false)
        #expect(try await onThread { try file.remove() } == nil)
        #expect(calls == before)
        _ = try await save(file)
        try FileManager.default.removeItem(
            atPath: folder.path + "/keyring/" + (try #require(try entries.first)))
        #expect(try await fault(file) == .missing)
    }

    @Test("an error of the keyring names the command for this account")
    func command() async throws {
        _ = try await save(file())
        let file = LoginFile(
            path: path, server: nil, command: "dbxfs login --account work",
            keyring: Keyring(variables: [
                "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path,
            ]))
        let error = await #expect(throws: CommandError.self) { try await secret(file) }
        #expect(error?.message.contains("run: dbxfs login --account work --no-keyring") == true)
    }

    @Test("an account's folders have the command for its login")
    func accountCommand() throws {
        let environment = try Environment(["HOME": folder.path])
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
        let other = file(server: "http://127.0.0.1:8080")
        #expect(!other.isInKeyring)
        _ = try await save(file())
        #expect(throws: CommandError.self) { try other.contents() }
        #expect(other.isInKeyring)
        _ = try await save(file(), inKeyring: false)
        #expect(!other.isInKeyring)
    }

    @Test("a secret that no file names is found and removed", arguments: [true, false])
    func leftover(byLogin: Bool) async throws {
        let file = file()
        _ = try await save(file)
        // If the login is killed here, the keyring has a secret that the file does not name.
        let during = try String(contentsOfFile: folder.path + "/during", encoding: .utf8)
        #expect(during.contains("credentials.json.keyring"))
        #expect(!file.hasLeftover)
        // As a login that was killed between the file and the keyring.
        try set("locked")
        #expect(try await save(file, "other", inKeyring: false) == .locked)
        #expect(try entries.count == 1)
        #expect(file.hasLeftover)
        // Still locked: it is not forgotten.
        #expect(try await save(file, "third", inKeyring: false) == .locked)
        #expect(file.hasLeftover)
        try FileManager.default.removeItem(atPath: folder.path + "/locked")
        if byLogin {
            #expect(try await save(file, "fourth", inKeyring: false) == nil)
            #expect(try await secret(file) == "fourth")
        } else {
            #expect(try await onThread { try file.remove() } == nil)
        }
        #expect(try entries.isEmpty)
        #expect(!file.hasLeftover)
    }

    @Test("a login that a locked keyring does not let go is removed here, and reported")
    func lockedRemoval() async throws {
        let file = file()
        _ = try await save(file)
        try set("locked")
        #expect(try await onThread { try file.remove() } == .locked)
        #expect(file.isMissing)
        #expect(try entries.count == 1)
        // A second logout, after the user has unlocked it.
        #expect(file.hasLeftover)
        try FileManager.default.removeItem(atPath: folder.path + "/locked")
        #expect(try await onThread { try file.remove() } == nil)
        #expect(try entries.isEmpty)
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
        try file().makeFolder()
        _ = try folder.write(text, to: "work/credentials.json", mode: 0o600)
        let error = try #require(throws: CommandError.self) { try file().contents() }
        guard case .loginDamaged = error else { return #expect(Bool(false), "\(error)") }
    }
}
