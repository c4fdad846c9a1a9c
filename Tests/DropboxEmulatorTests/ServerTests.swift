// The emulator over real sockets, as a client meets it; the scripts in Tests/clients go further.

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import DropboxEmulator

@Suite("The server")
struct ServerTests {
    @Test(
        "another address than this machine's is refused",
        arguments: [
            "0.0.0.0", "::", "example.com", "192.168.0.1", "128.0.0.1", "127.0.0.1.example.com",
            "::ffff:0.0.0.0", "0", "",
        ])
    func loopback(host: String) async throws {
        let server = EmulatorServer(
            configuration: .init(stateFolder: "/nonexistent", host: host))
        await #expect(throws: EmulatorError.self) { try await server.start() }
    }

    @Test(
        "a request that a page of the web may send through a user's browser is refused, and changes nothing",
        arguments: [
            (["Host": "evil.example"], 403), (["Host": "127.0.0.1.evil.example"], 403),
            (["Host": "127.0.0.1:80:80"], 403), (["Host": "0.0.0.0"], 403),
            (["Origin": "http://evil.example", "Content-Type": "text/plain"], 403),
            (["Origin": "null"], 403), (["Origin": "http://localhost:1"], 403),
            (["Host": "localhost:1234"], 200), (["Host": "[::1]"], 200),
            (["Host": "127.0.0.2:5"], 200), (["Host": "api.dropboxapi.com"], 200),
            (["Host": "api.dropboxapi.com", "Origin": "https://www.dropbox.com"], 403),
            (["Host": "api.dropboxapi.com.evil.example"], 403),
            (["Host": "localhost:7", "Origin": "http://localhost:7"], 200),
        ])
    func strangers(headers: [String: String], status: Int) async throws {
        try await withEmulator { client in
            let lines = headers.map { "\($0): \($1)\r\n" }.joined()
            let host = headers["Host"] == nil ? "Host: 127.0.0.1\r\n" : ""
            let body = #"{"token":"theirs"}"#
            let port = try #require(URL(string: client.emulator.baseURL)?.port)
            let answer = try await RawSocket.exchange(
                "POST /admin/tokens HTTP/1.1\r\n\(host)\(lines)Connection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", port: UInt16(port))
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            var theirs = client
            theirs.token = "theirs"
            let use = try await theirs.send("users/get_current_account")
            #expect((use.status == 200) == (status == 200))
        }
    }

    @Test("an uploaded file is downloaded, listed and counted")
    func roundTrip() async throws {
        try await withEmulator { client in
            let file = try await client.upload("hello", to: "/Tëst/hello.txt")
            #expect(file["size"] == 5)
            let download = try await client.send(
                "files/download", argument: ["path": file["id"] ?? .null], body: [],
                headers: ["Range": "bytes=1-2"])
            #expect(download.status == 206)
            #expect(download.body == Data("el".utf8))
            let listing = try await client.call(
                "files/list_folder", ["path": "", "recursive": true])
            #expect(listing["entries"]?.array?.count == 2)
            let routes = client.emulator.statistics["routes"]
            #expect(routes?["files/upload"]?["bytes_in"] == 5)
            #expect(routes?["files/download"]?["bytes_out"] == 2)
        }
    }

    @Test("a session started before a restart is finished after it")
    func sessionAcrossRestart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = EmulatorServer(configuration: .init(stateFolder: folder.path))
        let first = try await server.start()
        let before = EmulatorClient(emulator: first)
        let started = try await before.send(
            "files/upload_session/start", argument: [:], body: Array("first ".utf8))
        let session = try #require(try JSONParser.parse(started.body)["session_id"])
        let listing = try await before.call("files/list_folder", ["path": ""])
        await first.stop()

        let second = try await server.start()
        let after = EmulatorClient(emulator: second)
        let finished = try await after.send(
            "files/upload_session/finish",
            argument: [
                "cursor": ["session_id": session, "offset": 6], "commit": ["path": "/f"],
            ], body: Array("second".utf8))
        let metadata = try JSONParser.parse(finished.body)
        #expect(metadata["content_hash"] == .string(TreeFixture.content("first second").hash.hex))
        let news = try await after.call(
            "files/list_folder/continue", ["cursor": listing["cursor"] ?? .null])
        #expect(news["entries"]?[0]?["name"] == "f")
        await second.stop()
    }

    @Test("a longpoll wakes at a change by another client, and needs no token")
    func longpoll() async throws {
        try await withEmulator { client in
            try client.emulator.makeToken("second")
            let latest = try await client.call(
                "files/list_folder/get_latest_cursor", ["path": ""])
            let argument: JSONValue = ["cursor": latest["cursor"] ?? .null, "timeout": 480]
            async let poll = client.send(
                "files/list_folder/longpoll", argument: argument, headers: ["Authorization": ""])
            var other = client
            other.token = "second"
            _ = try await other.upload("x", to: "/news")
            let response = try await poll
            #expect(response.status == 200)
            #expect(try JSONParser.parse(response.body)["changes"] == true)
        }
    }

    @Test("a fault before the change leaves nothing, one after it leaves the change")
    func resets() async throws {
        try await withEmulator { client in
            for kind in ["reset_before", "reset_after"] {
                try client.emulator.addFault([
                    "route": "files/create_folder_v2", "kind": .string(kind), "count": 1,
                ])
                await #expect(throws: URLError.self) {
                    try await client.call(
                        "files/create_folder_v2", ["path": .string("/\(kind)")])
                }
            }
            let listing = try await client.call("files/list_folder", ["path": ""])
            let names = listing["entries"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == ["reset_after"])
        }
    }

    @Test("stopping ends longpolls at once")
    func stopping() async throws {
        try await withEmulator { client in
            let latest = try await client.call(
                "files/list_folder/get_latest_cursor", ["path": ""])
            let poll = Task {
                try await client.call(
                    "files/list_folder/longpoll",
                    ["cursor": latest["cursor"] ?? .null, "timeout": 480])
            }
            try await waitWhile {
                client.emulator.statistics["routes"]?["files/list_folder/longpoll"] == nil
            }
            await client.emulator.stop()
            _ = await poll.result
        }
    }

    @Test("stopping while others connect ends no process")
    func stoppingWhileOthersConnect() async throws {
        for _ in 0..<10 {
            try await withEmulator { client in
                let port = try #require(UInt16(exactly: client.emulator.port))
                let opened = Counter()
                let note = { @Sendable in _ = opened.increment() }
                async let first: Void = RawSocket.knock(port: port, opened: note)
                async let second: Void = RawSocket.knock(port: port, opened: note)
                try await waitWhile { opened.count < 100 }
                await client.emulator.stop()
                _ = await (first, second)
            }
        }
    }

    @Test("the sample is there, once")
    func sample() async throws {
        try await withEmulator { client in
            try client.emulator.fillWithSample()
            try client.emulator.fillWithSample()
            let welcome = try await client.send(
                "files/download", argument: ["path": "/Welcome.md"], body: [])
            #expect(String(decoding: welcome.body, as: UTF8.self).hasPrefix("# Welcome"))
            let photos = try await client.call("files/list_folder", ["path": "/Photos"])
            #expect(photos["entries"]?.array?.count == 3)
        }
    }
}
