// Clients of several accounts over one transport: each has its own counts and its own end.

import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct SharedTransportTests {
    private static let space = [Step].json(
        #"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)
    private static let file =
        #"{"name":"n","id":"id:1","client_modified":"2015-05-12T15:50:38Z","#
        + #""server_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":8}"#

    private func client(
        _ server: ScriptedServer, _ transport: any HTTPTransport,
        _ observers: [any DropboxObserver] = []
    ) throws -> DropboxClient {
        DropboxClient(
            configuration: .init(
                hosts: try DropboxHosts(endpoint: server.url), observers: observers),
            tokens: FixedAccessToken(AccessToken("secret-token")), transport: transport,
            logger: silent)
    }

    private func kind(
        _ work: () async throws -> Void
    ) async -> TransportError.Kind? {
        do {
            try await work()
            return nil
        } catch let error as CallError<NoError> {
            guard case .transport(let failure) = error.kind else { return nil }
            return failure.kind
        } catch let error as CallError<Files.ListFolderLongpollError> {
            guard case .transport(let failure) = error.kind else { return nil }
            return failure.kind
        } catch {
            return (error as? CallError<Files.DownloadError>).flatMap { error in
                guard case .transport(let failure) = error.kind else { return nil }
                return failure.kind
            }
        }
    }

    @Test("each client's observers see its own bytes, and the transport's those of all")
    func counts() async throws {
        let server = try ScriptedServer { request in
            request.path.hasSuffix("get_space_usage") ? Self.space : .json("null")
        }
        defer { server.stop() }
        let (all, one, other) = (TrafficCounter(), TrafficCounter(), TrafficCounter())
        let transport = try TransportUnderTest(configuration: .init(observers: [all]))
        _ = try await client(server, transport, [one]).users.getSpaceUsage()
        _ = try await client(server, transport, [other]).upload(
            Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)),
            body: BytesBody([UInt8](repeating: 0, count: 1_000)))
        // The argument `null`, and the bytes of the answer.
        #expect(one.totals.bytesUp == 4)
        #expect(one.totals.bytesDown == 60)
        #expect(other.totals.bytesUp == 1_000)
        #expect(other.totals.bytesDown == 4)
        #expect(all.totals.bytesUp == 1_004)
        #expect(all.totals.bytesDown == 64)
        await transport.shutDown()
    }

    @Test("the end of one client ends its waiting calls, and no other's")
    func waiting() async throws {
        let server = try ScriptedServer { request in
            request.path.hasSuffix("get_space_usage") ? Self.space : [.awaitEnd]
        }
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let ending = try client(server, transport)
        let other = try client(server, transport)
        let waiting = Task {
            await kind { _ = try await ending.files.listFolderLongpoll(cursor: "c") }
        }
        _ = await server.nextRequest()
        await ending.shutDown()
        #expect(await waiting.value == .shutDown)
        #expect(await kind { _ = try await ending.users.getSpaceUsage() } == .shutDown)
        #expect(try await other.users.getSpaceUsage().used == 5)
        await transport.shutDown()
        #expect(await kind { _ = try await other.users.getSpaceUsage() } == .shutDown)
    }

    @Test("the end of a client ends the bodies that are read")
    func bodies() async throws {
        let head: [Step] = .answer(
            200, [("Dropbox-API-Result", Self.file), ("Content-Length", "8")], "half")
        let server = try ScriptedServer { request in
            request.path.hasSuffix("get_space_usage") ? Self.space : head + [.awaitEnd]
        }
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let ending = try client(server, transport)
        let other = try client(server, transport)
        let body = try await ending.files.download(path: "/a").body
        var chunks = body.makeAsyncIterator()
        #expect(try await chunks.next() == Array("half".utf8))
        await ending.shutDown()
        #expect(await kind { _ = try await chunks.next() } == .shutDown)
        #expect(await server.connectionEnds())
        #expect(try await other.users.getSpaceUsage().used == 5)
        await transport.shutDown()
    }
}
