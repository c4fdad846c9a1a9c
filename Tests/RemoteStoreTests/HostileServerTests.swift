// Invalid answers of a server are refused and counted, never believed, never a crash.

import ContentHashing
import Core
import DropboxAPI
import DropboxAPITesting
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("A server that lies")
struct HostileServerTests {
    private static let long = String(repeating: "x", count: 256)
    private static let deep = String(repeating: "/d", count: MetadataReader.maximumDepth + 1)

    /// Entries of which nothing sensible can be made.
    static let nonsense: [String] = [
        fileJSON(["name": "\"..\"", "path_lower": "\"/..\""]),
        fileJSON(["name": "\".\"", "path_lower": "\"/.\""]),
        fileJSON(["name": "\"\"", "path_lower": "\"/\""]),
        fileJSON(["name": "\"a/b\"", "path_lower": "\"/a/b\""]),
        fileJSON(["name": "\"nul\\u0000\"", "path_lower": "\"/nul\\u0000\""]),
        fileJSON(["name": "\"\(long)\"", "path_lower": "\"/\(long)\""]),
        fileJSON(["name": "\"d\"", "path_lower": "\"\(deep)\""]),
        // A slash and a combining mark are one character, and still two names.
        fileJSON(["name": "\"\\u0301\"", "path_lower": "\"/../\\u0301\""]),
        fileJSON(["path_lower": "\"/../file.txt\""]),
        fileJSON(["path_lower": "\"/a//file.txt\""]),
        fileJSON(["path_lower": "\"/a/./file.txt\""]),
        fileJSON(["path_lower": "\"file.txt\""]),
        fileJSON(["path_lower": "\"/file.txt/\""]),
        fileJSON(["path_lower": "\"/other.txt\""]),
        fileJSON(["path_lower": "\"/File.txt\""]),
        fileJSON(["path_lower": "null"]),
        fileJSON(["path_lower": absent]),
        fileJSON(["name": absent]),
        fileJSON(["name": "7"]),
        fileJSON(["size": "-1"]),
        fileJSON(["size": "18446744073709551615"]),
        fileJSON(["size": "9223372036854775807"]),
        fileJSON(["size": "1125899906842624"]),
        fileJSON(["size": "4398046511105"]),
        fileJSON(["size": "1e300"]),
        fileJSON(["size": "1.5"]),
        fileJSON(["size": "\"4\""]),
        fileJSON(["size": absent]),
        fileJSON(["content_hash": "\"abc\""]),
        fileJSON(["content_hash": "\"\(String(repeating: "zz", count: 32))\""]),
        fileJSON(["id": "\"\""]),
        fileJSON(["id": "\"id:a\\nb\""]),
        fileJSON(["id": "\"\(String(repeating: "i", count: 5000))\""]),
        fileJSON(["rev": "\"\""]),
        fileJSON(["rev": absent]),
        fileJSON(["client_modified": "\"yesterday\""]),
        fileJSON([".tag": "\"wormhole\""]),
        fileJSON([".tag": absent]),
        fileJSON(["symlink_info": "{\"target\": \"\(String(repeating: "t", count: 4096))\"}"]),
        fileJSON(["symlink_info": "{\"target\": \"nul\\u0000\"}"]),
        "null", "7", "[]", "\"text\"", "{}",
    ]

    @Test(
        "A nonsensical entry is refused and counted, and the rest of the page kept",
        arguments: nonsense)
    func nonsenseInListing(_ entry: String) async throws {
        let good = fileJSON(["name": "\"Good\"", "path_lower": "\"/good\"", "id": "\"id:good\""])
        let store = ScriptedTransport(json: pageJSON([entry, good])).store()
        let page = try await store.list(.root, recursive: true)
        #expect(page.entries.map(\.foldedPath) == ["/good"])
        #expect(page.refusedCount == 1)
        #expect(store.refusedEntryCount == 1)
        let delta = try await store.list(after: Core.Cursor("old"))
        #expect(delta.refusedCount == 1)
        #expect(store.refusedEntryCount == 2)
    }

