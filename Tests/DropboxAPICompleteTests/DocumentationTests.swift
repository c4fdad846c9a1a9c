// The examples of docs/dropbox-api.md, so that they stay true.

import DropboxAPIComplete
import Foundation
import Testing

struct DocumentationTests {
    @Test("the calls of the documentation work as they stand there")
    func calls() async throws {
        let client = DropboxClient(
            tokens: FixedAccessToken(AccessToken("token")),
            transport: AnsweringTransport(try RouteDocument.all()))

        let entry = try await client.files.getMetadata(path: "/a.txt")
        guard case .file(let file) = entry else { return #expect(Bool(false), "\(entry)") }
        #expect(file.size > 0)

        let links = try await client.sharing.listSharedLinks(path: "/a.txt", directOnly: true)
        #expect(!links.links.isEmpty)

        let same = try await client.call(Files.getMetadata, .init(path: "/a.txt"))
        #expect(same == entry)

        let download = try await client.files.download(
            path: "/a.txt", options: CallOptions(comparesHashes: false))
        var count = 0
        for try await chunk in download.body { count += chunk.count }
        #expect(count == Int(download.result.size))
    }

    @Test("errors are told apart as the documentation does it")
    func errors() async throws {
        let answer =
            #"{"error":{".tag":"path_write","path_write":{".tag":"conflict","conflict":{".tag":"folder"}}}}"#
        let client = DropboxClient(
            tokens: FixedAccessToken(AccessToken("token")),
            transport: RefusingTransport(json: answer))
        do {
            _ = try await client.files.deleteV2(path: "/a.txt")
            Issue.record("no error")
        } catch {
            switch error.kind {
            case .route(.pathLookup(.notFound), _): Issue.record("another error")
            case .route(let failure, _): #expect(failure.tagPath == "path_write/conflict/folder")
            default: Issue.record("\(error.summary)")
            }
        }
    }
}

/// Answers every request with an error of the route.
private struct RefusingTransport: HTTPTransport {
    let json: String

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        TransportResponse(status: 409, headers: [:], body: ResponseBody(Chunk(Array(json.utf8))))
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}
}
