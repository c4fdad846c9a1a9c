// Transfers that outlive the process: their records and results. Crashes are CrashTests' matter.

import ContentHashing
import DropboxAPI
import DropboxEmulator
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxTransfers

private let mebibyte = 1 << 20

@Suite(.timeLimit(.minutes(3)))
struct TransferQueueTests {
    @Test("an upload and a download end with a result, which is kept until acknowledged")
    func both() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account, pieceSize: 4 * mebibyte)
            let bytes = pattern(9 * mebibyte + 7)
            try bench.write("source", bytes)
            var queue = try bench.open()
            _ = try await queue.reconnect()
            let up = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")), label: "one")
            let stored = try await queue.end(of: up)
            guard case .stored(let file) = stored.state else {
                Issue.record("\(stored.state)")
                return
            }
            #expect(file.contentHash == ContentHasher.hash(bytes))
            #expect(stored.bytesDone == UInt64(bytes.count))
            let down = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            #expect(try await queue.end(of: down).state == .stored(file))
            #expect(try bench.read("target") == bytes)
            #expect(bench.leftovers.isEmpty)

            await queue.close()
            queue = try bench.open()
            let transfers = try await queue.reconnect()
            #expect(transfers.map(\.id) == [up, down])
            #expect(transfers.map(\.label) == ["one", ""])
            #expect(transfers.allSatisfy { $0.state == .stored(file) })
            try await queue.acknowledge(up)
            await #expect(throws: TransferQueueError.unknownTransfer) {
                try await queue.acknowledge(up)
            }
            await queue.close()
            queue = try bench.open()
            #expect(queue.transfers.map(\.id) == [down])
            await queue.close()
        }
    }

    @Test("files of no bytes travel, too")
    func empty() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            try bench.write("source", [])
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let up = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            #expect(try await queue.end(of: up).isStored)
            let down = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            #expect(try await queue.end(of: down).isStored)
            #expect(try bench.read("target") == [])
            await queue.close()
        }
    }

    @Test("the record is private, and one queue at a time has it")
    func privacy() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            let queue = try bench.open()
            #expect(throws: TransferQueueError.inUse) { try bench.open() }
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.recordFolder)
            #expect(names.contains("transfers.sqlite-wal"))
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: bench.recordFolder + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await queue.close()
            await #expect(throws: TransferQueueError.closed) { try await queue.reconnect() }
            let next = try bench.open()
            await next.close()
        }
    }

    @Test("a file that changed since it was enqueued is not sent")
    func sourceChanged() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            try bench.write("source", [1])
            var queue = try bench.open()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            await queue.close()
            try bench.write("source", [2])
            queue = try bench.open()
            _ = try await queue.reconnect()
            #expect(try await queue.end(of: id).failure?.reason == .sourceChanged)
            #expect(try await account.hashes().isEmpty)
            await #expect(throws: TransferQueueError.source(.system(errno: ENOENT))) {
                try await queue.enqueue(
                    UploadRequest(file: bench.path("none"), commit: .init(path: "/a")))
            }
            await queue.close()
        }
    }

    @Test("refusals of the server end an upload, and say what it was")
    func conflict() async throws {
        try await TestAccount.with { account in
            try await account.put("/a", [9])
            let bench = try TransferBench(account)
            try bench.write("source", [1])
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            let failure = try await queue.end(of: id).failure
            #expect(failure?.reason == .refused)
            #expect(failure?.message.contains("conflict") == true)
            #expect(failure?.tagPath == "path/conflict/file")
            #expect(failure?.status == 409)
            let requestID = try #require(failure?.requestID)
            #expect((failure as (any DropboxError)?)?.requestID == requestID)
            let none = try await queue.enqueue(
                DownloadRequest(path: "/none", file: bench.path("target")))
            let missing = try await queue.end(of: none).failure
            #expect(missing?.reason == .notFound)
            #expect(missing?.tagPath == "path/not_found")
            await queue.close()
            let next = try bench.open()
            #expect(next.transfers.map(\.failure) == [failure, missing])
            await next.close()
            let old = try JSON.decode(
                TransferFailure.self, from: Array(#"{"reason":"refused","message":"no"}"#.utf8))
            #expect(old == TransferFailure(.refused, "no"))
        }
    }

    @Test("a file in the way stays, unless it is to be replaced", arguments: [false, true])
    func target(replaces: Bool) async throws {
        try await TestAccount.with { account in
            try await account.put("/a", [1, 2, 3])
            let bench = try TransferBench(account)
            try bench.write("target", [9])
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                DownloadRequest(
                    path: "/a", file: bench.path("target"), replacesExisting: replaces))
            let end = try await queue.end(of: id)
            #expect(end.failure?.reason == (replaces ? nil : .targetExists))
            #expect(try bench.read("target") == (replaces ? [1, 2, 3] : [9]))
            #expect(bench.leftovers.isEmpty)
            await queue.close()
        }
    }

    @Test("damaged bytes are fetched anew, once, and never get the name", arguments: [1, 5])
    func damage(times: Int) async throws {
        try await TestAccount.with { account in
            let bytes = pattern(3 * mebibyte)
            try await account.put("/a", bytes)
            try account.server.addFault([
                "route": "files/download", "kind": "corrupt_body", "at": 100,
                "count": .integer(Int64(times)),
            ])
            let bench = try TransferBench(account)
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            let end = try await queue.end(of: id)
            if times == 1 {
                #expect(try bench.read("target") == bytes)
            } else {
                #expect(end.failure?.reason == .damaged)
                #expect(throws: (any Error).self) { try bench.read("target") }
            }
            #expect(bench.leftovers.isEmpty)
            await queue.close()
        }
    }

    @Test("a download that is cut off goes on where it was, with the version that it began with")
    func cut() async throws {
        try await TestAccount.with { account in
            let bytes = pattern(6 * mebibyte)
            try await account.put("/a", bytes)
            try account.server.addFault([
                "route": "files/download", "kind": "cut_body", "at": .integer(2 << 20), "count": 1,
            ])
            let bench = try TransferBench(account) { request, number in
                .pass
            }
            let overwritten = Mutex(false)
            let queue = try bench.open { name in
                let isFirst = overwritten.withLock { done in
                    defer { done = true }
                    return !done
                }
                guard name == "chunk written", isFirst else { return }
                try? await account.put("/a", [1])
            }
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            #expect(try await queue.end(of: id).isStored)
            #expect(try bench.read("target") == bytes)
            let ranges = bench.transport.meter.ranges
            #expect(ranges.count == 1)
            #expect(ranges.first?.hasPrefix("bytes=0-") == false)
            await queue.close()
        }
    }

    @Test("a session that has expired is begun anew", arguments: ["not_found", "closed"])
    func expired(tag: String) async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account, pieceSize: 4 * mebibyte) { request, number in
                request.label == "files/upload_session/append_v2" && number == 1
                    ? .json(#"{"error":{".tag":"\#(tag)"}}"#, status: 409) : .pass
            }
            let bytes = pattern(9 * mebibyte)
            try bench.write("source", bytes)
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            #expect(try await queue.end(of: id).isStored)
            #expect(try await account.hashes() == ["/a": ContentHasher.hash(bytes)])
            await queue.close()
        }
    }

    @Test("a session that has expired when it is to become a file is begun anew")
    func expiredAtTheEnd() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account) { request, number in
                request.label == "files/upload_session/finish" && number == 0
                    ? .json(
                        """
                        {"error":{".tag":"lookup_failed","lookup_failed":{".tag":"not_found"}}}
                        """, status: 409) : .pass
            }
            try bench.write("source", [1, 2])
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            #expect(try await queue.end(of: id).isStored)
            #expect(bench.transport.meter.requests["files/upload_session/start"] == 2)
            #expect(try await account.hashes() == ["/a": ContentHasher.hash([1, 2])])
            await queue.close()
        }
    }

    @Test("however often the network fails, nothing ends and no byte is sent more than once more")
    func network() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account, pieceSize: 4 * mebibyte) { request, number in
                number % 3 == 2 ? .pass : number % 3 == 1 ? .loseRequest : .loseAnswer
            }
            let bytes = pattern(9 * mebibyte)
            try bench.write("source", bytes)
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let up = try await queue.enqueue(
                UploadRequest(
                    file: bench.path("source"), commit: .init(path: "/a", autorename: true)))
            #expect(try await queue.end(of: up).isStored)
            let down = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            #expect(try await queue.end(of: down).isStored)
            #expect(try bench.read("target") == bytes)
            #expect(try await account.hashes() == ["/a": ContentHasher.hash(bytes)])
            await queue.close()
        }
    }

    @Test("an upload whose commit may have been applied, and that others removed, is not repeated")
    func uncertain() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account) { request, number in
                request.label == "files/upload_session/finish" && number == 0
                    ? .loseAnswer : .pass
            } sleep: {
                _ = try? await account.plain.files.deleteV2(path: "/a")
            }
            try bench.write("source", [1])
            let queue = try bench.open()
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            #expect(try await queue.end(of: id).failure?.reason == .uncertain)
            #expect(try await account.hashes().isEmpty)
            await queue.close()
        }
    }

    @Test("a transfer that is cancelled stays so, and leaves nothing here")
    func cancellation() async throws {
        try await TestAccount.with { account in
            try await account.put("/a", pattern(3 * mebibyte))
            let bench = try TransferBench(account)
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            var queue = try bench.open { name in
                guard name == "chunk written" else { return }
                arrived.yield()
                await waitForCancellation()
            }
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                DownloadRequest(path: "/a", file: bench.path("target")))
            for await _ in arrivals { break }
            #expect(bench.leftovers.count == 1)
            await #expect(throws: TransferQueueError.notEnded) { try await queue.acknowledge(id) }
            try await queue.cancel(id)
            #expect(try await queue.end(of: id).state == .cancelled)
            #expect(bench.leftovers.isEmpty)
            await queue.close()
            queue = try bench.open()
            #expect(try await queue.reconnect().map(\.state) == [.cancelled])
            await queue.close()
        }
    }

    @Test("nothing starts before its time, nor more at once than there may be")
    func order() async throws {
        try await TestAccount.with { account in
            let running = Mutex((now: 0, peak: 0))
            let bench = try TransferBench(account, concurrency: 2)
            try bench.write("source", [1])
            let queue = try bench.open { name in
                if name == "session started" {
                    running.withLock { running in
                        running.now += 1
                        running.peak = max(running.peak, running.now)
                    }
                    // The first two wait for each other, and a third one could start.
                    try? await waitWhile { running.withLock { $0.peak } < 2 }
                    for _ in 0..<100 { await Task.yield() }
                } else if name == "end reached" {
                    running.withLock { $0.now -= 1 }
                }
            }
            var ids: [Transfer.ID] = []
            for number in 0..<6 {
                ids.append(
                    try await queue.enqueue(
                        UploadRequest(
                            file: bench.path("source"), commit: .init(path: "/\(number)"))))
            }
            let late = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/late")),
                earliestStart: Timestamp(secondsSince1970: TransferBench.now + 1000))
            #expect(bench.transport.meter.total == 0)
            _ = try await queue.reconnect()
            for id in ids { #expect(try await queue.end(of: id).isStored) }
            #expect(running.withLock { $0.peak } == 2)
            #expect(queue.transfers.last?.state == .waiting)
            await queue.close()
            let later = try bench.open(now: TransferBench.now + 1000)
            _ = try await later.reconnect()
            #expect(try await later.end(of: late).isStored)
            await later.close()
        }
    }
}
