// Mocks: an app's code is answered by its test, in the forms of SwiftyDropbox.

import Foundation
import Testing

@testable import SwiftyDropbox

struct MockTests {
    @Test("a request waits for the test's answer, as a model or as JSON")
    func answers() async throws {
        let transport = MockDropboxTransportClient()
        let client = DropboxClient(transportClient: transport)
        async let first = client.files.getMetadata(path: "/a").response()
        let model = Files.FileMetadata(
            name: "name", id: "id:aaaaaaaaaaaaaaaaaaaaaa", clientModified: Date(),
            serverModified: Date(), rev: "123456789", size: 0)
        try await request(of: transport).handleMockInput(.success(model: model))
        #expect(try await first is Files.FileMetadata)

        let second = client.files.getMetadata(path: "/b")
        #expect(transport.getLastRequest()?.argument.members?["path"] == .str("/b"))
        let json: [String: Any] = [
            ".tag": "file", "id": "id:aaaaaaaaaaaaaaaaaaaaaa",
            "server_modified": "2023-12-15T13:43:32Z",
            "name": "name", "size": 0, "client_modified": "2023-12-15T13:43:32Z",
            "rev": "123456789",
            "is_downloadable": 1,
        ]
        try transport.getRequest(with: "get_metadata")?.handleMockInput(.success(json: json))
        #expect((try await second.response() as? Files.FileMetadata)?.isDownloadable == true)
    }

    private func request(of transport: MockDropboxTransportClient) async throws -> MockApiRequest {
        while true {
            if let request = transport.getLastRequest() { return request }
            await Task.yield()
        }
    }

    @Test("errors of the route, of the server and of this side are those that the test names")
    func errors() async throws {
        let (routes, transport) = MockingUtilities.makeMock(forType: FilesRoutes.self)
        let first = routes.getMetadata(path: "/a")
        try transport.getLastRequest()?.handleMockInput(
            .routeError(model: Files.GetMetadataError.path(.notFound)))
        guard
            case .routeError(let box, _, "error_summary", _) = await first.responseResult().failure,
            case .path(.notFound) = box.unboxed
        else {
            Issue.record("no route error")
            return
        }
        let second = routes.getMetadata(path: "/a")
        try transport.getLastRequest()?.handleMockInput(.requestError(json: [:], code: 500))
        guard case .internalServerError(500, _, _) = await second.responseResult().failure else {
            Issue.record("no server error")
            return
        }
        transport.mockRequestHandler = MockDropboxTransportClient.alwaysFailMockRequestHandler
        guard
            case .clientError(.other) = await routes.getMetadata(path: "/a").responseResult()
                .failure
        else {
            Issue.record("no client error")
            return
        }
    }

    @Test("a download gets the file of the test")
    func download() async throws {
        let (routes, transport) = MockingUtilities.makeMock(forType: FilesRoutes.self)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("source")
        try Data("x".utf8).write(to: source)
        let request = routes.downloadZip(
            path: "/a", destination: folder.appendingPathComponent("place"))
        let model = Files.DownloadZipResult(
            metadata: Files.FolderMetadata(name: "a", id: "id:aaaaaaaaaaaaaaaaaaaaaa"))
        try transport.getLastRequest()?.handleMockInput(
            .downloadSuccess(model: model, downloadLocation: source))
        let (result, place) = try await request.response()
        #expect(result.metadata.name == "a")
        #expect(try Data(contentsOf: place) == Data("x".utf8))
    }
}
