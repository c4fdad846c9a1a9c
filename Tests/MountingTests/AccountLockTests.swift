// One process per account, and folders that only their owner can enter.

import Foundation
import Glibc
import LocalFiles
import LocalIO
import TestSupport
import Testing

@testable import Mounting

@Suite struct AccountLockTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func lock(_ mountpoint: String, timeout: Double = 0) throws(CommandError)
        -> AccountLock
    {
        try AccountLock(
            folder: folder.path, holder: .init(mountpoint: mountpoint), timeout: timeout,
            isEnding: { _ in false })
    }

    @Test("a second mount is refused with the holder of the account")
    func second() throws {
        let first = try lock("/mnt/first")
        let error = try #require(throws: CommandError.self) { try lock("/mnt/second") }
        #expect(error.message.contains("/mnt/first"))
        #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
        #expect(error.exitStatus == .mountFailure)
        withExtendedLifetime(first) {}
    }

    @Test("the account is free again when the first one ends")
    func freed() throws {
        do {
            let first = try lock("/mnt/first")
            withExtendedLifetime(first) {}
        }
        let second = try lock("/mnt/second")
        withExtendedLifetime(second) {}
    }

    @Test("a lock on a folder that its holder has removed is none")
    func removed() throws {
        var first: AccountLock? = try lock("/mnt/first")
        let error = try #require(throws: CommandError.self) {
            try AccountLock(
                folder: folder.path, holder: .init(mountpoint: "/mnt/second"), timeout: 60
            ) { _ in
                unlink(folder.path + "/lock")
                first = nil
                return true
            }
        }
        #expect(error.message.contains("a mount that has just failed"))
        #expect(first == nil)
        // The next one makes another file.
        let third = try lock("/mnt/third")
        withExtendedLifetime(third) {}
    }

    @Test("a waiter asks the holder to hurry, and gets the folder when it ends")
    func patience() throws {
        var first: AccountLock? = try lock("/mnt/first")
        var asked: [String?] = []
        let second = try AccountLock(
            folder: folder.path, holder: .init(mountpoint: "/mnt/second"), timeout: 60
        ) { holder in
            asked.append(holder?.mountpoint)
            first = nil
            return true
        }
        #expect(asked == ["/mnt/first"])
        #expect(first == nil)
        withExtendedLifetime(second) {}
    }

    @Test("a holder with a mount that goes on is not waited for")
    func noWaiting() throws {
        let first = try lock("/mnt/first")
        #expect(throws: CommandError.self) { try lock("/mnt/second", timeout: 1e6) }
        withExtendedLifetime(first) {}
    }

    @Test("folders are made private, down to the last one")
    func privateFolders() throws {
        let path = folder.path + "/a/b"
        try makePrivateFolder(path)
        for made in [folder.path + "/a", path] {
            let attributes = try FileManager.default.attributesOfItem(atPath: made)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("a folder of ours that others could enter is closed to them")
    func closed() throws {
        let path = folder.path + "/open"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        try makePrivateFolder(path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("a file in the place of a folder is named in the error")
    func fileInTheWay() throws {
        let path = try folder.write("", to: "file", mode: 0o600)
        #expect(throws: CommandError.folderUnusable(path: path, reason: "not a directory")) {
            try makePrivateFolder(path)
        }
    }

    @Test("state and cache must not be inside the mountpoint, nor the mountpoint inside them")
    func apart() throws {
        let environment = try Environment([
            "DBXFS_STATE_DIR": folder.path + "/state", "DBXFS_CACHE_DIR": folder.path + "/cache",
        ])
        let folders = AccountFolders(
            source: .standard, settings: .init(), environment: environment)
        try folders.checkApart(from: folder.path + "/mount")
        try folders.checkApart(from: folder.path + "/state/def")
        let root = resolvedPath(folder.path)
        #expect(
            throws: CommandError.folderInsideMountpoint(folder: folders.state, mountpoint: root)
        ) { try folders.checkApart(from: root) }
        let inside = root + "/cache/default/blocks/x"
        #expect(
            throws: CommandError.mountpointInsideFolder(
                mountpoint: inside, folder: root + "/cache/default")
        ) { try folders.checkApart(from: inside) }
        // A folder of the account has a state of its own, but the account's login.
        let part = AccountFolders(
            source: MountSource(account: "default", remotePath: "/a"), settings: .init(),
            environment: environment)
        #expect(throws: CommandError.self) {
            try part.checkApart(from: root + "/state/default/mount")
        }
    }

    @Test("a link does not hide that a folder is inside the mountpoint")
    func linkedFolder() throws {
        let root = resolvedPath(folder.path)
        try FileManager.default.createDirectory(
            atPath: root + "/mount/inner", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: root + "/link", withDestinationPath: root + "/mount/inner")
        let environment = try Environment([
            "DBXFS_STATE_DIR": root + "/state", "DBXFS_CACHE_DIR": root + "/link",
        ])
        let folders = AccountFolders(
            source: .standard, settings: .init(), environment: environment)
        #expect(throws: CommandError.self) { try folders.checkApart(from: root + "/mount") }
    }

    @Test("a folder is found by the place of its last mount, which may have died")
    func lastMount() throws {
        let environment = try Environment([
            "DBXFS_STATE_DIR": folder.path, "DBXFS_CACHE_DIR": folder.path + "/cache",
        ])
        let states = ["work", "work@a", "other"].map { "\(folder.path)/\($0)" }
        for (state, mountpoint) in zip(states, ["/mnt/a", "/mnt/b", "/mnt/a"]) {
            try makePrivateFolder(state)
            let lock = try AccountLock(
                folder: state, holder: .init(mountpoint: mountpoint), timeout: 0
            ) { _ in false }
            withExtendedLifetime(lock) {}
        }
        #expect(AccountLock.currentHolder(of: states[0]) == nil)
        func found(_ mountpoint: String) -> [String] {
            AccountFolders.states(
                of: "work", lastMountedAt: mountpoint, environment: environment)
        }
        #expect(found("/mnt/a") == [states[0]])
        #expect(found("/mnt/b") == [states[1]])
        #expect(found("/mnt/c").isEmpty)
    }

    @Test("a damaged lock file names no process, and ends nothing")
    func damaged() throws {
        let path = try folder.write(
            String(repeating: "[", count: 513), to: "lock", mode: 0o600)
        let other = open(path, O_RDWR)
        defer { close(other) }
        #expect(flock(other, LOCK_EX) == 0)
        #expect(AccountLock.currentHolder(of: folder.path) == nil)
    }
}

