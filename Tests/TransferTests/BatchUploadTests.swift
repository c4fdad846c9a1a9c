// Many files at once: few requests, bounded memory, and one bad file alone.

import ContentHashing
import DropboxEmulator
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxAPI

private let start = "files/upload_session/start_batch"
private let append = "files/upload_session/append_batch"
private let finish = "files/upload_session/finish_batch_v2"

@Suite(.timeLimit(.minutes(3)))
struct BatchUploadTests {
    private func files(_ sizes: [Int], autorename: Bool = false) -> [FileUpload] {
        sizes.enumerated().map { index, size in
            FileUpload(
                .init(path: "/up/\(index)", autorename: autorename),
                source: BytesSource(pattern(size, seed: index)))
        }
    }

    private func expected(_ sizes: [Int]) -> [String: ContentHash?] {
        Dictionary(
            uniqueKeysWithValues: sizes.enumerated().map { index, size in
                ("/up/\(index)", ContentHasher.hash(pattern(size, seed: index)))
            })
    }

    @Test("1,000 small files take at most nine requests")
    func manySmall() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let sizes = (0..<1_000).map { $0 % 50 }
            let results = await client.files.upload(files: files(sizes))
            #expect(results.allSatisfy { (try? $0.get()) != nil })
            #expect(try await account.hashes() == expected(sizes))
            let requests = transport.meter.requests
            #expect(requests[start] == 1)
            #expect(requests[append] == 4)
            #expect((1...4).contains(requests[finish] ?? 0))
            await client.shutDown()
        }
    }

    @Test("large and small files arrive whole, and the memory held stays within the budget")
    func bound() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let budget = 20 << 20
            let read = Mutex((total: 0, peak: 0))
            let sizes = [30 << 20 | 5, 1, 8 << 20, 0, 3 << 20, 3 << 20, 24 << 20, 9 << 20]
            let files = sizes.enumerated().map { index, size in
                FileUpload(
                    .init(path: "/up/\(index)"),
                    source: CountingSource(bytes: pattern(size, seed: index)) { count in
                        read.withLock { read in
                            read.total += count
                            let held = read.total - Int(transport.meter.answeredBytes)
                            read.peak = max(read.peak, held)
                        }
                    })
            }
            let results = await client.files.upload(
                files: files,
                options: .init(memoryBudget: budget, pieceSize: 4 << 20, concurrency: 16))
            #expect(results.allSatisfy { (try? $0.get()) != nil })
            #expect(try await account.hashes() == expected(sizes))
            #expect(read.withLock { $0.peak } <= budget)
            #expect(read.withLock { $0.total } == sizes.reduce(0, +))
            #expect(transport.meter.bytes[append] == UInt64(sizes.reduce(0, +)))
            await client.shutDown()
        }
    }

    @Test(
        "limits hold for every budget",
        arguments: [0, 8 << 20, 20 << 20, 64 << 20, 1 << 30], [1, 4 << 20, 9 << 20, 1 << 30])
    func limits(budget: Int, piece: Int) {
        let limits = UploadLimits(
            .init(memoryBudget: budget, pieceSize: piece, concurrency: 8))
        #expect(limits.pieceSize % (4 << 20) == 0)
        #expect((4 << 20...144 << 20).contains(limits.pieceSize))
        #expect((1...8).contains(limits.concurrency))
        #expect((limits.concurrency + 1) * limits.pieceSize <= max(budget, 8 << 20))
        let pieces = limits.pieces(of: UInt64(limits.pieceSize) * 2 + 1)
        #expect(pieces.map(\.count) == [limits.pieceSize, limits.pieceSize, 1])
    }

    @Test(
        "a path begins with a slash, an id or a namespace, also before an accent",
        arguments: [
            ("/a", true), ("/\u{301}a", true), ("/", true), ("id:abc", true),
            ("id:\u{301}", true), ("ns:12", true), ("ns:12/\u{301}a", true), ("", false),
            ("a", false), ("\u{301}/a", false), ("ns:", false), ("ns:x", false), ("ns:1x", false),
        ])
    func paths(path: String, isSound: Bool) {
        #expect(Files.CommitInfo(path: path).hasSoundPath == isSound)
    }

    @Test("a file that claims more bytes than there can be takes no memory for its pieces")
    func hugeFile() {
        let limits = UploadLimits(.init(memoryBudget: 0, pieceSize: 0, concurrency: 1))
        let size = UInt64(limits.pieceSize)
        #expect(Array(limits.pieces(of: .max).prefix(2)) == [0..<size, size..<2 * size])
        #expect(Array(limits.pieces(of: size)) == [0..<size])
        #expect(Array(limits.pieces(of: 0)).isEmpty)
    }

    @Test("a file that is unreadable, changes or is in conflict leaves the others alone")
    func badFiles() async throws {
        try await TestAccount.with { account in
            try await account.put("/up/2", [9])
            let path = account.folder + "/growing"
            #expect(FileManager.default.createFile(atPath: path, contents: Data([1, 2])))
            var files = files([5, 6, 7, 8, 9])
            files[0].source = LocalFile(account.folder + "/missing")
            files[1].source = LocalFile(account.folder)
            files[3].source = GrowingSource(path: path)
            let (_, client) = try account.scripted()
            let results = await client.files.upload(files: files)
            #expect(results[0].problem == "source(No such file or directory)")
            #expect(results[1].problem == "source(it is not a regular file)")
            #expect(results[2].problem == "commit(path(\(Files.WriteError.conflict(.file))))")
            #expect(results[3].problem == "changed")
            #expect(try results[4].get().pathDisplay == "/up/4")
            #expect(try await account.hashes().keys.sorted() == ["/up/2", "/up/4"])
            await client.shutDown()
        }
    }

    @Test(
        "whichever answer is lost, each file is stored once, under its own name",
        arguments: [start, append, finish], [0, 1])
    func lostAnswers(route: String, number: Int) async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted { request, count in
                request.label == route && count == number ? .loseAnswer : .pass
            }
            let sizes = [3, 0, 4 << 20, 9 << 20, 7]
            let results = await client.files.upload(
                files: files(sizes, autorename: true), options: .init(pieceSize: 4 << 20))
            #expect(results.compactMap(\.problem) == [])
            #expect(try await account.hashes() == expected(sizes))
            await client.shutDown()
        }
    }

    @Test("a commit that was lost on its way there is sent again")
    func lostRequest() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted { request, count in
                request.label == finish && count == 0 ? .loseRequest : .pass
            }
            let results = await client.files.upload(files: files([1, 2, 3]))
            #expect(results.compactMap(\.problem) == [])
            #expect(try await account.hashes() == expected([1, 2, 3]))
            #expect(transport.meter.requests["files/get_metadata"] == 3)
            await client.shutDown()
        }
    }

    @Test("a commit whose answer is lost, and whose file others have replaced, is not sent as new")
    func replacedMeanwhile() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted { request, count in
                request.label == finish && count == 0 ? .loseAnswer : .pass
            }
            // Another process deletes the file before it is asked for.
            let hook = DeletingHook(account.plain)
            var client2 = client
            client2.clock = CallClock(sleep: { _ in await hook.run() }, random: { 0 })
            let results = await client2.files.upload(files: files([1], autorename: true))
            #expect(results[0].problem?.hasPrefix("uncertain") == true)
            #expect(try await account.hashes().isEmpty)
            #expect(transport.meter.requests[finish] == 2)
            await client.shutDown()
        }
    }

    @Test("files that wait for other writers are committed in the end, and alone")
    func contention() async throws {
        try await TestAccount.with { account in
            try account.server.addFault([
                "route": .string(finish), "kind": "too_many_write_operations", "entries": 2,
                "count": 3,
            ])
            let (_, client) = try account.scripted()
            let results = await client.files.upload(files: files([1, 2, 3, 4]))
            #expect(results.compactMap(\.problem) == [])
            #expect(try await account.hashes() == expected([1, 2, 3, 4]))
            await client.shutDown()
        }
    }

    @Test("a file that is stored with other bytes is reported")
    func mismatch() async throws {
        try await TestAccount.with { account in
            try account.server.addFault(["route": .string(finish), "kind": "wrong_hash"])
            let (_, client) = try account.scripted()
            let results = await client.files.upload(files: files([1]))
            #expect(results[0].problem?.hasPrefix("hashMismatch") == true)
            await client.shutDown()
        }
    }

    @Test("cancelling ends the transfers at once")
    func cancellation() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted { request, _ in
                request.label == append ? .hang : .pass
            }
            let files = files(Array(repeating: 10, count: 600))
            let task = Task { await client.files.upload(files: files) }
            try await waitWhile { transport.meter.requests[append] == nil }
            task.cancel()
            let results = await task.value
            #expect(Set(results.map(\.problem)) == ["cancelled"])
            #expect(try await account.hashes().isEmpty)
            await client.shutDown()
        }
    }

    @Test("after a revoked token nothing more is asked")
    func revoked() async throws {
        let transport = ScriptedTransport { _, _ in
            .json(#"{"error":{".tag":"invalid_access_token"}}"#, status: 401)
        }
        let results = await transport.client().files.upload(
            files: files(Array(repeating: 1, count: 2_000)))
        #expect(results.allSatisfy { $0.problem?.hasPrefix("start") == true })
        #expect(transport.meter.total == 1)
    }

    @Test("progress only grows, and ends with everything")
    func progress() async throws {
        try await TestAccount.with { account in
            let steps = Mutex<[BatchUploadProgress]>([])
            let sizes = [10, 9 << 20, 20]
            let (_, client) = try account.scripted()
            var files = files(sizes)
            files.append(FileUpload(.init(path: "/none"), source: LocalFile("/none/of/these")))
            _ = await client.files.upload(
                files: files,
                options: .init(pieceSize: 4 << 20) { step in steps.withLock { $0.append(step) } })
            let seen = steps.withLock { $0 }
            #expect(seen.map(\.bytesSent) == seen.map(\.bytesSent).sorted())
            #expect(seen.map(\.filesStored) == seen.map(\.filesStored).sorted())
            #expect(seen.last?.bytesSent == UInt64(sizes.reduce(0, +)))
            #expect(seen.last?.filesStored == 3)
            #expect(seen.last?.filesFailed == 1)
            #expect(seen.last?.filesTotal == 4)
            await client.shutDown()
        }
    }
}

