// Streams of unknown length in parallel pieces: all bytes arrive once, also when answers are lost,
// and a stream that fails leaves nothing.

import ContentHashing
import DropboxAPI
import DropboxEmulator
import Foundation
import Synchronization
import TestSupport
import Testing

private let append = "files/upload_session/append_v2"
private let start = "files/upload_session/start"

@Suite(.timeLimit(.minutes(3)))
struct ParallelStreamTests {
    private struct Broken: Error {}

    /// Bytes in chunks of a size that divides nothing; the end is an error if it is to fail.
    private func stream(
        _ bytes: [UInt8], failing: Bool = false
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for begin in stride(from: 0, to: bytes.count, by: 999_983) {
                continuation.yield(Array(bytes[begin..<min(begin + 999_983, bytes.count)]))
            }
            continuation.finish(throwing: failing ? Broken() : nil)
        }
    }

    @Test(
        "a stream of any length is one file, whichever answers are lost",
        arguments: [0, 1, 4 << 20, 8 << 20, 21 << 20 | 7], [nil, 0, 2, 5])
    func arrives(size: Int, lost: Int?) async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted { request, count in
                request.label == append && count == lost ? .loseAnswer : .pass
            }
            let bytes = pattern(size, seed: size)
            let seen = Mutex<[UInt64]>([])
            let file = try await client.files.upload(
                .init(path: "/stream"), chunks: stream(bytes), pieceSize: 4 << 20,
                options: CallOptions(progress: { progress in
                    seen.withLock { $0.append(progress.bytesDone) }
                }))
            #expect(file.contentHash == ContentHasher.hash(bytes))
            #expect(try await account.hashes() == ["/stream": ContentHasher.hash(bytes)])
            let pieces = (size + (4 << 20) - 1) / (4 << 20)
            let isRepeated = lost.map { $0 < pieces } ?? false
            #expect(transport.meter.requests[append, default: 0] == pieces + (isRepeated ? 1 : 0))
            #expect(transport.meter.requests[start] == 1)
            let progress = seen.withLock { $0 }
            #expect(progress == progress.sorted() && progress.count == pieces)
            #expect(progress.last ?? 0 == UInt64(size))
            await client.shutDown()
        }
    }

    @Test("pieces are on their way at the same time, and the last one only after all others")
    func parallel() async throws {
        try await TestAccount.with { account in
            let meeting = Meeting(over: try CurlTransport(logger: silent), size: 3)
            let client = DropboxClient(
                configuration: DropboxConfiguration(
                    hosts: try DropboxHosts(endpoint: account.server.baseURL)),
                tokens: FixedAccessToken(AccessToken("token")), transport: meeting, logger: silent)
            let bytes = pattern(12 << 20 | 5)
            // None of the first three is sent on before all of them are there.
            let file = try await client.files.upload(
                .init(path: "/stream"), chunks: stream(bytes), pieceSize: 4 << 20, concurrency: 3)
            #expect(file.contentHash == ContentHasher.hash(bytes))
            #expect(meeting.most == 3)
            await client.shutDown()
            await meeting.shutDown()
        }
    }

    @Test("a stream that fails late makes no file, and neither does a piece that is refused")
    func failures() async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted()
            let error = await #expect(throws: StreamUploadError<any Error>.self) {
                try await client.files.upload(
                    .init(path: "/a"), chunks: stream(pattern(13 << 20), failing: true),
                    pieceSize: 4 << 20)
            }
            guard case .source(let cause)? = error else { throw error ?? .source(Broken()) }
            #expect(cause is Broken)
            await client.shutDown()
            let (_, refused) = try account.scripted { request, count in
                request.label == append && count >= 1
                    ? .json(#"{"error":{".tag":"not_found"}}"#, status: 409) : .pass
            }
            let refusal = await #expect(throws: StreamUploadError<any Error>.self) {
                try await refused.files.upload(
                    .init(path: "/b"), chunks: stream(pattern(13 << 20)), pieceSize: 4 << 20)
            }
            guard case .append(let call)? = refusal else { throw refusal ?? .source(Broken()) }
            #expect(call.routeError == .notFound)
            #expect(try await account.hashes().isEmpty)
            await refused.shutDown()
        }
    }

    @Test("cancelling the task ends all pieces")
    func cancel() async throws {
        try await TestAccount.with { account in
            let (begun, piece) = AsyncStream.makeStream(of: Void.self)
            let (_, client) = try account.scripted { request, _ in
                guard request.label == append else { return .pass }
                piece.yield()
                return .hang
            }
            let chunks = stream(pattern(30 << 20))
            let upload = Task {
                try await client.files.upload(.init(path: "/a"), chunks: chunks)
            }
            for await _ in begun { break }
            upload.cancel()
            await #expect {
                try await upload.value
            } throws: { error in
                (error as? any DropboxError)?.isCancellation ?? false
            }
            #expect(try await account.hashes().isEmpty)
            await client.shutDown()
        }
    }

    @Test("a stream that a cancelled task cuts off is not committed")
    func cut() async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let isFirst = Mutex(true)
            let chunks = AsyncStream<[UInt8]>(unfolding: {
                let first = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                if first { return [1, 2, 3, 4] }
                // Between two requests, so that none of them fails.
                withUnsafeCurrentTask { $0?.cancel() }
                return nil
            })
            let upload = Task {
                try await client.files.upload(
                    .init(path: "/a"), chunks: chunks, pieceSize: 4, concurrency: 1)
            }
            await #expect {
                try await upload.value
            } throws: { error in
                (error as? any DropboxError)?.isCancellation ?? false
            }
            #expect(transport.meter.requests == [start: 1, append: 1])
            #expect(try await account.hashes().isEmpty)
            await client.shutDown()
        }
    }
}

/// Holds appended pieces until so many are there, once, and counts how many there are at a time.
private final class Meeting: HTTPTransport {
    private struct State {
        var present = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let inner: any HTTPTransport
    private let size: Int
    private let state = Mutex(State())

    var most: Int { state.withLock { $0.most } }

    init(over inner: any HTTPTransport, size: Int) {
        self.inner = inner
        self.size = size
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.label == append else { return try await inner.send(request) }
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.present += 1
                state.most = max(state.most, state.present)
                state.waiting.append(continuation)
                guard state.most >= size else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in ready { continuation.resume() }
        }
        defer { state.withLock { $0.present -= 1 } }
        return try await inner.send(request)
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async { await inner.shutDown() }
}
