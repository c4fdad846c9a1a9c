// The contract of every store for many small changes at once: an outcome for each, in order.

import ContentHashing
import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Contract of stores: batches")
struct BatchContract {
    private func upload(
        _ contents: [(path: RemotePath, text: String)], to store: any RemoteStoring,
        expecting expectation: RemoteCommit.Expectation = .absent(strict: true)
    ) async throws -> [RemoteOutcome<RemoteEntry>] {
        let bytes = contents.map { Array($0.text.utf8) }
        let sessions = try await store.send(bytes)
        let uploads = try zip(zip(contents, bytes), sessions).map { content, session in
            FinishedUpload(
                session: try session.get(), size: Int64(content.1.count),
                commit: .of(content.0.path, content.1, expecting: expectation))
        }
        return try await store.finishUploads(uploads)
    }

    @Test("Many contents become files, empty ones too", arguments: Backend.allCases)
    func manyFiles(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            // More than one request takes.
            let contents = (0..<300).map { number in
                (
                    path: RemotePath(rawValue: "/f\(number)"),
                    text: number == 7 ? "" : "text \(number)"
                )
            }
            let outcomes = try await upload(contents, to: subject.store)
            #expect(outcomes.count == 300)
            for (content, outcome) in zip(contents, outcomes) {
                let file = try outcome.get().file
                #expect(file.size == Int64(content.text.utf8.count))
                #expect(file.clientModified == WallTime(seconds: 1_600_000_000))
            }
            #expect(try await subject.paths().count == 300)
            #expect(try await subject.text(at: "/f7") == "")
            #expect(try await subject.text(at: "/f299") == "text 299")
        }
    }

    @Test("Each commit of a batch stands for itself", arguments: Backend.allCases)
    func ownOutcomes(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/taken", "theirs")
            let outcomes = try await upload(
                [("/a", "1"), ("/taken", "ours"), ("/b", "2")], to: subject.store)
            #expect(throws: Never.self) { try outcomes[0].get() }
            #expect(throws: RemoteError.conflict(.file)) { try outcomes[1].get() }
            #expect(throws: Never.self) { try outcomes[2].get() }
            #expect(try await subject.text(at: "/taken") == "theirs")
            #expect(try await subject.paths() == ["/a", "/b", "/taken"])
        }
    }

    @Test("Folders are made together, and each stands for itself", arguments: Backend.allCases)
    func folders(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/file", "1")
            let outcomes = try await subject.store.makeFolders(at: ["/a", "/file", "/ß"])
            #expect(try outcomes[0].get().name.string == "a")
            #expect(throws: RemoteError.conflict(.file)) { try outcomes[1].get() }
            #expect(try outcomes[2].get().name.string == "ß")
            #expect(try await subject.paths() == ["/a/", "/file", "/ß/"])
        }
    }

    @Test("Files are deleted together, if they are what they were", arguments: Backend.allCases)
    func deletions(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let one = try await subject.put("/1", "1")
            let two = try await subject.put("/2", "2")
            try await subject.put("/2", "edited", expecting: .revision(two.revision))
            let three = try await subject.put("/3", "3")
            try await subject.store.delete("/3", revision: three.revision)
            let outcomes = try await subject.store.deleteFiles([
                RemoteDeletion("/1", revision: one.revision),
                RemoteDeletion("/2", revision: two.revision),
                RemoteDeletion("/3", revision: three.revision),
            ])
            #expect(throws: Never.self) { try outcomes[0].get() }
            #expect(throws: RemoteError.conflict(.file)) { try outcomes[1].get() }
            #expect(throws: RemoteError.notFound) { try outcomes[2].get() }
            #expect(try await subject.paths() == ["/2"])
        }
    }

    @Test("Files are moved together, and each stands for itself", arguments: Backend.allCases)
    func moves(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let one = try await subject.put("/1", "1")
            try await subject.put("/2", "2")
            try await subject.put("/taken", "3")
            let outcomes = try await subject.store.moveFiles([
                RemoteRelocation(from: "/1", to: "/m1"),
                RemoteRelocation(from: "/2", to: "/taken"),
                RemoteRelocation(from: "/absent", to: "/m3"),
            ])
            #expect(try outcomes[0].get().file.id == one.id)
            #expect(throws: RemoteError.conflict(.file)) { try outcomes[1].get() }
            #expect(throws: RemoteError.notFound) { try outcomes[2].get() }
            #expect(try await subject.paths() == ["/2", "/m1", "/taken"])
        }
    }

    @Test("Files are copied together, and each stands for itself", arguments: Backend.allCases)
    func copies(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let one = try await subject.put("/1", "1")
            try await subject.put("/taken", "3")
            let outcomes = try await subject.store.copyFiles([
                RemoteRelocation(from: "/1", to: "/c1"),
                RemoteRelocation(from: "/1", to: "/taken"),
                RemoteRelocation(from: "/absent", to: "/c3"),
            ])
            let copy = try outcomes[0].get().file
            #expect(copy.id != one.id)
            #expect(copy.hash == one.hash)
            #expect(throws: RemoteError.conflict(.file)) { try outcomes[1].get() }
            #expect(throws: RemoteError.notFound) { try outcomes[2].get() }
            #expect(try await subject.paths() == ["/1", "/c1", "/taken"])
        }
    }
}
