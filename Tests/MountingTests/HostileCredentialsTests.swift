// Every file in the place of a token or of a login that must not be taken: those that others could
// have read or made, and those that are none. Not about what a login's JSON may say
// (`LoginFileTests`).

import DropboxAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

/// Something at the path of a token or of a login.
enum HostileFile: Sendable {
    /// A good one of this mode.
    case mode(UInt16)
    /// A good one of another user.
    case foreign
    /// A good one in a group's name that the group may read.
    case group
    /// A symbolic link to a good one of one's own, to one of another user, to nothing, to itself,
    /// to a FIFO.
    case link, foreignLink, danglingLink, circularLink, pipeLink
    case pipe, folder, socket
    /// A file of this many bytes, all of them such as may be in a token.
    case size(Int)
    /// A file of these bytes, which are neither a token nor a login.
    case bytes([UInt8])
    /// The same as text.
    case text(String)

    static let all: [HostileFile] =
        [0o640, 0o604, 0o660, 0o644, 0o666, 0o620, 0o602, 0o610, 0o601, 0o777, 0o4604, 0o1640]
        .map { .mode($0) } + [
            .foreign, .group, .link, .foreignLink, .danglingLink, .circularLink, .pipeLink, .pipe,
            .folder,
            .socket, .size(16385), .size(20 << 10), .size(1 << 30),
            .text(""), .text("\n"), .text(" \r\n\t"), .text("a b"), .text("evil\r\nX-Evil: 1"),
            .text("evil\nevil"),
            .text("sécret evil"), .text("tok\u{0}evil"), .text("evil\u{1b}[31m"),
            .text("\u{FEFF}evil"),
            .bytes([0xff, 0xfe]), .bytes([0]), .bytes(Array("evil".utf8) + [0x80]),
        ]

    /// Whether others are kept from it, so that it is refused for what it is or holds.
    var isPrivate: Bool {
        switch self {
        case .mode, .foreign, .group: false
        default: true
        }
    }

    /// Makes it; `good` is what the file would hold.
    func make(at path: String, in folder: TemporaryFolder, good: String) throws {
        func write(_ bytes: [UInt8], to path: String, mode: UInt16 = 0o600) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try #require(chmod(path, mode_t(mode)) == 0)
        }
        let elsewhere = folder.path + "/elsewhere"
        switch self {
        case .mode(let mode): try write(Array(good.utf8), to: path, mode: mode)
        case .foreign, .group:
            try write(Array(good.utf8), to: path)
            if case .group = self {
                try #require(chown(path, 0, 65534) == 0 && chmod(path, 0o640) == 0)
            } else {
                try #require(chown(path, 65534, 65534) == 0)
            }
        case .link, .foreignLink:
            try write(Array(good.utf8), to: elsewhere)
            if case .foreignLink = self { try #require(chown(elsewhere, 65534, 65534) == 0) }
            try #require(Glibc.symlink(elsewhere, path) == 0)
        case .danglingLink: try #require(Glibc.symlink(elsewhere, path) == 0)
        case .circularLink: try #require(Glibc.symlink(path, path) == 0)
        case .pipeLink:
            try #require(mkfifo(elsewhere, 0o600) == 0 && Glibc.symlink(elsewhere, path) == 0)
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .folder: try #require(mkdir(path, 0o700) == 0)
        case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        case .size(let count):
            try write([UInt8](repeating: UInt8(ascii: "e"), count: min(count, 20 << 10)), to: path)
            // A hole of a gigabyte takes no room.
            try #require(truncate(path, count) == 0)
        case .bytes(let bytes): try write(bytes, to: path)
        case .text(let text): try write(Array(text.utf8), to: path)
        }
    }

    /// Whether only root can make it.
    var needsRoot: Bool {
        switch self {
        case .foreign, .group, .foreignLink: true
        default: false
        }
    }
}

@Suite struct HostileCredentialsTests {
    private let folder: TemporaryFolder
    private let login: LoginFile

    init() throws {
        folder = try TemporaryFolder()
        login = LoginFile(path: folder.path + "/credentials.json", server: nil)
    }

    private func find() throws(CommandError) -> Credentials {
        try Credentials.find(
            environment: Environment(["HOME": folder.path]), account: "work", login: login,
            tokenFile: folder.path + "/token"
        ).unlocked(.background)
    }

    private func check(_ file: HostileFile, _ path: String) throws {
        let error = try #require(throws: CommandError.self) { try find() }
        if !file.isPrivate { #expect(error == .credentialsTooOpen(file: path)) }
        #expect(error.message.contains(path), "\(error.message)")
        #expect(!error.message.contains("evil") && !error.message.contains("refresh-secret"))
        #expect(error.exitStatus == .mountFailure)
    }

    @Test(
        "a file that others could have read or made, or that has no token, is not taken for one",
        arguments: HostileFile.all.filter { !$0.needsRoot })
    func tokens(file: HostileFile) throws { try refuseToken(file) }

    @Test(
        "what another user has made is not taken for a token",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: HostileFile.all.filter(\.needsRoot))
    func tokensOfOthers(file: HostileFile) throws { try refuseToken(file) }

    private func refuseToken(_ file: HostileFile) throws {
        let path = folder.path + "/token"
        try file.make(at: path, in: folder, good: "evil")
        try check(file, path)
    }

    @Test(
        "a file that others could have read or made, or that has no login, is neither used nor passed over",
        arguments: HostileFile.all.filter { !$0.needsRoot })
    func logins(file: HostileFile) throws { try refuseLogin(file) }

    @Test(
        "what another user has made is not taken for a login, nor passed over",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: HostileFile.all.filter(\.needsRoot))
    func loginsOfOthers(file: HostileFile) throws { try refuseLogin(file) }

    private func refuseLogin(_ file: HostileFile) throws {
        _ = try folder.write("a-good-token", to: "token", mode: 0o600)
        try file.make(at: login.path, in: folder, good: StoredLogin.sample.json)
        try check(file, login.path)
    }

    @Test(
        "what the hostile files are made of is taken",
        arguments: ["token", "token\n", " token\r\n"])
    func right(text: String) throws {
        _ = try folder.write(text, to: "token", mode: 0o600)
        #expect(try find().secret == "token")
        try HostileFile.mode(0o600).make(at: login.path, in: folder, good: StoredLogin.sample.json)
        #expect(try find().secret == "refresh-secret")
        try #require(chmod(login.path, 0o400) == 0)
        #expect(try find().secret == "refresh-secret")
    }
}