    @Test("A nonsensical entry as an answer about one is malformed", arguments: nonsense)
    func nonsenseAsAnswer(_ entry: String) async throws {
        let store = ScriptedTransport(json: entry).store()
        let error = await #expect(throws: RemoteError.self) { try await store.entry(at: "/f") }
        guard case .malformed = error else {
            Issue.record("\(entry) gave \(String(describing: error))")
            return
        }
    }

    @Test("Odd but possible entries are taken over")
    func oddEntries() async throws {
        let store = ScriptedTransport(
            json: pageJSON([
                // Folding of other than ASCII is the server's own.
                fileJSON(["name": "\"STRASSE ß İ\"", "path_lower": "\"/strasse ss i\""]),
                fileJSON(["name": "\"\u{212A}elvin\"", "path_lower": "\"/kelvin\""]),
                fileJSON([
                    "content_hash": absent, "is_downloadable": "false",
                    "export_info": "{\"export_as\": \"docx\"}",
                ]),
                fileJSON([
                    "client_modified": "\"0001-01-01T00:00:00Z\"",
                    "server_modified": "\"9999-12-31T23:59:59Z\"",
                ]),
                fileJSON(["new_field": "{\"deep\": [1, 2]}"]),
                fileJSON([
                    "symlink_info": "{\"target\": \"\(String(repeating: "t", count: 4095))\"}"
                ]),
                "{\".tag\": \"folder\", \"name\": \"d\", \"path_lower\": \"/d\", \"id\": \"id:d\"}",
                "{\".tag\": \"deleted\", \"name\": \"gone\", \"path_lower\": \"/gone\"}",
            ])
        ).store()
        let page = try await store.list(.root, recursive: true)
        #expect(page.refusedCount == 0)
        #expect(page.entries.count == 8)
        #expect(try page.entries[5].file.symbolicLinkTarget?.bytes.count == 4095)
        #expect(try page.entries[2].file.hash == nil)
        #expect(try !page.entries[2].file.isDownloadable)
        #expect(page.entries[7].kind == .deleted)
    }

    @Test("A file without a hash is not downloadable: nothing could check its bytes")
    func missingHash() async throws {
        let store = ScriptedTransport(json: fileJSON(["content_hash": absent])).store()
        #expect(try await store.entry(at: "/file.txt")?.file.isDownloadable == false)
    }

    // MARK: Prefixes

    @Test(
        "An entry outside of the mounted folder is refused",
        arguments: ["/", "/teams/file.txt", "/team folder/file.txt", "/tea/m/file.txt"])
    func outsideOfPrefix(_ path: String) async throws {
        let store = ScriptedTransport(
            json: pageJSON([fileJSON(["path_lower": "\"\(path)\""])])
        ).store(prefix: "/Team")
        let page = try await store.list(.root, recursive: true)
        #expect(page.entries.isEmpty)
    }

    @Test("A listing with another entry in place of the mounted folder is not taken for its own")
    func anotherInItsPlace() async throws {
        for (place, error) in [("/elsewhere", RemoteError.rootChanged), ("/team", .cursorReset)] {
            let store = ScriptedTransport { request in
                guard request.route == "files/list_folder" else {
                    return .json(
                        """
                        {".tag": "folder", "name": "Team", "path_lower": "\(place)", "id": "id:t"}
                        """)
                }
                let other = fileJSON(["path_lower": "\"/team\""])
                return .json(pageJSON([other, fileJSON(["path_lower": "\"/team/file.txt\""])]))
            }.store(prefix: "/Team")
            await #expect(throws: error) { try await store.list(.root, recursive: true) }
        }
    }

