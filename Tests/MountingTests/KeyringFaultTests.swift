// Keyrings that are missing, locked or silent: the failure of a command, and the state of the login
// after it. Not responsible for keyrings that answer (`KeyringTests`).

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Mounting

@Suite(.timeLimit(.minutes(1)))
struct KeyringFaultTests {
    private let keyring: ScriptedKeyring

    init() throws {
        keyring = try ScriptedKeyring()
    }

    @Test("a locked keyring is an error at once in the background, and the desktop asks nothing")
    func lockedInBackground() async throws {
        _ = try await keyring.save(keyring.file())
        try keyring.set("locked")
        try keyring.set("answered")
        #expect(try await keyring.fault(keyring.file()) == .locked)
        #expect(!keyring.calls.contains("lookup"))
    }

    @Test("for a user's command the desktop asks, and the login is there when it was answered")
    func unlocking() async throws {
        _ = try await keyring.save(keyring.file())
        try keyring.set("locked")
        let notices = Mutex<[String]>([])
        let caller = Keyring.Caller.user { text in notices.withLock { $0.append(text) } }
        // The user closes the question.
        #expect(try await keyring.fault(keyring.file(), caller) == .locked)
        try keyring.set("answered")
        #expect(try await keyring.secret(keyring.file(), caller) == "refresh-secret")
        // It is open now.
        #expect(try await keyring.secret(keyring.file(), caller) == "refresh-secret")
        let told = notices.withLock { $0 }
        #expect(told.count == 2)
        #expect(told.first?.contains("within 120 s") == true)
    }

    @Test("a keyring that stays locked keeps no new login, and the login before stays")
    func lockedForNew() async throws {
        _ = try await keyring.save(keyring.file(), "old")
        try keyring.set("locked")
        await #expect(throws: CommandError.keyring(.locked, login: "dbxfs login")) {
            try await keyring.save(keyring.file(), "new")
        }
        try FileManager.default.removeItem(atPath: keyring.folder.path + "/locked")
        #expect(try await keyring.secret(keyring.file()) == "old")
    }

    @Test("a keyring that does not answer is given up at the limit", arguments: [true, false])
    func silence(asksUser: Bool) async throws {
        _ = try await keyring.save(keyring.file())
        try keyring.set("hung")
        let file = keyring.file(limits: .init(user: 1, background: 1))
        #expect(
            try await keyring.fault(file, asksUser ? .user { _ in } : .background)
                == .silent(seconds: 1))
        await #expect(throws: CommandError.keyring(.silent(seconds: 1), login: "dbxfs login")) {
            try await onThread { try file.checkKeyring() }
        }
    }

    @Test("without a session bus no program is started")
    func noSession() async throws {
        _ = try await keyring.save(keyring.file())
        let before = keyring.calls
        let file = keyring.file([
            "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": keyring.folder.path,
        ])
        #expect(try await keyring.fault(file, .user { _ in }) == .noSession)
        await #expect(throws: CommandError.keyring(.noSession, login: "dbxfs login")) {
            try await onThread { try file.checkKeyring() }
        }
        #expect(keyring.calls == before)
        // A bus at its usual place will do.
        try keyring.set("bus")
        #expect(try await keyring.secret(file) == "refresh-secret")
    }

    @Test("without secret-tool, the package that has it is named")
    func notInstalled() async throws {
        let file = keyring.file(["PATH": keyring.folder.path + "/keyring"])
        let error = await #expect(throws: CommandError.self) {
            try await onThread { try file.checkKeyring() }
        }
        #expect(error?.message.contains("libsecret-tools") == true)
        #expect(error?.exitStatus == .system)
    }

    @Test("an error of the keyring names the command for this account")
    func command() async throws {
        _ = try await keyring.save(keyring.file())
        let file = LoginFile(
            path: keyring.path, server: nil, command: "dbxfs login --account work",
            keyring: Keyring(variables: [
                "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": keyring.folder.path,
            ]))
        let error = await #expect(throws: CommandError.self) { try await keyring.secret(file) }
        #expect(error?.message.contains("run: dbxfs login --account work --no-keyring") == true)
    }

    @Test("a login that a locked keyring does not let go is removed here, and reported")
    func lockedRemoval() async throws {
        let file = keyring.file()
        _ = try await keyring.save(file)
        try keyring.set("locked")
        #expect(try await onThread { try file.remove() } == .locked)
        #expect(file.isMissing)
        #expect(try keyring.entries.count == 1)
        // A second logout, after the user has unlocked it.
        #expect(file.hasLeftover)
        try FileManager.default.removeItem(atPath: keyring.folder.path + "/locked")
        #expect(try await onThread { try file.remove() } == nil)
        #expect(try keyring.entries.isEmpty)
        #expect(!file.hasLeftover)
    }
}
