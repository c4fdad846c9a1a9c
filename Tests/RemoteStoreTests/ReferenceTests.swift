// How the Dropbox store names the nodes that its changes are about: by ids, and by paths once the
// server has refused an id.

import Core
import DropboxAPI
import DropboxAPITesting
import DropboxEmulator
import RemoteStore
import RemoteStoreTesting
import Synchronization
import Testing

@testable import RemoteStore

@Suite("How requests name nodes")
struct ReferenceTests {
    private func requests(_ route: String, _ server: RunningEmulator) -> Int64? {
        server.statistics["routes"]?[route]?["requests"]?.integer
    }

    @Test("A node outside of the mounted folder is not found by its id")
    func outside() async throws {
        try await EmulatedAccount.withAccount { account in
            let whole = DropboxStore(client: account.client, log: silent)
            let mounted = try await whole.makeFolder(at: "/Ärzte")
            let outside = try await whole.makeFolder(at: "/Ökologie/outside")
            let inside = try await whole.makeFolder(at: "/Ärzte/inside")
            let store = DropboxStore(client: account.client, prefix: "/Ärzte", log: silent)
            let ids = try [mounted, outside, inside].map { try #require($0.id) }
            #expect(try await store.entry(of: ids[0]) == nil)
            #expect(try await store.entry(of: ids[1]) == nil)
            #expect(try await store.entry(of: ids[2])?.foldedPath == "/inside")
        }
    }

    @Test("A node whose id is refused as no id is not taken for gone")
    func refusedLookup() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let id = try #require(try await store.makeFolder(at: "/a").id)
            try account.server.addFault([
                "kind": "route_error", "route": "files/get_metadata", "count": 1,
                "error": [".tag": "path", "path": [".tag": "malformed_path"]],
            ])
            await #expect(throws: RemoteError.malformed("the id of a node was refused as no id")) {
                try await store.entry(of: id)
            }
            #expect(try await store.entry(of: id)?.foldedPath == "/a")
        }
    }

    /// The response of a server that accepts no ids, as an error of the route and as bad input.
    static let refusals: [JSONValue] = [
        [
            "kind": "route_error", "route": "files/delete_v2", "count": 1,
            "error": [".tag": "path_lookup", "path_lookup": [".tag": "malformed_path"]],
        ],
        [
            "kind": "respond", "route": "files/delete_v2", "count": 1, "status": 400,
            "content_type": "text/plain",
            "body":
                "Error in call to API function \"files/delete_v2\": path: 'id:x' did not match pattern",
        ],
    ]

    @Test("A refused id is sent once, and paths from then on", arguments: 0..<refusals.count)
    func refused(_ index: Int) async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let folders = try await [
                store.makeFolder(at: "/a"), store.makeFolder(at: "/b"),
            ]
            try account.server.addFault(Self.refusals[index])
            account.server.resetStatistics()
            try await store.delete(.init(path: "/a", id: folders[0].id), revision: nil)
            #expect(requests("files/delete_v2", account.server) == 2)
            #expect(requests("files/get_metadata", account.server) == 1)
            try await store.delete(.init(path: "/b", id: folders[1].id), revision: nil)
            #expect(requests("files/delete_v2", account.server) == 3)
            #expect(requests("files/get_metadata", account.server) == 2)
            #expect(try await store.list(.root, recursive: true).entries.isEmpty)
        }
    }

    @Test("A target that the server does not store is no refusal of the id")
    func badTarget() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let folder = try await store.makeFolder(at: "/a")
            await #expect(throws: RemoteError.disallowedName) {
                try await store.move(.init(path: "/a", id: folder.id), to: "/x\\y")
            }
            #expect(!store.refusesIDs)
        }
    }

    @Test("A batch that is refused because of its ids is sent by path", arguments: [true, false])
    func refusedBatch(_ isWhole: Bool) async throws {
        let sent = Mutex<[String]>([])
        let store = ScriptedTransport { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let path = request.route
            if path.hasSuffix("get_metadata") {
                return .json(fileJSON(["path_lower": "\"/a\"", "name": "\"a\""]))
            }
            sent.withLock { $0.append(body) }
            guard body.contains("id:abc") else {
                let file = fileJSON(["path_lower": "\"/b\"", "name": "\"b\""])
                return .json(
                    """
                    {".tag": "complete", "entries": [{".tag": "success", "success": \(file)}]}
                    """)
            }
            if isWhole {
                return ScriptedResponse(
                    status: 400, body: Array("entries[0].from_path: did not match pattern".utf8))
            }
            return .json(
                """
                {".tag": "complete", "entries": [{".tag": "failure", "failure": {
                ".tag": "relocation_error", "relocation_error": {".tag": "from_lookup",
                "from_lookup": {".tag": "malformed_path"}}}}]}
                """)
        }.store()
        let node = RemoteReference(path: "/a", id: FileID("id:abc"))
        let outcomes = try await store.moveFiles([RemoteRelocation(from: node, to: "/b")])
        #expect(try outcomes[0].get().foldedPath == "/b")
        #expect(sent.withLock { $0.count } == 2)
        #expect(store.refusesIDs)
    }

    /// A server without ids, where another client is faster than a change whose metadata were read
    /// before.
    private func overtaken() -> DropboxStore {
        let store = ScriptedTransport { request in
            let path = request.route
            if path.hasSuffix("get_metadata") {
                return .json(fileJSON(["path_lower": "\"/a\"", "name": "\"a\""]))
            }
            let name = path.hasSuffix("delete_v2") ? "a" : "b"
            let file = fileJSON([
                "path_lower": "\"/\(name)\"", "name": "\"\(name)\"", "id": "\"id:theirs\"",
            ])
            return .json("{\"metadata\": \(file)}")
        }.store()
        store.noteRefusalOfIDs()
        return store
    }

    @Test("A move by path says what it took, if that is another node than was meant")
    func overtakenMove() async throws {
        let moved = try await overtaken().move(
            .init(path: "/a", id: FileID("id:abc")), to: "/b")
        #expect(moved.id == FileID("id:theirs"))
    }

    @Test("A deletion by path that took another node than was meant is no success")
    func overtakenDelete() async throws {
        await #expect(throws: RemoteError.conflict(.other)) {
            try await overtaken().delete(.init(path: "/a", id: FileID("id:abc")), revision: nil)
        }
    }
}
