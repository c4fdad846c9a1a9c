// One file in one call: any size, any answer lost, any byte damaged, any interruption.

import ContentHashing
import DropboxEmulator
import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

private let finish = "files/upload_session/finish"

@Suite(.timeLimit(.minutes(3)))
struct WholeFileTests {
    private static let block = ContentHasher.blockSize

    /// The progress of a transfer, as its caller sees it.
    private final class Seen: Sendable {
        private let steps = Mutex<[TransferProgress]>([])

        var all: [TransferProgress] { steps.withLock { $0 } }

        func add(_ progress: TransferProgress) { steps.withLock { $0.append(progress) } }
    }

    /// A path in the folder of the test, with these bytes in a file there.
    private func local(
        _ account: TestAccount, _ name: String, _ bytes: [UInt8]? = nil
    ) throws -> String {
        let path = account.folder + "/" + name
        if let bytes { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
        return path
    }

    private func partFiles(_ account: TestAccount) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: account.folder)
            .filter { $0.hasSuffix(".part") }
    }

    private func failure(
        _ work: () async throws(FileTransferError) -> Void
    ) async -> FileTransferError? {
        do throws(FileTransferError) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    // MARK: There and back

    @Test(
        "a file of any size goes up and comes down, with rising progress",
        arguments: [0, 1, 4 << 20, 4 << 20 | 1, 8 << 20, 21 << 20 | 7])
    func thereAndBack(size: Int) async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let bytes = pattern(size, seed: size)
            let source = try local(account, "source", bytes)
            let target = try local(account, "target")
            let (up, down) = (Seen(), Seen())
            let stored = try await client.files.upload(
                file: source, to: "/f", options: .progress { up.add($0) })
            #expect(stored.contentHash == ContentHasher.hash(bytes))
            let came = try await client.files.download(
                "/f", to: target, options: .progress { down.add($0) })
            #expect(came.rev == stored.rev)
            #expect(FileManager.default.contents(atPath: target) == Data(bytes))
            for seen in [up.all, down.all] where size > 0 {
                #expect(seen.map(\.bytesDone) == seen.map(\.bytesDone).sorted())
                #expect(
                    seen.last == TransferProgress(bytesDone: UInt64(size), bytesTotal: UInt64(size))
                )
            }
            #expect(try partFiles(account) == [])
            if size == 1 {
                #expect(transport.meter.requests == ["files/upload": 1, "files/download": 1])
            }
            await client.shutDown()
        }
    }

    @Test("bytes in memory and streams go the same ways")
    func memoryAndStreams() async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted()
            for size in [3, 9 << 20 | 1] {
                let data = Data(pattern(size))
                // A slice, whose first index is not zero.
                let slice = (Data([1, 2]) + data).dropFirst(2)
                try await client.files.upload(slice, to: "/d", mode: .overwrite)
                let back = try await client.files.download("/d", upTo: size)
                #expect(back.data == data)
                #expect(back.file.size == UInt64(size))
            }
            let error = await failure { () async throws(FileTransferError) in
                _ = try await client.files.download("/d", upTo: 5)
            }
            guard case .tooLarge(limit: 5)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await client.shutDown()
        }
    }

    @Test("a failing source, a path that cannot be and a refusal are errors of their own kinds")
    func refusals() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let source = try local(account, "source", [1])
            let missing = await failure { () async throws(FileTransferError) in
                _ = try await client.files.upload(file: source + "-", to: "/f")
            }
            guard case .localFile? = missing else { throw Unexpected(missing) }
            let malformed = await failure { () async throws(FileTransferError) in
                _ = try await client.files.upload(file: source, to: "no slash")
            }
            #expect(malformed?.localizedDescription == "The path is not one that Dropbox can have.")
            #expect(transport.meter.total == 0)
            try await client.files.upload(file: source, to: "/f")
            let other = try local(account, "other", [2])
            let conflict = await failure { () async throws(FileTransferError) in
                _ = try await client.files.upload(file: other, to: "/f")
            }
            #expect(conflict?.localizedDescription == "A file with this name exists already.")
            #expect(conflict?.failedCall?.routeError is Files.UploadError)
            let gone = await failure { () async throws(FileTransferError) in
                _ = try await client.files.download("/gone", to: source, overwrite: true)
            }
            #expect(gone?.localizedDescription == "There is no such file or folder.")
            #expect(FileManager.default.contents(atPath: source) == Data([1]))
            await client.shutDown()
        }
    }

    // MARK: Lost answers

    @Test("a small file whose answer is lost is found at its path", arguments: [true, false])
    func lostAnswer(isStored: Bool) async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted { request, _ in
                guard request.label == "files/upload" else { return .pass }
                return isStored ? .loseAnswer : .loseRequest
            }
            let source = try local(account, "source", [1, 2, 3])
            let error = await failure { () async throws(FileTransferError) in
                let file = try await client.files.upload(file: source, to: "/f")
                #expect(file.contentHash == ContentHasher.hash([1, 2, 3]))
            }
            if isStored {
                #expect(error == nil)
            } else {
                guard case .uncertain? = error else { throw Unexpected(error) }
                #expect(error?.mayHaveTakenEffect == true)
            }
            #expect(try await account.hashes().count == (isStored ? 1 : 0))
            await client.shutDown()
        }
    }

    @Test("a stream whose last answer is lost is found at its path")
    func lostFinish() async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted { request, count in
                request.label == finish && count == 0 ? .loseAnswer : .pass
            }
            let chunks = AsyncStream<[UInt8]> { stream in
                stream.yield([1, 2])
                stream.yield([3])
                stream.finish()
            }
            let file = try await client.files.upload(.init(path: "/lost.bin"), chunks: chunks)
            #expect(file.contentHash == ContentHasher.hash([1, 2, 3]))
            #expect(try await account.hashes().count == 1)
            await client.shutDown()
        }
    }

    // MARK: Damage

    @Test("what the server stored otherwise is an error, whichever way it went up")
    func damagedUploads() async throws {
        try await TestAccount.with { account in
            try account.server.addFault(["route": "files/upload*", "kind": "wrong_hash"])
            let (_, client) = try account.scripted()
            let chunks = AsyncStream<[UInt8]> { stream in
                stream.yield([1])
                stream.finish()
            }
            await #expect(throws: StreamUploadError<Never>.self) {
                _ = try await client.files.upload(.init(path: "/a"), chunks: chunks)
            }
            let error = await failure { () async throws(FileTransferError) in
                _ = try await client.files.upload(Data([1]), to: "/b")
            }
            guard case .hashMismatch? = error else { throw Unexpected(error) }
            do throws(CallError<Files.UploadError>) {
                _ = try await client.files.upload(path: "/c", body: BytesBody([1]))
                Issue.record("other bytes were accepted")
            } catch {
                guard case .response(.contentHash) = error.kind else { throw error }
            }
            await client.shutDown()
        }
    }

    @Test("damage on the way down is mended once, and never gets the file's name")
    func damagedDownloads() async throws {
        try await TestAccount.with { account in
            let bytes = pattern(9 << 20)
            try await account.put("/f", bytes)
            try account.server.addFault([
                "route": "files/download", "kind": "corrupt_body", "at": 5, "count": 1,
            ])
            let (_, client) = try account.scripted()
            let target = try local(account, "target")
            try await client.files.download("/f", to: target)
            #expect(FileManager.default.contents(atPath: target) == Data(bytes))

            try account.server.addFault([
                "route": "files/download", "kind": "corrupt_body", "at": 5,
            ])
            let other = try local(account, "other")
            let error = await failure { () async throws(FileTransferError) in
                try await client.files.download("/f", to: other)
            }
            guard case .hashMismatch? = error else { throw Unexpected(error) }
            #expect(!FileManager.default.fileExists(atPath: other))
            #expect(try partFiles(account) == [])
            let content = await failure { () async throws(FileTransferError) in
                _ = try await client.files.download("/f", upTo: 1 << 30)
            }
            guard case .hashMismatch? = content else { throw Unexpected(content) }
            await client.shutDown()
        }
    }

    // MARK: Interruptions

    @Test("a cut connection costs the bytes on their way, and nothing else")
    func cut() async throws {
        try await TestAccount.with { account in
            let bytes = pattern(6 << 20)
            try await account.put("/f", bytes)
            try account.server.addFault([
                "route": "files/download", "kind": "cut_body", "at": 3_000_000, "count": 1,
            ])
            let (transport, client) = try account.scripted()
            #expect(try await client.files.download("/f", upTo: 1 << 30).data == Data(bytes))
            let start = transport.meter.ranges.first.flatMap { Int($0.dropFirst(6).dropLast(8)) }
            #expect((1...3_000_000).contains(start ?? 0), "\(transport.meter.ranges)")
            await client.shutDown()
        }
    }

    @Test("the next attempt goes on behind the last whole block, for the same revision only")
    func resumed() async throws {
        try await TestAccount.with { account in
            let bytes = pattern(13 << 20)
            try await account.put("/f", bytes)
            let options = FileTransferOptions(pieceSize: Self.block, concurrency: 1)
            let target = try local(account, "target")
            let (_, failing) = try account.scripted { request, count in
                request.label == "files/download" && count == 2 ? .json("no", status: 400) : .pass
            }
            let error = await failure { () async throws(FileTransferError) in
                try await failing.files.download("/f", to: target, options: options)
            }
            #expect(error?.failedCall?.kind == .badInput)
            #expect(try partFiles(account).count == 1)

            let (transport, client) = try account.scripted()
            try await client.files.download("/f", to: target, options: options)
            #expect(FileManager.default.contents(atPath: target) == Data(bytes))
            #expect(transport.meter.ranges.dropFirst().first == "bytes=8388608-12582911")
            #expect(try partFiles(account) == [])
            await failing.shutDown()
            await client.shutDown()
        }
    }

    @Test("a file that is there stays, unless it is to be replaced")
    func existing() async throws {
        try await TestAccount.with { account in
            try await account.put("/f", [1])
            let (transport, client) = try account.scripted()
            let target = try local(account, "target", [7])
            let error = await failure { () async throws(FileTransferError) in
                try await client.files.download("/f", to: target)
            }
            guard case .targetExists(target)? = error else { throw Unexpected(error) }
            #expect(transport.meter.total == 0)
            #expect(FileManager.default.contents(atPath: target) == Data([7]))
            try await client.files.download("/f", to: target, overwrite: true)
            #expect(FileManager.default.contents(atPath: target) == Data([1]))
            await client.shutDown()
        }
    }

    @Test("cancelling ends a transfer in either direction")
    func cancelled() async throws {
        try await TestAccount.with { account in
            let asked = AsyncStream<Void>.makeStream()
            let (_, client) = try account.scripted { _, _ in
                asked.continuation.yield()
                return .hang
            }
            let source = try local(account, "source", [1])
            var questions = asked.stream.makeAsyncIterator()
            let up = Task { try await client.files.upload(file: source, to: "/f") }
            await questions.next()
            up.cancel()
            let down = Task { try await client.files.download("/f", to: source + ".copy") }
            await questions.next()
            down.cancel()
            for result in [await up.result, await down.result] {
                guard case .failure(let error) = result else { throw Unexpected(nil) }
                #expect((error as? FileTransferError)?.isCancellation == true)
            }
            await client.shutDown()
        }
    }

    // MARK: One of many

    @Test("one path that cannot be leaves the other files of a batch alone")
    func badPath() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted { request, _ in
                guard request.label.hasSuffix("finish_batch_v2"), let body = request.body else {
                    return .pass
                }
                var bytes = [UInt8](repeating: 0, count: Int(body.length))
                _ = try? bytes.withUnsafeMutableBytes { try body.read(at: 0, into: $0) }
                // The server's pattern may be stricter than ours.
                return String(decoding: bytes, as: UTF8.self).contains("/m/odd")
                    ? .json("Error in call to API function", status: 400) : .pass
            }
            let paths = ["/m/a", "no slash", "/m/b", "ns:x", "/m/odd", "/m/c", "/m/d", "id:1"]
            let results = await client.files.upload(
                files: paths.prefix(7).map { FileUpload(.init(path: $0), source: BytesSource([1])) }
            )
            let stored = results.map { (try? $0.get()) != nil }
            #expect(stored == [true, false, true, false, false, true, true])
            #expect(try await account.hashes().count == 4)
            guard case .failure(.commit(.path(.malformedPath))) = results[1],
                case .failure(.finish(let error)) = results[4], case .badInput = error.kind
            else { throw Unexpected(nil) }
            // Five commits, split until the odd one is alone.
            #expect((transport.meter.requests["files/upload_session/finish_batch_v2"] ?? 0) <= 7)
            await client.shutDown()
        }
    }

    private struct Unexpected: Error {
        let error: FileTransferError?

        init(_ error: FileTransferError?) {
            self.error = error
        }
    }
}
