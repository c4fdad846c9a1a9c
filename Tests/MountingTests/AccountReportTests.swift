// The accounts of a state folder, the processes that hold them, and their report.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

@Suite struct AccountReportTests {
    private func environment(_ folder: TemporaryFolder) throws -> Environment {
        try Environment([
            "DBXFS_STATE_DIR": folder.path, "DBXFS_CACHE_DIR": folder.path + "/cache",
        ])
    }

    @Test("an account is a folder by its name, with those of its parts")
    func accounts() throws {
        let folder = try TemporaryFolder()
        let environment = try environment(folder)
        for name in ["work", "default@Projects", "home@@team", "home", "run", ".hidden", "a b"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        _ = try folder.write("", to: "file", mode: 0o600)
        #expect(AccountFolders.accounts(environment) == ["default", "home", "work"])
    }

    @Test("the holder of a folder is known for as long as it is held")
    func holder() throws {
        let folder = try TemporaryFolder()
        #expect(AccountLock.currentHolder(of: folder.path) == nil)
        do {
            let lock = try AccountLock(
                folder: folder.path, holder: .init(mountpoint: "/mnt/a"), timeout: 0,
                isEnding: { _ in false })
            withExtendedLifetime(lock) {
                let holder = AccountLock.currentHolder(of: folder.path)
                #expect(holder?.mountpoint == "/mnt/a")
                #expect(holder?.pid == getpid())
            }
        }
        #expect(AccountLock.currentHolder(of: folder.path) == nil)
        // Reading the holder does not take the lock away.
        #expect(throws: Never.self) {
            _ = try AccountLock(
                folder: folder.path, holder: .init(mountpoint: "/mnt/b"), timeout: 0,
                isEnding: { _ in false })
        }
    }

    @Test("a login in the keyring is a login, for people with the place of its secret")
    func keyring() throws {
        var report = AccountReport(account: "work", access: .login, trees: [])
        #expect(try Terminal.json(report).contains(#""in_keyring":false"#))
        report.isInKeyring = true
        #expect(report.text.contains("login, in the keyring"))
        let line = try Terminal.json(report)
        #expect(line.contains(#""access":"login""#) && line.contains(#""in_keyring":true"#))
    }

    @Test("an unknown value is null for scripts, and left out for people")
    func forms() throws {
        var tree = AccountReport.Tree(folder: "/state/work")
        var report = AccountReport(
            account: "work", access: .none, problem: "run: dbxfs login", trees: [tree])
        #expect(report.text.contains("none: run: dbxfs login"))
        #expect(!report.text.contains("queue"))
        let line = try Terminal.json(report)
        #expect(line.contains(#""mountpoint":null"#) && line.contains(#""access":"none""#))
        (tree.name, tree.email, tree.teamNamespace) = ("A\u{1b}", "a@example.com", "99")
        (tree.pendingOperations, tree.pendingBytes) = (2, 2048)
        report.trees = [tree]
        #expect(report.text.contains("A\\u{1b} <a@example.com> (team space 99)"))
        #expect(report.text.contains("2 changes, 2.0 KiB to send by the next mount"))
        report.trees[0].mountpoint = "/mnt"
        #expect(report.text.contains("2.0 KiB to send\n") || report.text.hasSuffix("to send"))
    }
}
