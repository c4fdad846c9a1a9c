// Logins in a keyring: by a script in place of secret-tool, that notes what it was given; and by
// the real one, with a keyring of the test's own.

import DropboxAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropboxSecretService

extension StoredLogin {
    fileprivate static func sample(_ secret: String = "refresh-secret") -> StoredLogin {
        StoredLogin(
            appKey: "app1", refreshToken: secret, scopes: ["a"], accountID: "dbid:1",
            accessToken: "access-secret")
    }
}

@Suite(.timeLimit(.minutes(5)), .serialized)
final class SecretServiceTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "dropbox-secrets-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A store whose secret-tool is this shell script.
    private func store(_ script: String) throws -> SecretServiceTokenStore {
        let path = folder + "/secret-tool"
        try writeProgram("#!/bin/sh\ncd '\(folder)'\n" + script, to: path)
        return SecretServiceTokenStore(
            service: "com.example",
            tool: SecretToolProcess(variables: ["PATH": "\(folder):/usr/bin:/bin"]))
    }

    private func noted(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }

    @Test("the secret goes by stdin, and no argument has it")
    func secrecy() async throws {
        let store = try store(#"for a; do echo "$a"; done > arguments; cat > input"#)
        try await store.save(.sample(), for: "a b/é")
        #expect(
            try noted("arguments")
                == "store\n--label=com.example: a b/é\nservice\ncom.example\naccount\na b/é\n")
        #expect(try StoredLogin(json: noted("input")) == .sample())
    }

    @Test("a missing login is nil, which silence stands for")
    func missing() async throws {
        let store = try store("exit 1")
        #expect(try await store.load("work") == nil)
        try await store.remove("work")
    }

    @Test("without the program or the bus, every call says that the store is unavailable")
    func unavailable() async throws {
        let message = "secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY"
        let silentBus = try store("echo '\(message)' >&2; exit 1")
        await #expect(throws: TokenStoreError.unavailable(message)) {
            try await silentBus.load("work")
        }
        await #expect(throws: TokenStoreError.unavailable(message)) {
            try await silentBus.save(.sample(), for: "work")
        }
        await #expect(throws: TokenStoreError.unavailable(message)) {
            try await silentBus.remove("work")
        }
        await #expect(throws: TokenStoreError.unavailable(message)) {
            try await silentBus.accounts()
        }
        let empty = SecretServiceTokenStore(
            service: "s", tool: SecretToolProcess(variables: ["PATH": folder + "/none"]))
        let error = await #expect(throws: TokenStoreError.self) { try await empty.load("work") }
        guard case .unavailable(let reason)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(reason.contains("libsecret-tools"))
    }

    @Test("a keyring that the user does not unlock is locked, and not empty")
    func locked() async throws {
        let store = try store(
            """
            case $1 in
                search) echo '[/1]'; echo 'secret-tool: Cannot get secret' >&2 ;;
                store) echo 'secret-tool: Cannot create an item in a locked collection' >&2; exit 1 ;;
                *) exit 1 ;;
            esac
            """)
        #expect(try await store.availability(of: "work") == .locked)
        await #expect(throws: TokenStoreError.locked) { try await store.load("work") }
        await #expect(throws: TokenStoreError.locked) { try await store.remove("work") }
        await #expect(throws: TokenStoreError.locked) {
            try await store.save(.sample(), for: "work")
        }
    }

    @Test("a value that is no login is refused, and not repeated")
    func damage() async throws {
        let store = try store("echo '{\"app_key\": \"hush\"}'")
        let error = await #expect(throws: TokenStoreError.self) { try await store.load("work") }
        #expect(error == .damaged(account: "work", reason: "it is damaged"))
        #expect(error?.description.contains("hush") == false)
    }

    @Test("names that would be options, or lines, are refused", arguments: ["-v", "a\nb", ""])
    func names(name: String) async throws {
        let store = try store("exit 0")
        await #expect(throws: TokenStoreError.invalidAccount(name)) {
            try await store.save(.sample(), for: name)
        }
    }

    @Test("a real keyring keeps, replaces, lists and forgets logins of several accounts")
    func keyring() async throws {
        let bus = try SessionBus(folder: folder)
        let store = SecretServiceTokenStore(
            service: "com.example", tool: SecretToolProcess(variables: bus.variables))
        let other = SecretServiceTokenStore(
            service: "com.other", tool: SecretToolProcess(variables: bus.variables))
        #expect(try await store.accounts() == [])
        #expect(try await store.load("work") == nil)
        #expect(try await store.availability(of: "work") == .missing)
        try await store.save(.sample(), for: "work")
        #expect(try await store.availability(of: "work") == .readable)
        try await store.save(.sample("second"), for: "home é/b")
        try await other.save(.sample("third"), for: "work")
        try await store.save(.sample("newer"), for: "work")
        #expect(try await store.load("work") == .sample("newer"))
        #expect(try await store.load("home é/b") == .sample("second"))
        #expect(try await store.accounts() == ["home é/b", "work"])
        try await store.remove("work")
        try await store.remove("work")
        #expect(try await store.load("work") == nil)
        #expect(try await store.accounts() == ["home é/b"])
        #expect(try await other.load("work") == .sample("third"))
        // There is no display on which the user could be asked.
        try bus.lock()
        #expect(try await other.availability(of: "work") == .locked)
        await #expect(throws: TokenStoreError.locked) { try await other.load("work") }
        await #expect(throws: TokenStoreError.locked) { try await other.remove("work") }
        await #expect(throws: TokenStoreError.locked) {
            try await other.save(.sample("fourth"), for: "work")
        }
    }

    @Test("a real keyring that was not unlocked since its service started is locked, and not empty")
    func fresh() async throws {
        do {
            let before = try SessionBus(folder: folder)
            let store = SecretServiceTokenStore(
                service: "com.example", tool: SecretToolProcess(variables: before.variables))
            try await store.save(.sample(), for: "work")
            withExtendedLifetime(before) {}
        }
        let bus = try SessionBus(folder: folder, isUnlocked: false)
        let store = SecretServiceTokenStore(
            service: "com.example", tool: SecretToolProcess(variables: bus.variables))
        #expect(try await store.availability(of: "work") == .locked)
        await #expect(throws: TokenStoreError.locked) { try await store.accounts() }
        await #expect(throws: TokenStoreError.locked) { try await store.load("work") }
        await #expect(throws: TokenStoreError.locked) { try await store.remove("work") }
    }
}

