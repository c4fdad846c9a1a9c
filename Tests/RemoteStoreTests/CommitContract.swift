// The contract of every store for content in one call: expectations, repeated commits, quota,
// revisions.

import ContentHashing
import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Contract of stores: content")
struct CommitContract {
    @Test(
        "A stored file has the hash, size and whole seconds that were given",
        arguments: Backend.allCases)
    func facts(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/f", "text")
            #expect(file.hash == ContentHasher.hash(Array("text".utf8)))
            #expect(file.size == 4)
            #expect(file.clientModified == WallTime(seconds: 1_600_000_000))
            #expect(file.isDownloadable)
        }
    }

    @Test("Empty files are files", arguments: Backend.allCases)
    func emptyFile(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/empty", "")
            #expect(file.size == 0)
            #expect(file.hash == .empty)
            #expect(try await subject.store.entry(at: "/empty")?.file == file)
        }
    }

    @Test("A new file does not replace another", arguments: Backend.allCases)
    func absentConflicts(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/f", "theirs")
            _ = try await subject.store.makeFolder(at: "/d")
            for strict in [true, false] {
                await #expect(throws: RemoteError.conflict(.file)) {
                    try await subject.put("/F", "ours", expecting: .absent(strict: strict))
                }
                await #expect(throws: RemoteError.conflict(.folder)) {
                    try await subject.put("/d", "ours", expecting: .absent(strict: strict))
                }
                await #expect(throws: RemoteError.conflict(.ancestor)) {
                    try await subject.put("/f/below", "x", expecting: .absent(strict: strict))
                }
            }
            #expect(try await subject.text(at: "/f") == "theirs")
        }
    }

    @Test(
        "Identical content is the same file, unless the commit is strict",
        arguments: Backend.allCases)
    func identicalContent(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "same")
            let bytes = Array("same".utf8)
            let again = try await subject.store.upload(
                MemorySource(bytes),
                commit: .of("/f", bytes, expecting: .absent(strict: false), modified: 1))
            // Not even the time is written.
            #expect(try again.file == first)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.upload(
                    MemorySource(bytes),
                    commit: .of("/f", bytes, expecting: .absent(strict: true), modified: 1))
            }
        }
    }

    @Test(
        "A new revision keeps the id, and replaces only the expected one",
        arguments: Backend.allCases)
    func revisions(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "one")
            let second = try await subject.put("/F", "two", expecting: .revision(first.revision))
            #expect(second.id == first.id)
            #expect(second.revision != first.revision)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.put("/f", "three", expecting: .revision(first.revision))
            }
            #expect(try await subject.text(at: "/f") == "two")
            // The name keeps the case that it was made with.
            #expect(try await subject.paths() == ["/f"])
        }
    }

    @Test("A revision of identical content is not written", arguments: Backend.allCases)
    func identicalRevision(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "one")
            let again = try await subject.put("/f", "one", expecting: .revision(first.revision))
            #expect(again == first)
        }
    }

    @Test("A commit whose reply was lost can be sent again", arguments: Backend.allCases)
    func repeatedCommit(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "one")
            let second = try await subject.put("/f", "two", expecting: .revision(first.revision))
            let again = try await subject.put("/f", "two", expecting: .revision(first.revision))
            #expect(again == second)
            let other = try await subject.put("/g", "new", expecting: .absent(strict: false))
            #expect(
                try await subject.put("/g", "new", expecting: .absent(strict: false)) == other)
        }
    }

    @Test("A revision does not bring a deleted file back", arguments: Backend.allCases)
    func deletedFile(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/f", "one")
            try await subject.store.delete("/f", revision: file.revision)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.put("/f", "two", expecting: .revision(file.revision))
            }
            #expect(try await subject.paths().isEmpty)
            _ = try await subject.store.makeFolder(at: "/f")
            await #expect(throws: RemoteError.conflict(.folder)) {
                try await subject.put("/f", "two", expecting: .revision(file.revision))
            }
        }
    }

    @Test("Content that is not what its hash says is refused", arguments: Backend.allCases)
    func wrongHash(_ backend: Backend) async throws {
        try await backend.withStore { subject async throws in
            await #expect(throws: RemoteError.contentMismatch) {
                try await subject.store.upload(
                    MemorySource("sent"), commit: .of("/f", Array("meant".utf8)))
            }
            #expect(try await subject.paths().isEmpty)
        }
    }

    @Test("Content without a hash is stored as it is", arguments: Backend.allCases)
    func unknownHash(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            var commit = RemoteCommit.of("/f", [])
            commit.hash = nil
            let file = try await subject.store.upload(MemorySource("text"), commit: commit).file
            #expect(file.hash == ContentHasher.hash(Array("text".utf8)))
        }
    }

    @Test(
        "A full account takes nothing more, and what replaces counts as the difference",
        arguments: Backend.allCases)
    func quota(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/f", "12345678")
            try subject.setQuota(10)
            await #expect(throws: RemoteError.insufficientSpace) {
                try await subject.put("/g", "123")
            }
            await #expect(throws: RemoteError.insufficientSpace) {
                _ = try await subject.store.copy("/f", to: "/g")
            }
            try await subject.put("/f", "1234567890", expecting: .revision(file.revision))
            try await subject.put("/empty", "")
            let space = try await subject.store.space()
            #expect(space == RemoteSpace(used: 10, allocated: 10, isPersonal: true))
        }
    }

    // MARK: Downloads

    @Test("A range is exactly that range", arguments: Backend.allCases)
    func ranges(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let bytes = pattern(300_000)
            let file = try await subject.put("/f", bytes: bytes)
            for range in [0..<300_000, 0..<1, 299_999..<300_000, 65_535..<131_073] as [Range<Int64>]
            {
                let part = try await subject.store.download(file.revision, range: range).collect()
                #expect(part == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            }
        }
    }

    @Test("A range that the revision does not have is refused", arguments: Backend.allCases)
    func impossibleRanges(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/f", "12345")
            for range in [0..<6, 5..<6, 100..<200, 3..<3] as [Range<Int64>] {
                let error = await #expect(throws: RemoteError.self) {
                    try await subject.store.download(file.revision, range: range).collect()
                }
                guard case .malformed = error else {
                    Issue.record("\(range) gave \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test("Overwritten, moved and deleted revisions stay readable", arguments: Backend.allCases)
    func oldRevisions(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "one")
            let second = try await subject.put("/f", "second", expecting: .revision(first.revision))
            let moved = try await subject.store.move("/f", to: "/g").file
            try await subject.store.delete("/g", revision: moved.revision)
            #expect(try await subject.read(first) == Array("one".utf8))
            #expect(try await subject.read(second) == Array("second".utf8))
            #expect(try await subject.read(moved) == Array("second".utf8))
        }
    }

    @Test(
        "An unknown revision is not found", arguments: Backend.allCases,
        ["0123456789abcdef", "nonsense"])
    func unknownRevision(_ backend: Backend, _ revision: String) async throws {
        try await backend.withStore { subject in
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.download(Revision(revision), range: 0..<1)
            }
        }
    }
}

/// Bytes that differ from place to place.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
}
