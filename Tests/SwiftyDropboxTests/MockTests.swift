// Mocks: an app's code is answered by its test, in the forms of SwiftyDropbox.

import Foundation
import Synchronization
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

    @Test("what an app's handler does is done when the test has answered")
    func answersInPlace() throws {
        let (routes, transport) = MockingUtilities.makeMock(forType: CheckRoutes.self)
        var results: [String?] = []
        routes.user(query: "a").response { result, _ in results.append(result?.result) }
        #expect(results.isEmpty)
        try transport.getLastRequest()?.handleMockInput(.success(json: ["result": "a"]))
        #expect(results == ["a"])
        transport.mockRequestHandler = { request in
            try? request.handleMockInput(
                .requestError(model: Auth.AuthError.expiredAccessToken, code: 401))
        }
        let errors = Mutex(0)
        let queue = OperationQueue()
        let key = GlobalErrorResponseHandler.shared.registerGlobalErrorHandler(
            { error in
                if case .authError(.expiredAccessToken, _, _, _) = error {
                    errors.withLock { $0 += 1 }
                }
            }, queue: queue)
        routes.user(query: "b").response { result, _ in results.append(result?.result) }
        GlobalErrorResponseHandler.shared.deregisterGlobalErrorHandler(key: key)
        queue.waitUntilAllOperationsAreFinished()
        #expect(results == ["a", nil])
        #expect(errors.withLock { $0 } >= 1)
    }

    @Test("the namespaces of clients can be unwrapped, as programs for Apple's systems do")
    func namespaces() throws {
        let transport = MockDropboxTransportClient()
        let user: DropboxClient? = DropboxClient(transportClient: transport)
        let team: DropboxTeamClient? = DropboxTeamClient(transportClient: transport)
        // swift-format-ignore: NeverForceUnwrap
        let files: FilesRoutes? = user?.files!
        // swift-format-ignore: NeverForceUnwrap
        let members: TeamRoutes? = team?.team!
        #expect(files != nil && members != nil)
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
