// Each change that had a response survives the end of the process.

import Foundation
import Testing

@testable import DropboxEmulator

@Suite("Restarting")
struct RestartTests {
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    /// The kinds of operations, for the test that has to have one of each.
    private enum Kind: CaseIterable {
        case commit, createFolder, delete, relocate, restore, startSession, append, endSession
        case seed, setQuota, setRelocationLimit, share, mountFolder, unmountFolder
        case mark, link, unlink, resetCursors
        case addTemplate, updateTemplate, removeTemplate, changeProperties

        init(_ operation: DropboxEmulator.Operation) {
            self =
                switch operation {
                case .commit: .commit
                case .createFolder: .createFolder
                case .delete: .delete
                case .relocate: .relocate
                case .restore: .restore
                case .startSession: .startSession
                case .append: .append
                case .endSession: .endSession
                case .seed: .seed
                case .setQuota: .setQuota
                case .setRelocationLimit: .setRelocationLimit
                case .share: .share
                case .mountFolder: .mountFolder
                case .unmountFolder: .unmountFolder
                case .mark: .mark
                case .link: .link
                case .unlink: .unlink
                case .resetCursors: .resetCursors
                case .addTemplate: .addTemplate
                case .updateTemplate: .updateTemplate
                case .removeTemplate: .removeTemplate
                case .changeProperties: .changeProperties
                }
        }
    }

    @Test("every operation is the same after a restart")
    func replay() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let space = try Space(number: 5, folder: folder)
        let renamed = Commit(
            path: "/a É/F", mode: .update(rev: "x"), autorename: true,
            clientModified: APITime(seconds: 5), strictConflict: true)
        let digest = TreeFixture.content("x").hash
        let rev = AccountTree(namespace: 5, quota: 0).revText(RevisionID(index: 0))
        let template = PropertyTemplate(
            owner: "o", name: "n", description: "d",
            fields: ["a", "b"].map { PropertyTemplate.Field(name: $0, description: "") })
        let group = PropertyGroup(
            template: "ptid:1", fields: [PropertyField(name: "a", value: "1")])
        let operations: [DropboxEmulator.Operation] = [
            .createFolder(path: "/A é", autorename: false, base: .root),
            .commit(Commit(path: "/A é/f"), TreeFixture.content("1")),
            .commit(renamed, TreeFixture.content("2")),
            .relocate(Relocation(from: "/A é", to: "/B")),
            .relocate(Relocation(from: "/B", to: "/C", copies: true)),
            .share(path: "/C", SharedFolder(namespace: "9", isReadOnly: false)),
            .mark(path: "/C/f", FileMarks(symlinkTarget: "x", exportAs: nil)),
            .mark(path: "/C/f", FileMarks(exportAs: "html", exportOptions: ["markdown"])),
            .link(path: "/C", secret: "kept", base: .root),
            .link(path: "/C/f", secret: "revoked", base: .root),
            .unlink(secret: "revoked"),
            .delete(path: "/b/f", parentRev: nil, base: .root),
            .restore(path: "/b/f", rev: rev, base: .root),
            .seed(files: 5, folders: 2, bytes: 10),
            .addTemplate(id: "ptid:1", template), .addTemplate(id: "ptid:2", template),
            .updateTemplate(id: "ptid:1", template), .removeTemplate(id: "ptid:2", owner: "o"),
            .changeProperties(
                path: "/C", .add([group]), owner: "o", base: .root, isTold: true),
            .changeProperties(
                path: "/C", .overwrite([group]), owner: "o", base: .root, isTold: false),
            .changeProperties(
                path: "/C",
                .update([
                    .init(
                        template: "ptid:1", fields: [PropertyField(name: "b", value: "2")],
                        removed: ["a"])
                ]), owner: "o", base: .root, isTold: true),
            .changeProperties(
                path: "/C/f", .add([group]), owner: "o", base: .root, isTold: true),
            .changeProperties(
                path: "/C/f", .remove(["ptid:1"]), owner: "o", base: .root, isTold: true),
            .createFolder(path: "/S/in", autorename: false, base: .root),
            .share(path: "/S", SharedFolder(namespace: "11", isReadOnly: true, owner: "Ada É")),
            .unmountFolder(namespace: "11"), .unmountFolder(namespace: "9"),
            .createFolder(path: "/s", autorename: false, base: .root),
            .mountFolder(namespace: "11"),
            .setQuota(1 << 33), .setRelocationLimit(7), .resetCursors,
            .startSession(id: "s:1", isConcurrent: true, isClosed: false),
            .append(
                session: "s:1", offset: 4 << 20, length: 3, closes: true,
                digests: [digest]),
            .startSession(id: "s:2", isConcurrent: false, isClosed: true),
            .endSession(id: "s:2"),
        ]
        #expect(Set(operations.map(Kind.init)) == Set(Kind.allCases))
        for operation in operations { try space.apply(operation) }
        let again = try Space(number: 5, folder: folder)
        let isSame = again.read { $0 } == space.read { $0 }
        #expect(isSame)
        #expect(again.read { $0.sessions.keys.sorted() } == ["s:1"])
    }

    @Test("a line that a crash cut short is forgotten, and what follows it is not")
    func tornLine() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let space = try Space(number: 5, folder: folder)
        try space.apply(.createFolder(path: "/a", autorename: false, base: .root))
        let journal = try BlockingFile(writing: "\(folder)/journal", append: true)
        try journal.append(Array(#"[17, "folder", "/tor"#.utf8))
        let second = try Space(number: 5, folder: folder)
        try second.apply(.createFolder(path: "/b", autorename: false, base: .root))
        let third = try Space(number: 5, folder: folder)
        #expect(third.tree { $0.nodes.livingCount } == 2)
        let isSame = third.read { $0 } == second.read { $0 }
        #expect(isSame)
    }

    @Test("accounts, tokens and refresh tokens are kept")
    func accounts() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let registry = try AccountRegistry(folder: folder)
        let account = try registry.makeAccount(
            givenName: "Ada", surname: "Ö", email: "a@example.com", isTeamMember: true)
        try registry.add(
            Token(
                account: account.id, expiresAt: APITime(seconds: 50), scopes: ["x"],
                refreshToken: "r"), as: "t")
        try registry.add(RefreshToken(account: account.id, client: "c", scopes: nil), as: "r")
        let again = try AccountRegistry(folder: folder)
        guard
            case .valid(let found, let token) = again.authenticate("t", at: APITime(seconds: 50))
        else {
            Issue.record("the token is not valid")
            return
        }
        #expect(found.id == account.id && found.homePath == "/Ada Ö" && token.scopes == ["x"])
        guard case .expired = again.authenticate("t", at: APITime(seconds: 51)) else {
            Issue.record("the token does not expire")
            return
        }
        #expect(again.refreshToken("r")?.client == "c")
        try again.revoke("t")
        #expect(again.refreshToken("r") == nil)
        guard case .invalid = again.authenticate("t", at: APITime(seconds: 0)) else {
            Issue.record("the token is still valid")
            return
        }
    }
}
