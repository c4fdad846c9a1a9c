// Uploads that their tasks cancel: one whose commit the server may have carried out is never said
// to be merely cancelled.

import ContentHashing
import DropboxEmulator
import DropboxTransfers
import Foundation
import TestSupport
import Testing

@testable import DropboxAPI

private let whole = "files/upload"
private let finish = "files/upload_session/finish"
private let finishBatch = "files/upload_session/finish_batch_v2"

@Suite(.timeLimit(.minutes(3)))
struct CancelledUploadTests {
    private struct NoFailure: Error {}

    @Test(
        "a task that is cancelled during the commit is not told that nothing is stored",
        arguments: [whole, finish, finishBatch], [true, false])
    func cancelledCommit(route: String, isStored: Bool) async throws {
        try await TestAccount.with { account in
            let (begun, commit) = AsyncStream.makeStream(of: Void.self)
            let (transport, client) = try account.scripted { request, _ in
                guard request.label == route else { return .pass }
                if isStored { return .hold { commit.yield() } }
                commit.yield()
                return .hang
            }
            let bytes = pattern(route == whole ? 3 : ContentHasher.blockSize + 1)
            let options = FileTransferOptions(pieceSize: ContentHasher.blockSize)
            let source = account.folder + "/source"
            try Data(bytes).write(to: URL(fileURLWithPath: source))
            let upload = Task {
                guard route == finish else {
                    return try await client.files.upload(file: source, to: "/f", options: options)
                }
                let (chunks, chunk) = AsyncStream.makeStream(of: [UInt8].self)
                chunk.yield(bytes)
                chunk.finish()
                return try await client.files.upload(chunks, to: "/f", options: options)
            }
            for await _ in begun { break }
            upload.cancel()
            guard case .failure(let error as FileTransferError) = await upload.result,
                case .uncertain(let call) = error
            else { throw NoFailure() }
            #expect(call?.context.route == route)
            #expect(error.mayHaveTakenEffect && error.isCancellation)
            #expect(try await account.hashes().count == (isStored ? 1 : 0))
            // Nothing is asked for in a cancelled task.
            #expect(transport.meter.requests["files/get_metadata"] == nil)
            await client.shutDown()
        }
    }

    @Test(
        "an upload that is cancelled in a pause is uncertain only if its request may have been carried out",
        arguments: [429, 503])
    func cancelledPause(status: Int) async throws {
        let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _, _ in .json("{}", status: status) }
        let client = transport.client(sleep: { _ in
            pause.yield()
            await waitForCancellation()
            throw CancellationError()
        })
        let options = FileTransferOptions(call: CallOptions(isSafeToRepeat: true))
        let upload = Task { try await client.files.upload(Data([1]), to: "/f", options: options) }
        for await _ in pauses { break }
        upload.cancel()
        guard case .failure(let error as FileTransferError) = await upload.result
        else { throw NoFailure() }
        #expect(error.isCancellation)
        #expect(error.mayHaveTakenEffect == (status == 503))
        #expect(transport.meter.requests == [whole: 1])
    }

    @Test("cancelling while other writers are waited for stores nothing, and says so")
    func cancelledContention() async throws {
        try await TestAccount.with { account in
            try account.server.addFault([
                "route": .string(finishBatch), "kind": "too_many_write_operations", "entries": 1,
            ])
            let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
            var (_, client) = try account.scripted()
            client.clock = CallClock(
                sleep: { _ in
                    pause.yield()
                    await waitForCancellation()
                    throw CancellationError()
                }, random: { 0 })
            let files = ["/a", "/b"].map { FileUpload(.init(path: $0), source: BytesSource([1])) }
            let task = Task { [client] in await client.files.upload(files: files) }
            for await _ in pauses { break }
            task.cancel()
            let results = await task.value
            let isCancelled = results.map { result in
                if case .failure(.cancelled) = result { true } else { false }
            }
            #expect(isCancelled.count { $0 } == 1)
            #expect(results.count { (try? $0.get()) != nil } == 1)
            #expect(try await account.hashes().count == 1)
            await client.shutDown()
        }
    }

    @Test("an upload that is cancelled after its commit was sent may be stored, and says so")
    func queuedCommit() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            try bench.write("source", [1])
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            var queue = try bench.open { name in
                guard name == "commit sent" else { return }
                arrived.yield()
                await waitForCancellation()
            }
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            for await _ in arrivals { break }
            try await queue.cancel(id)
            let end = try await queue.end(of: id)
            #expect(end.failure?.reason == .uncertain, "\(end)")
            #expect(try await account.hashes().count == 1)
            await queue.close()
            queue = try bench.open()
            #expect(try await queue.reconnect().map(\.failure?.reason) == [.uncertain])
            await queue.close()
        }
    }
}
