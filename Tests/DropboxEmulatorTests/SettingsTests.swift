// The effects of the settings: late longpolls, late commits, ids that are not for writing.

import Foundation
import TestSupport
import Testing

@testable import DropboxEmulator

@Suite("Settings")
struct SettingsTests {
    @Test("a longpoll tells of a change as late as it is set to, and a listing at once")
    func longpollDelay() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings(["longpoll_delay_ms": 3_600_000])
            let latest = try await client.call(
                "files/list_folder/get_latest_cursor", ["path": ""])
            _ = try await client.upload("x", to: "/late")
            let news = try await client.call(
                "files/list_folder/continue", ["cursor": latest["cursor"] ?? .null])
            #expect(news["entries"]?[0]?["name"] == "late")
            let cursor = news["cursor"] ?? .null
            try client.emulator.updateSettings(["longpoll_delay_ms": 700])
            let start = ContinuousClock.now
            _ = try await client.upload("x", to: "/later")
            let response = try await client.call(
                "files/list_folder/longpoll", ["cursor": cursor, "timeout": 30])
            #expect(response["changes"] == true)
            #expect(start.duration(to: .now) >= .milliseconds(700))
        }
    }

    @Test("a longpoll that ends before a late change is visible says that there is none")
    func longpollEnds() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings([
                "longpoll_delay_ms": 3_600_000, "longpoll_timeout_ms": 50,
            ])
            let latest = try await client.call(
                "files/list_folder/get_latest_cursor", ["path": ""])
            _ = try await client.upload("x", to: "/late")
            let response = try await client.call(
                "files/list_folder/longpoll", ["cursor": latest["cursor"] ?? .null])
            #expect(response["changes"] == false)
        }
    }

    @Test("a call that is carried out late is carried out although its client has gone")
    func lateCommit() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings([
                "latency_after_ms": ["files/upload": 3000, "files/create_folder_v2": 3000]
            ])
            for route in ["files/upload", "files/create_folder_v2"] {
                let call = Task {
                    if route == "files/upload" {
                        _ = try await client.upload("content", to: "/files/upload")
                    } else {
                        _ = try await client.call(route, ["path": .string("/\(route)")])
                    }
                }
                try await waitWhile { client.emulator.emulator.deferred.count == 0 }
                call.cancel()
                await #expect(throws: (any Error).self) { try await call.value }
                let lookup: JSONValue = ["path": .string("/\(route)")]
                let before = try await client.send("files/get_metadata", argument: lookup)
                // A machine that is too busy to ask in time has nothing to compare.
                #expect(before.status == 409 || client.emulator.emulator.deferred.count == 0)
                try await waitWhile { client.emulator.emulator.deferred.count > 0 }
                let after = try await client.send("files/get_metadata", argument: lookup)
                #expect(after.status == 200)
            }
        }
    }

    @Test("latency comes before the change")
    func latency() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings(["latency_ms": ["files/create_folder_v2": 3000]])
            let start = ContinuousClock.now
            let call = Task { try await client.call("files/create_folder_v2", ["path": "/f"]) }
            try await waitWhile {
                client.emulator.statistics["routes"]?["files/create_folder_v2"] == nil
            }
            let before = try await client.send("files/get_metadata", argument: ["path": "/f"])
            #expect(
                before.status == 409 || start.duration(to: .now) >= .milliseconds(3000))
            _ = try await call.value
            let after = try await client.send("files/get_metadata", argument: ["path": "/f"])
            #expect(after.status == 200)
        }
    }

    @Test("an emulator that stops does not wait for deferred calls")
    func stopping() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings(["latency_after_ms": 3_600_000])
            let call = Task { try await client.upload("x", to: "/f") }
            try await waitWhile { client.emulator.emulator.deferred.count == 0 }
            await client.emulator.stop()
            _ = await call.result
        }
    }

    @Test("where ids are refused, writes by id fail in the union of their route, and reads do not")
    func refusedIDs() async throws {
        try await withEmulator { client in
            let file = try await client.upload("x", to: "/f")
            let folder = try await client.call("files/create_folder_v2", ["path": "/d"])
            let id = file["id"] ?? .null
            try client.emulator.updateSettings(["refuse_ids": true])
            let refusals: [(String, JSONValue, String)] = [
                ("files/delete_v2", ["path": id], "path_lookup/malformed_path"),
                (
                    "files/move_v2", ["from_path": id, "to_path": "/g"],
                    "from_lookup/malformed_path"
                ),
                (
                    "files/copy_v2", ["from_path": id, "to_path": "/g"],
                    "from_lookup/malformed_path"
                ),
                ("files/copy_v2", ["from_path": "/f", "to_path": id], "to/malformed_path"),
            ]
            for (route, argument, summary) in refusals {
                let response = try await client.call(route, argument)
                #expect(response["error_summary"] == .string(summary + "/.."))
            }
            let upload = try await client.send(
                "files/upload", argument: ["path": id, "mode": "overwrite"], body: [1])
            let error = try JSONParser.parse(upload.body)["error"]
            #expect(error?["reason"]?[".tag"] == "malformed_path")
            let batch = try await client.call(
                "files/move_batch_v2", ["entries": [["from_path": id, "to_path": "/g"]]])
            let failure = batch["entries"]?[0]?["failure"]?["relocation_error"]
            #expect(failure?["from_lookup"]?[".tag"] == "malformed_path")
            let job = try await client.call("files/delete_batch", ["entries": [["path": id]]])
            let deletions = try await client.call(
                "files/delete_batch/check", ["async_job_id": job["async_job_id"] ?? .null])
            let deletion = deletions["entries"]?[0]?["failure"]?["path_lookup"]
            #expect(deletion?[".tag"] == "malformed_path")

            let found = try await client.call("files/get_metadata", ["path": id])
            #expect(found["id"] == id)
            let listing = try await client.send(
                "files/list_folder", argument: ["path": folder["metadata"]?["id"] ?? .null])
            #expect(listing.status == 200)
            try client.emulator.updateSettings(["refuse_ids": false])
            let moved = try await client.call(
                "files/move_v2", ["from_path": id, "to_path": "/g"])
            #expect(moved["metadata"]?["name"] == "g")
        }
    }

    @Test("the log of requests has their callers, and the answers")
    func requestLog() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "log").path
        let server = EmulatorServer(
            configuration: .init(
                stateFolder: folder.appending(path: "state").path, requestLog: log))
        let emulator = try await server.start()
        _ = try await EmulatorClient(emulator: emulator).upload("x", to: "/f")
        await emulator.stop()
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(
            lines.first?.hasSuffix(##"#1 > emulator-token files/upload {"path": "/f"}"##) == true)
        #expect(lines.last?.contains("#1 < files/upload 200 {") == true)
    }
}
