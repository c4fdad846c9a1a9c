// The contract of every store for content that comes in pieces, in order or not, once or twice.

import ContentHashing
import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Contract of stores: upload sessions")
struct SessionContract {
    private static let block = Int64(ContentHasher.blockSize)

    /// Two whole blocks and a bit.
    private static let bytes = pattern(2 * ContentHasher.blockSize + 1000)

    private var source: MemorySource { MemorySource(Self.bytes) }
    private var size: Int64 { source.size }
    /// The three pieces of the content.
    private var pieces: [Range<Int64>] {
        [0..<Self.block, Self.block..<2 * Self.block, 2 * Self.block..<size]
    }

    @Test("Pieces in order become a file", arguments: Backend.allCases)
    func sequential(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: false)
            #expect(!session.isConcurrent)
            // Sequential pieces may have any size.
            for range in [0..<10, 10..<Self.block + 7, Self.block + 7..<size] as [Range<Int64>] {
                try await subject.store.append(
                    source, range: range, to: session, closes: range.upperBound == size)
            }
            let file = try await subject.store.finishUpload(
                session, size: size, commit: .of("/big", Self.bytes)
            ).file
            #expect(try await subject.store.entry(at: "/big")?.file == file)
            #expect(try await subject.read(file) == Self.bytes)
        }
    }

    @Test("Concurrent pieces become a file in any order", arguments: Backend.allCases)
    func concurrent(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: true)
            #expect(session.isConcurrent)
            for index in [1, 2, 0] {
                try await subject.store.append(
                    source, range: pieces[index], to: session, closes: index == 2)
            }
            let file = try await subject.store.finishUpload(
                session, size: size, commit: .of("/big", Self.bytes)
            ).file
            #expect(file.clientModified == WallTime(seconds: 1_600_000_000))
            #expect(try await subject.read(file) == Self.bytes)
        }
    }

    @Test("Concurrent pieces may be on their way at once", arguments: Backend.allCases)
    func parallel(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: true)
            async let first: Void = subject.store.append(
                source, range: pieces[0], to: session, closes: false)
            async let second: Void = subject.store.append(
                source, range: pieces[1], to: session, closes: false)
            _ = try await (first, second)
            try await subject.store.append(source, range: pieces[2], to: session, closes: true)
            let file = try await subject.store.finishUpload(
                session, size: size, commit: .of("/big", Self.bytes)
            ).file
            #expect(try await subject.read(file) == Self.bytes)
        }
    }

    @Test("A piece that comes twice counts once", arguments: Backend.allCases, [true, false])
    func repeatedPieces(_ backend: Backend, concurrent: Bool) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: concurrent)
            for (index, piece) in pieces.enumerated() {
                for _ in 1...2 {
                    try await subject.store.append(
                        source, range: piece, to: session, closes: index == 2)
                }
                // One that is long since there, as a client sends that does not know how far it
                // came.
                if index < 2 {
                    try await subject.store.append(
                        source, range: pieces[0], to: session, closes: false)
                }
            }
            let file = try await subject.store.finishUpload(
                session, size: size, commit: .of("/big", Self.bytes)
            ).file
            #expect(try await subject.read(file) == Self.bytes)
        }
    }

    @Test("Of a piece that is partly there, the rest is added", arguments: Backend.allCases)
    func overlappingPieces(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: false)
            try await subject.store.append(source, range: 0..<1000, to: session, closes: false)
            try await subject.store.append(source, range: 500..<size, to: session, closes: true)
            let file = try await subject.store.finishUpload(
                session, size: size, commit: .of("/big", Self.bytes)
            ).file
            #expect(try await subject.read(file) == Self.bytes)
        }
    }

    @Test(
        "A session without bytes becomes an empty file", arguments: Backend.allCases, [true, false])
    func empty(_ backend: Backend, concurrent: Bool) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: concurrent)
            try await subject.store.append(
                MemorySource([]), range: 0..<0, to: session, closes: true)
            let file = try await subject.store.finishUpload(
                session, size: 0, commit: .of("/empty", [])
            ).file
            #expect(file.size == 0)
            #expect(file.hash == .empty)
        }
    }

    @Test("An empty piece can close a session", arguments: Backend.allCases, [true, false])
    func emptyClosingPiece(_ backend: Backend, concurrent: Bool) async throws {
        try await backend.withStore { subject in
            let session = try await subject.store.startUpload(concurrent: concurrent)
            let bytes = Array(Self.bytes.prefix(Int(Self.block)))
            try await subject.store.append(
                MemorySource(bytes), range: 0..<Self.block, to: session, closes: false)
            for _ in 1...2 {
                try await subject.store.append(
                    MemorySource(bytes), range: Self.block..<Self.block, to: session, closes: true)
            }
            let file = try await subject.store.finishUpload(
                session, size: Self.block, commit: .of("/f", bytes)
            ).file
            #expect(file.size == Self.block)
        }
    }

    @Test("Pieces that do not fit are refused", arguments: Backend.allCases)
    func misplacedPieces(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let sequential = try await subject.store.startUpload(concurrent: false)
            await #expect(throws: RemoteError.sessionLost) {
                try await subject.store.append(
                    source, range: pieces[1], to: sequential, closes: false)
            }
            let concurrent = try await subject.store.startUpload(concurrent: true)
            for range in [1..<Self.block + 1, 0..<1000] as [Range<Int64>] {
                await #expect(throws: RemoteError.sessionLost) {
                    try await subject.store.append(
                        source, range: range, to: concurrent, closes: false)
                }
            }
        }
    }

    @Test("An incomplete session is not committed", arguments: Backend.allCases)
    func incomplete(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let store = subject.store
            let commit = RemoteCommit.of("/big", Self.bytes)
            let open = try await store.startUpload(concurrent: true)
            try await store.append(source, range: pieces[0], to: open, closes: false)
            try await store.append(source, range: pieces[1], to: open, closes: false)
            await #expect(throws: RemoteError.sessionLost) {
                try await store.finishUpload(open, size: size, commit: commit)
            }
            let gap = try await store.startUpload(concurrent: true)
            try await store.append(source, range: pieces[0], to: gap, closes: false)
            try await store.append(source, range: pieces[2], to: gap, closes: true)
            await #expect(throws: RemoteError.sessionLost) {
                try await store.finishUpload(gap, size: size, commit: commit)
            }
            let short = try await store.startUpload(concurrent: false)
            try await store.append(source, range: pieces[0], to: short, closes: true)
            await #expect(throws: RemoteError.sessionLost) {
                try await store.finishUpload(short, size: size, commit: commit)
            }
            #expect(try await store.entry(at: "/big") == nil)
        }
    }

    @Test("An unknown session is lost", arguments: Backend.allCases)
    func unknownSession(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let session = UploadSession(id: "unknown", isConcurrent: true)
            await #expect(throws: RemoteError.sessionLost) {
                try await subject.store.append(
                    source, range: pieces[0], to: session, closes: false)
            }
            await #expect(throws: RemoteError.sessionLost) {
                try await subject.store.finishUpload(
                    session, size: size, commit: .of("/big", Self.bytes))
            }
        }
    }

    @Test(
        "A commit that is refused can be made elsewhere with the same bytes",
        arguments: Backend.allCases)
    func commitElsewhere(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/f", "theirs")
            let bytes = Array("ours".utf8)
            let session = try await subject.store.startUpload(concurrent: true)
            try await subject.store.append(
                MemorySource(bytes), range: 0..<4, to: session, closes: true)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.finishUpload(session, size: 4, commit: .of("/f", bytes))
            }
            _ = try await subject.store.finishUpload(
                session, size: 4, commit: .of("/f (copy)", bytes))
            #expect(try await subject.text(at: "/f") == "theirs")
            #expect(try await subject.text(at: "/f (copy)") == "ours")
        }
    }

    @Test("Finishing again, after a lost reply, gives the same file", arguments: Backend.allCases)
    func repeatedFinish(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let old = try await subject.put("/g", "old")
            let expectations: [(RemotePath, RemoteCommit.Expectation)] = [
                ("/strict", .absent(strict: true)), ("/lenient", .absent(strict: false)),
                ("/g", .revision(old.revision)),
            ]
            for (path, expectation) in expectations {
                let bytes = Array("content of \(path)".utf8)
                let commit = RemoteCommit.of(path, bytes, expecting: expectation)
                let session = try await subject.store.startUpload(concurrent: true)
                let size = Int64(bytes.count)
                try await subject.store.append(
                    MemorySource(bytes), range: 0..<size, to: session, closes: true)
                let file = try await subject.store.finishUpload(
                    session, size: size, commit: commit)
                let again = try await subject.store.finishUpload(
                    session, size: size, commit: commit)
                #expect(again == file)
            }
        }
    }

    @Test("Expectations hold for sessions, too", arguments: Backend.allCases)
    func expectations(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/f", "one")
            let second = try await subject.put("/f", "two", expecting: .revision(first.revision))
            let bytes = Array("three".utf8)
            let session = try await subject.store.startUpload(concurrent: false)
            try await subject.store.append(
                MemorySource(bytes), range: 0..<5, to: session, closes: true)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.finishUpload(
                    session, size: 5,
                    commit: .of("/f", bytes, expecting: .revision(first.revision)))
            }
            let third = try await subject.store.finishUpload(
                session, size: 5, commit: .of("/f", bytes, expecting: .revision(second.revision))
            ).file
            #expect(third.id == first.id)
            #expect(try await subject.text(at: "/f") == "three")
        }
    }
}
