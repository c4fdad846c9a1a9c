// A keyring of a test, which a script keeps in place of secret-tool. Not responsible for the real
// one, which is in `SecretServiceTests` and the scenario `keyring`.

import Blocking
import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import Mounting

/// Runs work that waits on a thread of its own: that of a test belongs to the pool which the work
/// needs.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        WorkerThread.start { continuation.resume(with: Result { try work() }) }
    }
}

/// A keyring in files, and a login that uses it.
struct ScriptedKeyring {
    let folder: TemporaryFolder
    /// The path of the login's file.
    let path: String

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

    /// A login whose keyring is this one, unless `variables` lead elsewhere.
    func file(
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

    func save(
        _ file: LoginFile, _ secret: String = "refresh-secret", inKeyring: Bool = true
    ) async throws -> KeyringFault? {
        var login = StoredLogin.sample
        login.refreshToken = secret
        let saved = login
        return try await onThread {
            try file.save(saved, keyring: inKeyring ? .user { _ in } : nil)
        }
    }

    /// The secret that a command or a mount gets.
    func secret(
        _ file: LoginFile, _ caller: Keyring.Caller = .background
    ) async throws -> String {
        let contents = try #require(try file.contents())
        return try await file.login(of: contents, caller).refreshToken
    }

    /// The failure of a command or a mount that asks for the secret.
    func fault(
        _ file: LoginFile, _ caller: Keyring.Caller = .background
    ) async throws -> KeyringFault? {
        let error = await #expect(throws: CommandError.self) { try await secret(file, caller) }
        guard case .keyring(let fault, _)? = error else { return nil }
        #expect(error?.message.contains("secret-of-the") == false)
        return fault
    }

    /// The names of all entries.
    var entries: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keyring").sorted()
        }
    }

    /// The calls of the script, a line each.
    var calls: String {
        (try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8)) ?? ""
    }

    /// Makes a file that the script obeys.
    func set(_ mark: String) throws { _ = try folder.write("", to: mark, mode: 0o600) }
}