    @Test("The mounted folder itself is no entry in it")
    func prefixItself() async throws {
        let folder =
            "{\".tag\": \"folder\", \"name\": \"Team\", \"path_lower\": \"/team\", \"id\": \"id:t\"}"
        let inside = fileJSON(["path_lower": "\"/team/file.txt\""])
        let store = ScriptedTransport(json: pageJSON([folder, inside])).store(prefix: "/Team")
        let page = try await store.list(.root, recursive: true)
        #expect(page.entries.map(\.foldedPath) == ["/file.txt"])
        #expect(page.refusedCount == 0)
    }

    // MARK: Pages

    @Test("A page without a cursor is malformed")
    func emptyCursor() async throws {
        let store = ScriptedTransport(json: pageJSON([], cursor: "")).store()
        await #expect(throws: RemoteError.malformed("a page without a cursor")) {
            try await store.list(.root, recursive: true)
        }
    }

    @Test("A cursor that is longer than any is malformed")
    func longCursor() async throws {
        let cursor = String(repeating: "c", count: MetadataReader.maximumCursorLength + 1)
        let store = ScriptedTransport(json: pageJSON([], cursor: cursor)).store()
        await #expect(throws: RemoteError.malformed("a cursor of \(cursor.utf8.count) bytes")) {
            try await store.list(.root, recursive: true)
        }
        await #expect(throws: RemoteError.self) { try await store.latestCursor() }
    }

    @Test("A page that leads to itself would be read for ever, and is malformed")
    func circularPage() async throws {
        let store = ScriptedTransport(json: pageJSON([], cursor: "same", hasMore: true)).store()
        await #expect(throws: RemoteError.malformed("a page that leads to itself")) {
            try await store.list(after: Core.Cursor("same"))
        }
    }

    @Test(
        "An answer that is not what it should be is malformed",
        arguments: [
            "", "<html>", "null", "[]", "{\"entries\": 7}", "{\"entries\": [], \"cursor\": 1}",
        ])
    func brokenPage(_ body: String) async throws {
        let store = ScriptedTransport(json: body).store()
        let error = await #expect(throws: RemoteError.self) {
            try await store.list(.root, recursive: true)
        }
        guard case .malformed = error else {
            Issue.record("\(body) gave \(String(describing: error))")
            return
        }
    }

    @Test("A page of more entries than the server sends, or of very many values, is malformed")
    func hugePage() async throws {
        for count in [10_001, 600_000] {
            let store = ScriptedTransport(
                json: pageJSON([String](repeating: "{}", count: count))
            ).store()
            let error = await #expect(throws: RemoteError.self) {
                try await store.list(.root, recursive: true)
            }
            guard case .malformed = error else {
                Issue.record("\(count) entries gave \(String(describing: error))")
                return
            }
        }
    }

    @Test("The wish for a pause is believed up to an hour")
    func longBackoff() async throws {
        let store = ScriptedTransport(
            json: "{\"changes\": false, \"backoff\": 18446744073709551615}"
        ).store()
        let change = try await store.waitForChange(after: Core.Cursor("c"), timeout: 30)
        #expect(change == RemoteChange(hasChanges: false, backoff: 3600))
    }

    // MARK: Commits

    @Test(
        "A stored file with other bytes than those sent is no success, and no refusal",
        arguments: [
            ["size": "5"], ["content_hash": "\"\(String(repeating: "00", count: 32))\""],
            ["content_hash": absent],
        ])
    func storedOtherwise(_ changes: [String: String]) async throws {
        let bytes = Array("text".utf8)
        let honest: [String: String] = ["content_hash": "\"\(ContentHasher.hash(bytes).hex)\""]
        let answer = fileJSON(honest.merging(changes) { $1 })
        let store = ScriptedTransport(json: answer).store()
        let stored = RemoteError.server("it stored other content than was sent")
        await #expect(throws: stored) {
            try await store.upload(MemorySource(bytes), commit: .of("/file.txt", bytes))
        }
        await #expect(throws: stored) {
            try await store.finishUpload(
                UploadSession(id: "s", isConcurrent: true), size: 4,
                commit: .of("/file.txt", bytes))
        }
        _ = try await ScriptedTransport(json: fileJSON(honest)).store()
            .upload(MemorySource(bytes), commit: .of("/file.txt", bytes))
    }

    @Test(
        "Unknown tags are errors of the server",
        arguments: [
            "{\"error\": {\".tag\": \"path\", \"path\": {\".tag\": \"gremlins\"}}}",
            "{\"error\": {\".tag\": \"gremlins\"}}", "{\"error\": {}}", "{}", "", "[[[[",
        ])
    func unknownErrors(_ body: String) async throws {
        let store = ScriptedTransport(json: body, status: 409).store()
        let bytes = Array("text".utf8)
        let session = UploadSession(id: "s", isConcurrent: false)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.list(.root, recursive: true) },
            { _ = try await store.list(after: Core.Cursor("c")) },
            { _ = try await store.waitForChange(after: Core.Cursor("c"), timeout: 30) },
            { _ = try await store.entry(at: "/a") },
            { _ = try await store.download(Revision("0123456789"), range: 0..<1) },
            { _ = try await store.upload(MemorySource(bytes), commit: .of("/a", bytes)) },
            { _ = try await store.startUpload(concurrent: true) },
            {
                try await store.append(
                    MemorySource(bytes), range: 0..<4, to: session, closes: true)
            },
            { _ = try await store.finishUpload(session, size: 4, commit: .of("/a", bytes)) },
            { _ = try await store.makeFolder(at: "/a") },
            { try await store.delete("/a", revision: nil) },
            { _ = try await store.move("/a", to: "/b") },
            { _ = try await store.copy("/a", to: "/b") },
        ]
        for call in calls {
            let error = await #expect(throws: RemoteError.self) { try await call() }
            guard case .server = error else {
                Issue.record("\(body) gave \(String(describing: error))")
                continue
            }
        }
    }

    // MARK: Downloads

    /// Headers and body of an answer to `bytes=0-3` that is right.
    private static func download(
        result: String = fileJSON(), range: String = "bytes 0-3/4", body: String = "text",
        status: Int = 206
    ) -> ScriptedResponse {
        ScriptedResponse(
            status: status, headers: ["Dropbox-API-Result": result, "Content-Range": range],
            body: Array(body.utf8))
    }

    static let lies: [ScriptedResponse] = [
        download(result: fileJSON(["rev": "\"9999999999\""])),
        download(result: "{}"), download(result: "nonsense"),
        download(range: "bytes 1-4/5"), download(range: "bytes 0-2/3", body: "tex"),
        download(range: "bytes 0-3/18446744073709551615"), download(range: "bytes 3-0/4"),
        download(range: "nonsense"), download(body: "tex"), download(body: "text and more"),
        download(body: ""), download(status: 200),
        download(result: fileJSON(["size": "3"]), range: "bytes 0-2/3", body: "tex"),
    ]

    @Test("Bytes that may be others than asked for are not given out", arguments: 0..<lies.count)
    func downloadLies(_ index: Int) async throws {
        let answer = Self.lies[index]
        let store = ScriptedTransport { _ in answer }.store()
        let error = await #expect(throws: RemoteError.self) {
            try await store.download(Revision("0123456789"), range: 0..<4).collect()
        }
        guard case .malformed = error else {
            Issue.record("gave \(String(describing: error))")
            return
        }
    }

    @Test("Bytes that are as asked for are given out")
    func honestDownload() async throws {
        let store = ScriptedTransport { _ in Self.download() }.store()
        let bytes = try await store.download(Revision("0123456789"), range: 0..<4).collect()
        #expect(bytes == Array("text".utf8))
    }

    @Test("A stream that failed stays failed")
    func failedStream() async throws {
        let store = ScriptedTransport { _ in Self.download(body: "tex") }.store()
        let stream = try await store.download(Revision("0123456789"), range: 0..<4)
        await #expect(throws: RemoteError.self) { try await stream.collect() }
        await #expect(throws: RemoteError.self) { try await stream.next() }
    }
}