@Suite struct UnusedFoldersTests {
    private let folder: TemporaryFolder
    private let folders: AccountFolders

    init() throws {
        folder = try TemporaryFolder()
        let environment = try Environment([
            "DBXFS_STATE_DIR": folder.path + "/state", "DBXFS_CACHE_DIR": folder.path + "/cache",
        ])
        folders = AccountFolders(
            source: try MountSource(parsing: ":/a"), settings: .init(), environment: environment)
    }

    private func write(_ path: String) throws {
        try "x".write(toFile: path, atomically: true, encoding: .utf8)
    }
    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func fail() throws {
        try folders.make()
        let locks = [folders.state, folders.cache].map { $0 + "/lock" }
        for lock in locks { try write(lock) }
        let unused = UnusedFolders(folders)
        try write(folders.database)
        try write(folders.log)
        unused.remove()
    }

    @Test("a mount that fails before its first use leaves nothing")
    func new() throws {
        try fail()
        #expect(!exists(folders.state) && !exists(folders.cache))
        #expect(exists(folder.path + "/state"))
    }

    @Test("files from before stay, also in a cache alone")
    func old() throws {
        try folders.make()
        try write(folders.cache + "/blocks")
        try fail()
        #expect(!exists(folders.state) && exists(folders.cache + "/blocks"))
        for file in [folders.staging + "/1", folders.database, folders.log] {
            try folders.make()
            try write(file)
            try fail()
            #expect(exists(file) && exists(folders.log))
            try FileManager.default.removeItem(atPath: folders.state)
        }
    }

    @Test("a login in the same folder stays")
    func login() throws {
        let environment = try Environment([
            "DBXFS_STATE_DIR": folder.path + "/state", "DBXFS_CACHE_DIR": folder.path + "/cache",
        ])
        let folders = AccountFolders(
            source: .standard, settings: .init(), environment: environment)
        try folders.make()
        try write(folders.state + "/lock")
        try write(folders.token)
        let unused = UnusedFolders(folders)
        for file in [folders.database, folders.database + "-wal", folders.login.path] {
            try write(file)
        }
        unused.remove()
        #expect(
            folderNames(in: folders.state).sorted() == ["credentials.json", "token"])
    }

    @Test("an account that was found keeps its folders")
    func found() throws {
        try folders.make()
        try write(folders.state + "/lock")
        let unused = UnusedFolders(folders)
        for file in [folders.identity, folders.database] { try write(file) }
        unused.remove()
        #expect(exists(folders.identity) && exists(folders.database))
    }

    @Test("only an error that says that there is nothing to mount removes folders")
    func errors() {
        #expect(UnusedFolders.areLeft(by: .remoteFolderMissing("/a")))
        #expect(!UnusedFolders.areLeft(by: .unreachable(server: "s", detail: "d")))
    }
}
