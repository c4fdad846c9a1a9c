// Every route, called: where the request goes, who it comes from, and that argument and result stay
// what they are.

import Foundation
import Testing

@testable import DropboxAPIComplete

struct WireTests {
    private static let app = AppCredentials(key: "key", secret: "secret")

    private func client(_ transport: any HTTPTransport) -> DropboxClient {
        DropboxClient(
            configuration: DropboxConfiguration(app: Self.app),
            tokens: FixedAccessToken(AccessToken("token")), transport: transport)
    }

    @Test("every route sends its argument to its address and reads its result")
    func everyRoute() async throws {
        let documents = try RouteDocument.all()
        #expect(allRoutes.count > 270)
        for route in allRoutes {
            let document = try #require(documents[route.name], "\(route.name)")
            for argument in [document.argument, document.everyField] {
                let transport = AnsweringTransport(documents)
                let result = try await route.call(client(transport), argument)
                let request = try #require(await transport.last)
                #expect(request.url == "https://\(route.hostName)/2/\(route.name)")
                #expect(request.headers["Authorization"] == route.authorization, "\(route.name)")
                #expect(try isEqual(request.argument(route.style), argument), "\(route.name)")
                #expect(try isEqual(result, document.result), "\(route.name)")
                #expect(
                    !request.mayBeSentTwice || route.isSafeToRepeat, "\(route.name)")
            }
        }
    }

    /// Run by Tests/clients/sdk_requests.py, which names the address: what arrives there is read by
    /// the official SDK.
    @Test(
        "every route is called over a network",
        .enabled(if: ProcessInfo.processInfo.environment["REQUEST_RECORDER"] != nil))
    func recorded() async throws {
        let address = try #require(ProcessInfo.processInfo.environment["REQUEST_RECORDER"])
        let client = try DropboxClient(
            configuration: DropboxConfiguration(
                hosts: try DropboxHosts(endpoint: address), app: Self.app),
            accessToken: "token")
        let documents = try RouteDocument.all()
        for route in allRoutes {
            let document = try #require(documents[route.name])
            for argument in [document.argument, document.everyField] {
                let result = try await route.call(client, argument)
                #expect(try isEqual(result, document.result), "\(route.name)")
            }
        }
        await client.shutDown()
    }

    @Test("the methods of a namespace take the fields of the argument")
    func methods() async throws {
        let transport = AnsweringTransport(try RouteDocument.all())
        let client = client(transport)
        let entry = try await client.files.getMetadata(path: "/a", includeDeleted: true)
        #expect(entry.pathLower == "/homework/math/prime_numbers.txt")
        var request = try #require(await transport.last)
        #expect(
            try isEqual(
                request.argument(.rpc), Data(#"{"path":"/a","include_deleted":true}"#.utf8)))

        try await client.auth.tokenRevoke()
        request = try #require(await transport.last)
        #expect(try isEqual(request.argument(.rpc), Data("null".utf8)))

        let file = try await client.files.download(
            path: "/a", options: CallOptions(comparesHashes: false))
        #expect(try await file.body.collect(upTo: 1 << 20).count == Int(file.result.size))

        _ = try await client.files.upload(
            path: "/a", mode: .update("a1c10ce0dd78"), body: BytesBody([1, 2, 3]))
        request = try #require(await transport.last)
        #expect(request.body?.length == 3)
        #expect(
            try isEqual(
                request.argument(.upload),
                Data(#"{"path":"/a","mode":{".tag":"update","update":"a1c10ce0dd78"}}"#.utf8)))
    }

    @Test("a route that the user or the app may call is called by whom the client says")
    func actingAsApp() async throws {
        let transport = AnsweringTransport(try RouteDocument.all())
        let member = client(transport).acting(as: .teamMember("dbmid:1"))
        let route = try #require(allRoutes.first { $0.authentication == .userOrApp })
        let document = try #require(RouteDocument.all()[route.name])
        _ = try await route.call(member, document.argument)
        #expect(await transport.last?.headers["Authorization"] == "Bearer token")
        #expect(await transport.last?.headers["Dropbox-API-Select-User"] == "dbmid:1")
        _ = try await route.call(member.acting(as: .app), document.argument)
        #expect(await transport.last?.headers["Authorization"] == "Basic a2V5OnNlY3JldA==")
        #expect(await transport.last?.headers["Dropbox-API-Select-User"] == nil)
    }

    @Test("calls of the team select no member, and calls of the app need its secret")
    func teamAndApp() async throws {
        let transport = AnsweringTransport(try RouteDocument.all())
        let client = DropboxClient(
            tokens: FixedAccessToken(AccessToken("token")), transport: transport
        ).acting(as: .teamAdmin("dbmid:1"))
        _ = try await client.team.groupsList(limit: 5)
        #expect(await transport.last?.headers["Authorization"] == "Bearer token")
        #expect(await transport.last?.headers["Dropbox-API-Select-Admin"] == nil)
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await client.check.app(query: "a")
        }
        guard case .token(.missing)? = error?.kind else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }
}

extension RouteProbe {
    fileprivate var hostName: String {
        switch host {
        case .api: "api.dropboxapi.com"
        case .content: "content.dropboxapi.com"
        case .notify: "notify.dropboxapi.com"
        }
    }

    fileprivate var authorization: String? {
        switch authentication {
        case .user, .team, .userOrApp: "Bearer token"
        case .app: "Basic a2V5OnNlY3JldA=="
        case .none: nil
        }
    }
}

extension TransportRequest {
    /// The argument as it was sent.
    fileprivate func argument(_ style: RouteStyle) throws -> Data {
        guard style == .rpc else { return Data((headers["Dropbox-API-Arg"] ?? "").utf8) }
        let source = try #require(body)
        var bytes = [UInt8](repeating: 0, count: Int(source.length))
        let count = try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        #expect(count == bytes.count)
        return Data(bytes)
    }
}
