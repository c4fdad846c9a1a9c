// The request of a call on the wire, and the result of its response.

import ContentHashing
import Foundation
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct RouteCallTests {
    @Test("a call of the rpc style is a POST of JSON with the token, and gives the decoded result")
    func rpc() async throws {
        let server = try ScriptedServer(answers: [
            .json(#"{"entries":[],"cursor":"c1","has_more":false,"new_field":[1,{"a":null}]}"#)
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let result = try await client.call(Files.listFolder, .init(path: "/a", limit: 7))
        #expect(result.cursor == "c1")
        #expect(!result.hasMore)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/2/files/list_folder")
        #expect(request.headers["authorization"] == "Bearer secret-token")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["user-agent"] == "test/1")
        #expect(request.headers["expect"] == nil)
        #expect(
            request.text
                == #"{"limit":7,"path":"/a"}"#)
    }

    @Test("a route without argument is called with null")
    func withoutArgument() async throws {
        let server = try ScriptedServer(answers: [
            .json(#"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)
        ])
        defer { server.stop() }
        let usage = try await DropboxClient.testing(server).call(Users.getSpaceUsage)
        #expect(usage.used == 5)
        #expect(usage.allocation == .individual(.init(allocated: 10)))
        #expect(server.requests.map(\.text) == ["null"])
    }

    @Test("a route without result accepts null and nothing")
    func withoutResult() async throws {
        let server = try ScriptedServer(answers: [.json("null"), .json("")])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        _ = try await client.call(Auth.tokenRevoke)
        _ = try await client.call(Auth.tokenRevoke)
        #expect(server.requests.map(\.path) == ["/2/auth/token/revoke", "/2/auth/token/revoke"])
    }

    @Test("longpoll carries no token, no path root and no member")
    func longpoll() async throws {
        let server = try ScriptedServer(answers: [.json(#"{"changes":true,"backoff":60}"#)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server).rooted(at: .root("123"))
            .acting(as: .teamMember("dbmid:1"))
        let result = try await client.call(
            Files.listFolderLongpoll, .init(cursor: "c", timeout: 480))
        #expect(result.changes)
        #expect(result.backoff == 60)
        let request = try #require(server.requests.first)
        #expect(request.path == "/2/files/list_folder/longpoll")
        #expect(request.headers["authorization"] == nil)
        #expect(request.headers["dropbox-api-path-root"] == nil)
        #expect(request.headers["dropbox-api-select-user"] == nil)
    }

    @Test(
        "path root, and the member or the administrator, travel as headers",
        arguments: [
            (Caller.user, nil, nil), (.teamMember("dbmid:1"), "dbmid:1", nil),
            (.teamAdmin("dbmid:2"), nil, "dbmid:2"),
        ])
    func selection(caller: Caller, member: String?, admin: String?) async throws {
        let server = try ScriptedServer(answers: [.json(#"{"result":"x"}"#)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server).rooted(at: .namespaceID("42"))
            .acting(as: caller)
        _ = try await client.call(Check.user, .init(query: "x"))
        let headers = try #require(server.requests.first?.headers)
        #expect(
            headers["dropbox-api-path-root"] == #"{".tag":"namespace_id","namespace_id":"42"}"#)
        #expect(headers["dropbox-api-select-user"] == member)
        #expect(headers["dropbox-api-select-admin"] == admin)
    }

    @Test("in the app's name no route of a user is called, and nothing is sent")
    func appCallsNoUser() async throws {
        let server = try ScriptedServer(answers: [.json(#"{"result":"x"}"#)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.app = .init(key: "k", secret: "s") }
            .acting(as: .app)
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await client.call(Check.user, .init(query: "x"))
        }
        guard case .badInput? = error?.kind else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(error?.mayHaveTakenEffect == false)
        #expect(server.requests.isEmpty)
        let route = Route<Check.EchoArg, Check.EchoResult, Check.EchoError>(
            "check/app", authentication: .app, isSafeToRepeat: true)
        _ = try await client.call(route, .init(query: "x"))
        #expect(server.requests.map(\.path) == ["/2/check/app"])
    }

    @Test("an upload sends its argument as an ASCII header and its content as the body")
    func upload() async throws {
        let server = try ScriptedServer(answers: [.json(Examples.file)])
        defer { server.stop() }
        let body = PatternBody(length: 300_000)
        let hash = body.hash
        let file = try await DropboxClient.testing(server).upload(
            Files.upload,
            .init(
                path: "/Ünï/😀\u{7F}.txt", mode: .update("a1c10ce0dd78"),
                clientModified: Timestamp("2015-05-12T15:50:38Z"), mute: true,
                strictConflict: true, contentHash: hash),
            body: body)
        #expect(file.rev == "a1c10ce0dd78")
        let request = try #require(server.requests.first)
        #expect(request.path == "/2/files/upload")
        #expect(request.headers["content-type"] == "application/octet-stream")
        #expect(request.bodyLength == 300_000)
        #expect(request.bodyHash == hash)
        #expect(
            request.headers["dropbox-api-arg"]
                == #"{"client_modified":"2015-05-12T15:50:38Z","content_hash":"#
                + #""\#(hash.hex)","mode":{".tag":"update","update":"a1c10ce0dd78"},"mute":true,"#
                + #""path":"/\u00dcn\u00ef/\ud83d\ude00\u007f.txt","strict_conflict":true}"#)
    }

    @Test("an upload without content sends an empty body of known length")
    func emptyUpload() async throws {
        let server = try ScriptedServer(answers: [.json(#"{"session_id":"s1"}"#)])
        defer { server.stop() }
        let result = try await DropboxClient.testing(server).call(
            Files.uploadSessionStart, .init(sessionType: .concurrent))
        #expect(result.sessionID == "s1")
        let request = try #require(server.requests.first)
        #expect(request.headers["content-length"] == "0")
        #expect(request.headers["content-type"] == "application/octet-stream")
        #expect(
            request.headers["dropbox-api-arg"]
                == #"{"session_type":{".tag":"concurrent"}}"#)
    }

    @Test("bodies from a file and from several parts arrive whole, at their offsets")
    func bodySources() async throws {
        let server = try ScriptedServer(answers: [.json("null")])
        defer { server.stop() }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "dropbox-api-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
        try Data(bytes).write(to: path)
        let handle = try FileHandle(forReadingFrom: path)
        let file = try FileBody(
            descriptor: handle.fileDescriptor, start: 1_000, length: 2_000_000)
        try handle.close()
        let body = ConcatenatedBody([
            BytesBody([]), BytesBody([1, 2, 3]), file, BytesBody([]), BytesBody([9]),
        ])
        let whole = [1, 2, 3] + bytes[1_000..<2_001_000] + [9]
        _ = try await DropboxClient.testing(server).upload(
            Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)), body: body
        )
        let request = try #require(server.requests.first)
        #expect(request.bodyLength == whole.count)
        #expect(request.bodyHash == ContentHasher.hash(whole))
    }

    @Test("a body of a local file is named by its path or its URL, and only a regular file is one")
    func namedFiles() async throws {
        let server = try ScriptedServer(answers: [.json("null"), .json("null")])
        defer { server.stop() }
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("dropbox-api ü \(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
        try Data(bytes).write(to: file)
        for body in [try FileBody(path: file.path), try FileBody(url: file)] {
            _ = try await DropboxClient.testing(server).upload(
                Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)),
                body: body)
        }
        #expect(server.requests.map(\.bodyLength) == [bytes.count, bytes.count])
        #expect(server.requests.allSatisfy { $0.bodyHash == ContentHasher.hash(bytes) })
        #expect(try LocalFile(file).path == file.path)

        #expect(throws: LocalFile.Failure.notRegular) { try FileBody(path: folder.path) }
        #expect(throws: LocalFile.Failure.system(errno: ENOENT)) {
            try FileBody(path: file.path + "-")
        }
        let page = try #require(URL(string: "https://app.example/a"))
        #expect(throws: LocalFile.Failure.notFileURL) { try FileBody(url: page) }
        #expect(throws: LocalFile.Failure.notFileURL) { try LocalFile(page) }
    }

    @Test("bodies that claim more bytes than there can be are refused or cut, and end no process")
    func hugeBodies() throws {
        struct Endless: BodySource {
            var length: UInt64 { .max }
            func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
                buffer.count
            }
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        let body = ConcatenatedBody([BytesBody([1]), Endless(), Endless()])
        #expect(body.length == .max)
        let count = try bytes.withUnsafeMutableBytes { try body.read(at: .max - 1, into: $0) }
        #expect(count > 0)
        let descriptor = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let file = try FileBody(descriptor: descriptor, start: .max, length: .max)
        #expect(throws: FileBody.ReadError(errno: EINVAL)) {
            try bytes.withUnsafeMutableBytes { try file.read(at: 5, into: $0) }
        }
    }

    @Test("a body that ends before its length fails the call and nothing is sent twice")
    func shortBody() async throws {
        struct Short: BodySource {
            var length: UInt64 { 2_000_000 }
            func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
                offset < 1_000_000 ? min(buffer.count, Int(1_000_000 - offset)) : 0
            }
        }
        let server = try ScriptedServer(answers: [.json("null")])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let error = await #expect(throws: CallError<Files.UploadSessionAppendError>.self) {
            try await client.upload(
                Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)),
                body: Short())
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .bodySource)
        #expect(server.requests.isEmpty)
    }

    @Test("an argument cannot smuggle headers into a request")
    func headerInjection() async throws {
        let server = try ScriptedServer(answers: [.json("null")])
        defer { server.stop() }
        let tokens = FixedAccessToken(AccessToken(" a\r\nX-Evil: 1 "))
        let client = try DropboxClient.testing(server, tokens: tokens)
        let error = await #expect(throws: CallError<NoError>.self) {
            try await client.call(Auth.tokenRevoke)
        }
        #expect(server.requests.isEmpty)
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .invalidRequest)
    }
}
