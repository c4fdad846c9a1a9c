// Files made of streams: all bytes arrive once, also when answers are lost.

import DropboxAPIComplete
import Foundation
import Testing

struct StreamUploadTests {
    private func client(_ server: SessionServer) -> DropboxClient {
        let policy = RetryPolicy(firstFaultDelay: .zero, longestFaultDelay: .zero)
        return DropboxClient(
            configuration: DropboxConfiguration(retryPolicy: policy),
            tokens: FixedAccessToken(AccessToken("token")), transport: server)
    }

    private func stream(_ chunks: [[UInt8]], failing: Bool = false) -> AsyncThrowingStream<
        [UInt8], any Error
    > {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: failing ? CocoaError(.fileReadUnknown) : nil)
        }
    }

    @Test(
        "chunks of any size arrive as one file, in pieces of one size, whichever answers are lost",
        arguments: [[], [1], [2, 3, 4]])
    func arrives(lost: [Int]) async throws {
        let chunks: [[UInt8]] = [[1], [], Array(2...9), Array(10...30)]
        let server = SessionServer(losingAnswers: Set(lost))
        let file = try await client(server).files.upload(
            .init(path: "/a"), chunks: stream(chunks), pieceSize: 8, concurrency: 1)
        #expect(file.size == 30)
        #expect(await server.content == Array(1...30))
        #expect(await server.pieces == [8, 8, 8, 6])
    }

    @Test("a file of no bytes is a file")
    func empty() async throws {
        let server = SessionServer(losingAnswers: [])
        #expect(
            try await client(server).files.upload(.init(path: "/a"), chunks: stream([])).size == 0)
    }

    @Test("a stream that fails makes no file, and says why")
    func failure() async throws {
        let server = SessionServer(losingAnswers: [])
        await #expect {
            try await client(server).files.upload(
                .init(path: "/a"), chunks: stream([[1]], failing: true))
        } throws: { error in
            guard case .source(let cause)? = error as? StreamUploadError<any Error> else {
                return false
            }
            return cause is CocoaError
        }
        #expect(await !server.isFinished)
    }
}

/// Dropbox's side of one upload session.
private actor SessionServer: HTTPTransport {
    private(set) var content: [UInt8] = []
    private(set) var pieces: [Int] = []
    private(set) var isFinished = false
    /// Requests, by number, that are carried out and not answered.
    private let lost: Set<Int>
    private var count = 0

    init(losingAnswers lost: Set<Int>) {
        self.lost = lost
    }

    private struct Argument: Decodable {
        struct Cursor: Decodable {
            let offset: Int
        }

        let cursor: Cursor?
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let number = count
        count += 1
        let (status, json) = answer(to: request)
        if lost.contains(number) {
            throw TransportError(kind: .reset, message: "lost", mayHaveBeenReceived: true)
        }
        return TransportResponse(
            status: status, headers: [:], body: ResponseBody(Chunk(Array(json.utf8))))
    }

    private func answer(to request: TransportRequest) -> (status: Int, json: String) {
        let header = request.headers["Dropbox-API-Arg"] ?? ""
        let argument = try? JSONDecoder().decode(Argument.self, from: Data(header.utf8))
        switch request.label {
        case "files/upload_session/start": return (200, #"{"session_id":"s"}"#)
        case "files/upload_session/append_v2":
            guard argument?.cursor?.offset == content.count else {
                return (
                    409,
                    #"{"error":{".tag":"incorrect_offset","correct_offset":\#(content.count)}}"#
                )
            }
            var bytes = [UInt8](repeating: 0, count: Int(request.body?.length ?? 0))
            _ = try? bytes.withUnsafeMutableBytes { try request.body?.read(at: 0, into: $0) }
            content += bytes
            pieces.append(bytes.count)
            return (200, "null")
        default:
            isFinished = true
            return (
                200,
                """
                {"name":"a","id":"id:1","client_modified":"2015-05-12T15:50:38Z",
                "server_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":\(content.count)}
                """
            )
        }
    }

    nonisolated func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}
}