/// A session bus with a keyring, which is unlocked and empty, or not unlocked since it started;
/// both end with it.
private final class SessionBus {
    let variables: [String: String]
    private let bus: pid_t

    init(folder: String, isUnlocked: Bool = true) throws {
        // A keyring that is locked must not find the one before, which may still be ending.
        // Short, because the path of a socket in it may have 107 bytes.
        let run = folder + (isUnlocked ? "/r" : "/l")
        let starting =
            isUnlocked
            ? "printf password | gnome-keyring-daemon --foreground --unlock --components=secrets"
            : "gnome-keyring-daemon --foreground --components=secrets"
        // The daemon's place is printed with its number; the keyring ends when the bus does. A
        // caller that comes before the keyring has its name would make the bus start another one.
        let start = try Self.output(
            of: """
                mkdir -m 700 '\(run)'
                export HOME='\(folder)' XDG_DATA_HOME='\(folder)/data' XDG_RUNTIME_DIR='\(run)'
                dbus-daemon --session --fork --print-address=1 --print-pid=1 2> /dev/null > '\(folder)/bus'
                export DBUS_SESSION_BUS_ADDRESS="$(head -1 '\(folder)/bus')"
                start() { \(starting) > /dev/null 2>&1 & }
                start
                tries=0
                until dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
                    org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true
                do
                    test $((tries += 1)) -le 1200 || break
                    # On a busy machine it may have given up the bus, and goes on without a name.
                    test $((tries % 100)) != 0 || { kill $!; rm -rf '\(run)/keyring'; start; }
                    sleep 0.1
                done
                cat '\(folder)/bus'
                """)
        let lines = start.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "dbus-daemon did not start: \(start)")
        bus = try #require(pid_t(lines[1]))
        variables = [
            "HOME": folder, "XDG_DATA_HOME": folder + "/data", "XDG_RUNTIME_DIR": run,
            "DBUS_SESSION_BUS_ADDRESS": lines[0],
        ]
    }

    deinit {
        kill(bus, SIGTERM)
    }

    /// Locks the keyring, as a user does.
    func lock() throws {
        let address = variables["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        let answer = try Self.output(
            of: """
                DBUS_SESSION_BUS_ADDRESS='\(address)' dbus-send --session --print-reply \\
                    --dest=org.freedesktop.secrets /org/freedesktop/secrets \\
                    org.freedesktop.Secret.Service.Lock \\
                    array:objpath:/org/freedesktop/secrets/collection/login
                """)
        try #require(answer.contains("collection/login"), "the keyring is not locked: \(answer)")
    }

    private static func output(of script: String) throws -> String {
        let pipe = try #require(popen(script, "r"))
        defer { pclose(pipe) }
        var text = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), pipe) != nil {
            text += String(
                decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return text
    }
}
