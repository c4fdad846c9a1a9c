// Thumbnails by revision: one request, and outcomes of their own.

import Core
import DropboxAPI
import DropboxEmulator
import Foundation
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite struct ThumbnailTests {
    /// A store with files of these paths, and their revisions.
    private func withStore(
        _ paths: [RemotePath],
        _ body: (DropboxStore, EmulatedAccount, [Revision]) async throws -> Void
    ) async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            var revisions: [Revision] = []
            for path in paths {
                let entry = try await store.upload(
                    MemorySource(Array(path.rawValue.utf8)),
                    commit: RemoteCommit(
                        path: path, expectation: .absent(strict: false),
                        clientModified: WallTime(seconds: 5), hash: nil))
                guard case .file(let file) = entry.kind else {
                    Issue.record("\(path) is no file")
                    return
                }
                revisions.append(file.revision)
            }
            try await body(store, account, revisions)
        }
    }

    @Test("pictures have a PNG, in the order asked for; other files and unknown revisions an error")
    func outcomes() async throws {
        try await withStore(["/a.jpg", "/b.txt", "/c.png"]) { store, _, revisions in
            let unknown = Revision("0123456789abcdef")
            let outcomes = try await store.thumbnails(of: revisions + [unknown], size: .large)
            #expect(outcomes.count == 4)
            let pictures = try [outcomes[0].get(), outcomes[2].get()]
            #expect(pictures[0] != pictures[1])
            for picture in pictures {
                #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
                // The width is 256.
                #expect(Array(picture[16..<20]) == [0, 0, 1, 0])
            }
            #expect(throws: RemoteError.notDownloadable) { try outcomes[1].get() }
            #expect(throws: RemoteError.notFound) { try outcomes[3].get() }
            let small = try await store.thumbnails(of: [revisions[0]], size: .normal)[0].get()
            #expect(Array(small[16..<20]) == [0, 0, 0, 128])
        }
    }

    @Test("the thumbnail of another revision, and text that is no base64, are not used")
    func hostile() async throws {
        try await withStore(["/a.jpg"]) { store, account, revisions in
            for (field, value) in [("rev", "0123456789abcdef"), ("thumbnail", "*")] {
                try account.server.addFault([
                    "route": "files/get_thumbnail_batch", "kind": "replace_field",
                    "field": .string(field), "value": .string(value),
                ])
                let outcome = try #require(
                    try await store.thumbnails(of: revisions, size: .normal).first)
                let error = #expect(throws: RemoteError.self, "\(field)") { try outcome.get() }
                guard case .malformed = error else {
                    Issue.record("\(field): \(String(describing: error))")
                    return
                }
                account.server.removeFaults()
            }
            try account.server.addFault([
                "route": "files/get_thumbnail_batch", "kind": "replace_field",
                "field": "entries", "value": .array([]),
            ])
            await #expect(throws: RemoteError.self) {
                _ = try await store.thumbnails(of: revisions, size: .normal)
            }
        }
    }

    @Test("more than a request takes is an error of the request")
    func tooMany() async throws {
        try await withStore(["/a.jpg"]) { store, _, revisions in
            let many = Array(
                repeating: revisions[0], count: RemoteThumbnail.mostInRequest + 1)
            await #expect(throws: RemoteError.tooManyEntries) {
                _ = try await store.thumbnails(of: many, size: .normal)
            }
            let most = try await store.thumbnails(of: many.dropLast(), size: .normal)
            #expect(most.count == RemoteThumbnail.mostInRequest)
        }
    }
}
