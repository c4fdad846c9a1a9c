// The file of a login: its readers, its replacement, and files that are not believed.

import DropboxAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

extension StoredLogin {
    static let sample = StoredLogin(
        appKey: "app1", refreshToken: "refresh-secret", scopes: ["files.content.read"],
        accountID: "dbid:1")
}

extension LoginFile {
    /// The login; nil if there is no file. Its secret is in the file.
    func load() throws(CommandError) -> StoredLogin? {
        guard let contents = try contents() else { return nil }
        return try waitForLogin(of: contents, .background)
    }
}

@Suite struct LoginFileTests {
    private let folder: TemporaryFolder
    private let file: LoginFile

    init() throws {
        folder = try TemporaryFolder()
        file = LoginFile(path: folder.path + "/work/credentials.json", server: nil)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/work").sorted()
        }
    }

    @Test("a saved login is loaded again, and only its owner can read it")
    func roundTrip() throws {
        #expect(try file.load() == nil)
        try withUmask(0) { try file.save(.sample) }
        #expect(try file.load() == .sample)
        #expect(try mode(file.path) == 0o600)
        #expect(try mode(folder.path + "/work") == 0o700)
        #expect(try names == ["credentials.json"])
    }

    @Test("a folder that others could read becomes private")
    func openFolder() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/work", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        try file.save(.sample)
        #expect(try mode(folder.path + "/work") == 0o700)
    }

    @Test("a new login takes the old one's place as a whole, and a reader of the old one keeps it")
    func replacement() throws {
        try file.save(.sample)
        let version = try #require(file.version)
        let reader = try #require(FileHandle(forReadingAtPath: file.path))
        var next = StoredLogin.sample
        next.refreshToken = "another"
        try file.save(next)
        #expect(file.version != version)
        #expect(try file.load() == next)
        let old = String(decoding: try #require(try reader.readToEnd()), as: UTF8.self)
        #expect(old.contains("refresh-secret"))
        #expect(try names == ["credentials.json"])
    }

    @Test("a reader always gets a whole login while it is replaced again and again")
    func concurrency() async throws {
        try file.save(.sample)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask { [file] in
                    for round in 0..<30 {
                        var login = StoredLogin.sample
                        login.refreshToken = String(repeating: "\(writer)", count: 1 + round * 50)
                        #expect(throws: Never.self) { try file.save(login) }
                    }
                }
            }
            group.addTask { [file] in
                for _ in 0..<200 {
                    #expect((try? file.load()) != nil)
                }
            }
        }
        #expect(try names == ["credentials.json"])
    }

    @Test("when it cannot be replaced, the old one stays and nothing is left over")
    func failure() throws {
        // A folder in its place cannot be renamed over.
        try FileManager.default.createDirectory(
            atPath: file.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        #expect(throws: CommandError.self) { try file.save(.sample) }
        #expect(try names == ["credentials.json"])
    }

    @Test("a login is for the server that gave it, and one without a server's name is Dropbox's")
    func server() throws {
        let path = folder.path + "/work/credentials.json"
        let local = LoginFile(path: path, server: "http://127.0.0.1:8080")
        try local.save(.sample)
        #expect(try local.load()?.refreshToken == StoredLogin.sample.refreshToken)
        #expect(try local.load()?.server == "http://127.0.0.1:8080")
        #expect(
            throws: CommandError.otherServer(
                file: path, login: "http://127.0.0.1:8080", configured: "Dropbox")
        ) { try file.load() }
        // As files of before have it: without a server.
        try StoredLogin.sample.json.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
        #expect(try file.load() == .sample)
        let error = try #require(throws: CommandError.self) { try local.load() }
        #expect(error.message.contains("for Dropbox, but the server is http://127.0.0.1:8080,"))
        #expect(!error.message.contains("secret"))
    }

    @Test(
        "a damaged or hostile file is refused, and its content is not repeated",
        arguments: [
            "", "{", "null", "[]", #"{"app_key":"a"}"#, String(repeating: "[", count: 513),
            String(repeating: #"{"a":"#, count: 513), String(repeating: "[", count: 16_000),
            #"{"app_key":"a","refresh_token":"","scopes":[],"account_id":"d"}"#,
            #"{"app_key":"a","refresh_token":"evil\r\nX: 1","scopes":[],"account_id":"d"}"#,
            #"{"app_key":"evil&x=1","refresh_token":"r","scopes":[],"account_id":"d"}"#,
            #"{"app_key":"a","refresh_token":"r","scopes":[],"account_id":""}"#,
        ])
    func damaged(text: String) throws {
        let file = LoginFile(
            path: try folder.write(text, to: "damaged.json", mode: 0o600), server: nil)
        let error = try #require(throws: CommandError.self) { try file.load() }
        guard case .loginDamaged = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.message.contains("run: dbxfs login"))
        #expect(!error.message.contains("evil"))
    }

    @Test("a file that others may read is refused", arguments: [0o640, 0o604, 0o666])
    func tooOpen(mode: Int) throws {
        try file.save(.sample)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        #expect(throws: CommandError.credentialsTooOpen(file: file.path)) { try file.load() }
    }

    @Test("removing works once and again, and takes with it what a killed login has left")
    func removal() throws {
        try file.save(.sample)
        for name in ["credentials.json.a1B2c3", "token", "credentials.json.orig"] {
            _ = try folder.write("secret", to: "work/" + name, mode: 0o600)
        }
        #expect(!file.isMissing)
        try file.remove()
        #expect(try file.load() == nil)
        #expect(file.isMissing)
        #expect(file.version == nil)
        #expect(try names == ["credentials.json.orig", "token"])
        try file.remove()
    }

    @Test("an account's state folders are its own and those of its parts")
    func states() throws {
        for name in ["work", "work@Projects", "work@@team", "worker", "other", "run"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: false)
        }
        let environment = try Environment(["HOME": "/", "DBXFS_STATE_DIR": folder.path])
        #expect(
            AccountFolders.states(of: "work", environment: environment)
                == ["work", "work@@team", "work@Projects"].map { folder.path + "/" + $0 })
    }
}
