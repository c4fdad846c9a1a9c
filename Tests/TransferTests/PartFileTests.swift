// The part files of downloads of whole files: which of them stay, and for whom.

import Foundation
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(3)))
struct PartFileTests {
    private func parts(_ account: TestAccount) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: account.folder)
            .filter { $0.hasSuffix(".part") }
    }

    @Test("a download that fails beside another one of the same file leaves only that one's part")
    func two() async throws {
        try await TestAccount.with { account in
            try await account.put("/f", pattern(9 << 20))
            let (_, client) = try account.scripted { request, count in
                request.label == "files/download" && count % 2 == 1
                    ? .json("no", status: 400) : .pass
            }
            let target = account.folder + "/target"
            let options = FileTransferOptions(pieceSize: 4 << 20, concurrency: 1)
            await #expect(throws: FileTransferError.self) {
                try await client.files.download("/f", to: target, options: options)
            }
            let name = try #require(try parts(account).first)
            let held = try #require(try PartFile.claimed(account.folder + "/" + name))
            await #expect(throws: FileTransferError.self) {
                try await client.files.download("/f", to: target, options: options)
            }
            #expect(try parts(account) == [name])
            withExtendedLifetime(held) {}
            await client.shutDown()
        }
    }

    @Test("a file that comes in the way of a download leaves no part file")
    func inTheWay() async throws {
        try await TestAccount.with { account in
            try await account.put("/f", [1, 2])
            let target = account.folder + "/target"
            let (_, client) = try account.scripted { request, _ in
                if request.label == "files/download" {
                    _ = FileManager.default.createFile(atPath: target, contents: Data([9]))
                }
                return .pass
            }
            let error = await #expect(throws: FileTransferError.self) {
                try await client.files.download("/f", to: target)
            }
            #expect(error?.summary == "\(target) exists already")
            #expect(try parts(account).isEmpty)
            #expect(FileManager.default.contents(atPath: target) == Data([9]))
            await client.shutDown()
        }
    }

    @Test("a part file that got its name after it was opened is another transfer's")
    func renamed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/part"
        let first = try #require(try PartFile.claimed(path))
        let second = try PartFile(path)
        #expect(second.claim() == .refused)
        #expect(try PartFile.claimed(path)?.path == nil)
        #expect(try first.place(at: folder.path + "/file", replacing: false))
        #expect(first.claim() == .outdated)
        let third = try #require(try PartFile.claimed(path))
        #expect(third.claim() == .granted)
    }
}
