// The process ends at each place where it can, and another one goes on: the file is whole, there is
// one of it, and no more than a piece has travelled twice.
//
// A crash is a place at which the work stays for ever. The queue that is closed there writes
// nothing down, so the record and the files are those of a process that was killed.

import ContentHashing
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxTransfers

private let pieceSize = 4 << 20

@Suite(.timeLimit(.minutes(5)))
struct CrashTests {
    /// Counts places, and stays at one of them until the task is cancelled.
    private final class Place: Sendable {
        private let left: Mutex<Int?>
        private let arrivals: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation

        init(_ number: Int?) {
            left = Mutex(number)
            (arrivals, arrived) = AsyncStream.makeStream()
        }

        func pass() async {
            let isHere = left.withLock { left in
                left = left.map { $0 - 1 }
                return left == -1
            }
            guard isHere else { return }
            arrived.yield()
            await waitForCancellation()
        }

        /// Whether the place was reached before the work ended.
        func isReached(before end: @escaping @Sendable () async throws -> Void) async throws -> Bool
        {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                let arrivals = arrivals
                group.addTask {
                    for await _ in arrivals { return true }
                    return false
                }
                group.addTask {
                    try await end()
                    return false
                }
                let first = try await group.next() ?? false
                group.cancelAll()
                return first
            }
        }
    }

    /// Runs a transfer and ends the process at the given place; then lets another one finish. False
    /// when there is no such place.
    private func survives(
        _ bench: TransferBench, place: Int,
        enqueue: (TransferQueue) async throws -> Transfer.ID
    ) async throws -> Bool {
        let place = Place(place)
        let first = try bench.open { _ in await place.pass() }
        return try await survives(bench, place, in: first, enqueue: enqueue)
    }

    /// The same with the queue of the first process, which stays at the place.
    private func survives(
        _ bench: TransferBench, _ place: Place, in first: TransferQueue,
        enqueue: (TransferQueue) async throws -> Transfer.ID
    ) async throws -> Bool {
        _ = try await first.reconnect()
        let id = try await enqueue(first)
        let isReached = try await place.isReached { _ = try await first.end(of: id) }
        await first.close()
        let second = try bench.open()
        _ = try await second.reconnect()
        let end = try await second.end(of: id)
        #expect(end.isStored, "\(end.state)")
        await second.close()
        return isReached
    }

    @Test(
        "an upload goes on after a crash anywhere", arguments: [1, 2 * pieceSize + 5])
    func upload(size: Int) async throws {
        try await TestAccount.with { account in
            let bytes = pattern(size)
            var place = 0
            while true {
                let bench = try TransferBench(account, pieceSize: pieceSize)
                try bench.write("source", bytes)
                let commit = Files.CommitInfo(path: "/\(place)", autorename: true)
                let isReached = try await survives(bench, place: place) { queue in
                    try await queue.enqueue(
                        UploadRequest(file: bench.path("source"), commit: commit))
                }
                let sent = bench.transport.meter.bytes["files/upload_session/append_v2"] ?? 0
                #expect(sent <= UInt64(size + pieceSize))
                guard isReached else { break }
                place += 1
            }
            #expect(place >= 4)
            let hashes = try await account.hashes()
            #expect(hashes.count == place + 1)
            #expect(hashes.values.allSatisfy { $0 == ContentHasher.hash(bytes) })
        }
    }

    @Test("a download goes on after a crash anywhere", arguments: [false, true])
    func download(replaces: Bool) async throws {
        try await TestAccount.with { account in
            let bytes = pattern(5 << 20)
            try await account.put("/a", bytes)
            var place = 0
            while true {
                let bench = try TransferBench(account)
                if replaces { try bench.write("target", [9]) }
                let isReached = try await survives(bench, place: place) { queue in
                    try await queue.enqueue(
                        DownloadRequest(
                            path: "/a", file: bench.path("target"), replacesExisting: replaces))
                }
                #expect(try bench.read("target") == bytes)
                #expect(bench.leftovers.isEmpty)
                guard isReached else { break }
                // Each run asks for the missing bytes only.
                #expect(bench.transport.meter.ranges.allSatisfy { !$0.hasPrefix("bytes=0-") })
                place += 1
            }
            #expect(place >= 5)
        }
    }

    @Test("a session that has more than was written down, and half a block, is gone on with")
    func halfBlock() async throws {
        try await TestAccount.with { account in
            let bench = try TransferBench(account, pieceSize: pieceSize)
            let bytes = pattern(3 * pieceSize)
            try bench.write("source", bytes)
            let (places, place) = AsyncStream.makeStream(of: Void.self)
            let first = try bench.open { name in
                guard name == "session noted" else { return }
                place.yield()
                await waitForCancellation()
            }
            _ = try await first.reconnect()
            let id = try await first.enqueue(
                UploadRequest(file: bench.path("source"), commit: .init(path: "/a")))
            for await _ in places { break }
            await first.close()

            let store = try TransferStore(folder: bench.recordFolder)
            let session = try #require(try store.all().first?.session)
            store.close()
            let known = pieceSize + 3
            try await account.plain.files.uploadSessionAppendV2(
                cursor: .init(sessionID: session, offset: 0),
                body: BytesBody(Array(bytes[..<known])))

            let second = try bench.open()
            _ = try await second.reconnect()
            #expect(try await second.end(of: id).isStored)
            await second.close()
            let sent = bench.transport.meter.bytes["files/upload_session/append_v2"]
            #expect(sent == UInt64(bytes.count - known))
            #expect(try await account.hashes() == ["/a": ContentHasher.hash(bytes)])
        }
    }

    @Test(
        "an upload goes on after a crash between any request and its answer",
        arguments: [false, true])
    func answers(isCarriedOut: Bool) async throws {
        try await TestAccount.with { account in
            let bytes = pattern(2 * pieceSize + 5)
            var number = 0
            while true {
                let place = Place(number)
                let (transport, client) = try account.scripted()
                let dying = DyingTransport(transport, isCarriedOut: isCarriedOut) {
                    await place.pass()
                }
                let bench = try TransferBench(account, pieceSize: pieceSize)
                try bench.write("source", bytes)
                let hosts = client.configuration.hosts
                let first = try TransferQueue.open(
                    folder: bench.recordFolder,
                    client: DropboxClient(
                        configuration: DropboxConfiguration(hosts: hosts),
                        tokens: FixedAccessToken(AccessToken("token")), transport: dying,
                        logger: silent),
                    settings: TransferSettings(pieceSize: pieceSize))
                let commit = Files.CommitInfo(path: "/\(number)", autorename: true)
                let isReached = try await survives(bench, place, in: first) { queue in
                    try await queue.enqueue(
                        UploadRequest(file: bench.path("source"), commit: commit))
                }
                let route = "files/upload_session/append_v2"
                let sent =
                    (transport.meter.bytes[route] ?? 0) + (bench.transport.meter.bytes[route] ?? 0)
                #expect(sent <= UInt64(bytes.count + pieceSize))
                await client.shutDown()
                guard isReached else { break }
                number += 1
            }
            #expect(number == 5)
            let hashes = try await account.hashes()
            #expect(hashes.count == number + 1)
            #expect(hashes.values.allSatisfy { $0 == ContentHasher.hash(bytes) })
        }
    }
}

/// Sends requests, and calls a hook before or after each.
private final class DyingTransport: HTTPTransport {
    private let inner: ScriptedTransport
    private let isCarriedOut: Bool
    private let hook: @Sendable () async -> Void

    init(
        _ inner: ScriptedTransport, isCarriedOut: Bool, _ hook: @escaping @Sendable () async -> Void
    ) {
        self.inner = inner
        self.isCarriedOut = isCarriedOut
        self.hook = hook
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if !isCarriedOut { await hook() }
        let response = try await inner.send(request)
        if isCarriedOut { await hook() }
        return response
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}
}