/// Deletes the only file, once.
private actor DeletingHook {
    private let client: DropboxClient
    private var isDone = false

    init(_ client: DropboxClient) {
        self.client = client
    }

    func run() async {
        guard !isDone else { return }
        isDone = true
        _ = try? await client.files.deleteV2(path: "/up")
    }
}

/// Says how many bytes were read.
private struct CountingSource: FileSource, OpenedFile {
    let bytes: [UInt8]
    let note: @Sendable (Int) -> Void

    func open() -> any OpenedFile { self }
    var length: UInt64 { UInt64(bytes.count) }
    func isUnchanged() -> Bool { true }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = BytesSource(bytes).read(at: offset, into: buffer)
        note(count)
        return count
    }
}

/// A local file that another process writes to while it is read.
private struct GrowingSource: FileSource {
    let path: String

    func open() throws -> any OpenedFile {
        let file = try LocalFile(path).open()
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([3]))
        try handle.close()
        return file
    }
}

extension Result<Files.FileMetadata, FileUploadError> {
    /// The failure in a form that tests can compare; nil for a success.
    fileprivate var problem: String? {
        switch self {
        case .success: nil
        case .failure(.source(let error)): "source(\(error))"
        case .failure(.changed): "changed"
        case .failure(.commit(let error)):
            if case .path(let reason) = error {
                "commit(path(\(reason)))"
            } else {
                "commit(\(error))"
            }
        case .failure(.start): "start"
        case .failure(.cancelled): "cancelled"
        case .failure(.uncertain): "uncertain"
        case .failure(.hashMismatch): "hashMismatch"
        case .failure(let error): "\(error)"
        }
    }
}
