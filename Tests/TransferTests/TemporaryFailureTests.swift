// Failures that pass: a transfer waits for their end, or for the next queue, and does not end by
// them.

import DropboxAPI
import Foundation
import GRDB
import TestSupport
import Testing

@testable import DropboxTransfers

private let append = "files/upload_session/append_v2"
private let finish = "files/upload_session/finish"

@Suite(.timeLimit(.minutes(3)))
struct TemporaryFailureTests {
    /// Uploads a file and downloads it again.
    private func run(_ bench: TransferBench) async throws {
        try bench.write("source", [1, 2, 3])
        let queue = try bench.open()
        _ = try await queue.reconnect()
        let up = try await queue.enqueue(
            UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
        let stored = try await queue.end(of: up)
        #expect(stored.isStored, "\(stored.state)")
        let down = try await queue.enqueue(
            DownloadRequest(path: "/a", file: bench.path("target")))
        let placed = try await queue.end(of: down)
        #expect(placed.isStored, "\(placed.state)")
        #expect(try bench.read("target") == [1, 2, 3])
        await queue.close()
    }

    @Test(
        "each failure of the network is waited out",
        arguments: [
            TransportError.Kind.connect, .certificate, .tls, .other, .timedOut(.deadline),
        ])
    func network(kind: TransportError.Kind) async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account) { _, number in
                number < 7 ? .fail(kind) : .pass
            }
            try await run(bench)
        }
    }

    @Test("a token that cannot be renewed now is waited for")
    func renewal() async throws {
        try await TestAccount.with { account in
            let untrusted = TransportError(
                kind: .certificate, message: "", mayHaveBeenReceived: false)
            let tokens = UnsteadyTokens(UnsteadyTokens.temporary + [.transport(untrusted)])
            try await run(try TransferBench(account, tokens: tokens))
            #expect(tokens.left.isEmpty)
        }
    }

    @Test(
        "a busy server is waited out, also by a client whose calls do not wait for it",
        arguments: [
            (429, #"{"error":{"reason":{".tag":"too_many_write_operations"}}}"#),
            (409, #"{"error":{".tag":"too_many_write_operations"}}"#),
            (409, #"{"error":{".tag":"path","path":{".tag":"too_many_write_operations"}}}"#),
        ])
    func busy(status: Int, body: String) async throws {
        try await TestAccount.with { account in
            var policy = RetryPolicy.impatient
            policy.maxThrottles = 0
            let bench = try TransferBench(account, policy: policy) { request, number in
                request.label == finish && number < 7 ? .json(body, status: status) : .pass
            }
            try await run(bench)
            #expect(bench.transport.meter.requests[append] == 1)
        }
    }

    @Test("transfers whose client was shut down are suspended, and go on in the next queue")
    func shutDown() async throws {
        try await TestAccount.with { account in
            try await account.put("/there", [4, 5])
            let bench = try TransferBench(account) { request, number in
                number == 0 && [append, "files/download"].contains(request.label)
                    ? .fail(.shutDown) : .pass
            }
            try bench.write("source", [1, 2, 3])
            var queue = try bench.open()
            _ = try await queue.reconnect()
            let up = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            let down = try await queue.enqueue(
                DownloadRequest(path: "/there", file: bench.path("target")))
            for id in [up, down] {
                #expect(await queue.suspension(of: id) == "the client was shut down")
                await #expect(throws: TransferQueueError.notEnded) {
                    try await queue.acknowledge(id)
                }
            }
            #expect(bench.leftovers.count == 1)
            await queue.close()

            queue = try bench.open()
            #expect(try await queue.reconnect().map(\.state) == [.waiting, .waiting])
            for id in [up, down] { #expect(try await queue.end(of: id).isStored) }
            await queue.close()
        }
    }

    private static func rename(
        _ table: String, to name: String, in bench: TransferBench
    ) async throws {
        try await DatabaseQueue(path: bench.recordFolder + "/transfers.sqlite").write { database in
            try database.execute(sql: "ALTER TABLE \(table) RENAME TO \(name)")
        }
    }

    @Test("a transfer whose record cannot be written is suspended, and goes on in the next queue")
    func record() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            try bench.write("source", [1, 2, 3])
            var queue = try bench.open { name in
                guard name == "session started" else { return }
                try? await Self.rename("transfer", to: "gone", in: bench)
            }
            _ = try await queue.reconnect()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            #expect(await queue.suspension(of: id)?.hasPrefix("the record: ") == true)
            await #expect(throws: TransferQueueError.self) { try await queue.cancel(id) }
            #expect(queue.transfers.map(\.state.isEnded) == [false])
            await queue.close()

            try await Self.rename("gone", to: "transfer", in: bench)
            queue = try bench.open()
            _ = try await queue.reconnect()
            #expect(try await queue.end(of: id).isStored)
            await queue.close()
        }
    }

    @Test("a file is the one that was enqueued, also if its disk has another number since")
    func remounted() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account)
            try bench.write("source", [1, 2, 3])
            var queue = try bench.open()
            let id = try await queue.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            await queue.close()
            try await DatabaseQueue(path: bench.recordFolder + "/transfers.sqlite").write {
                try $0.execute(sql: "UPDATE transfer SET device = device + 1")
            }
            queue = try bench.open()
            _ = try await queue.reconnect()
            #expect(try await queue.end(of: id).isStored)
            await queue.close()
        }
    }
}
