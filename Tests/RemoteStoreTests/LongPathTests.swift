// Accounts whose paths are so long that a page of the usual number of entries has more bytes than
// an answer may have.

import Core
import DropboxAPI
import DropboxAPITesting
import Foundation
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("Very long paths")
struct LongPathTests {
    private static let folder = String(
        repeating: "/" + String(repeating: "n", count: 199), count: 10)

    /// An entry of some 2,500 bytes, or of 500 with a short path.
    private static func entry(_ number: Int, isLong: Bool) -> String {
        fileJSON([
            "name": "\"\(number)\"", "path_lower": "\"\(isLong ? folder : "")/\(number)\"",
            "id": "\"id:\(number)\"", "rev": "\"\(1_000_000_000 + number)\"",
        ])
    }

    /// A server with so many files, the first of which have short paths. As Dropbox's, its cursors
    /// keep the size of pages that the listing began with.
    private static func server(files count: Int, short: Int = 0) -> ScriptedTransport {
        ScriptedTransport { request in
            let (size, first): (Int, Int)
            switch request.route {
            case "files/list_folder", "files/list_folder/get_latest_cursor":
                let argument = try? request.argument(as: Files.ListFolderArg.self)
                (size, first) = (Int(argument?.limit ?? 2000), 0)
            case "files/list_revisions":
                let argument = try? request.argument(as: Files.ListRevisionsArg.self)
                let before = argument?.beforeRev.flatMap { Int($0) }.map { $0 - 999_999_999 }
                (size, first) = (Int(argument?.limit ?? 10), before ?? 0)
            case "files/search_v2":
                let argument = try? request.argument(as: Files.SearchV2Arg.self)
                (size, first) = (Int(argument?.options?.maxResults ?? 100), 0)
            default:
                let argument = try? request.argument(as: Files.ListFolderContinueArg.self)
                let numbers = argument?.cursor.split(separator: "-").compactMap { Int($0) } ?? []
                (size, first) = (numbers.first ?? 1, numbers.last ?? 0)
            }
            let last = min(first + size, count)
            let entries = (first..<last).map { entry($0, isLong: $0 >= short) }
            let cursor = "\(size)-\(last)"
            switch request.route {
            case "files/list_folder/get_latest_cursor": return .json("{\"cursor\": \"\(size)-0\"}")
            case "files/list_revisions":
                return .json(
                    """
                    {"is_deleted": false, "entries": [\(entries.joined(separator: ","))],
                     "has_more": \(last < count)}
                    """)
            case "files/search_v2", "files/search/continue_v2":
                let matches = entries.map {
                    "{\"metadata\": {\".tag\": \"metadata\", \"metadata\": \($0)}}"
                }
                return .json(
                    """
                    {"matches": [\(matches.joined(separator: ","))], "has_more": \(last < count),
                     "cursor": "\(cursor)"}
                    """)
            default: return .json(pageJSON(entries, cursor: cursor, hasMore: last < count))
            }
        }
    }

    /// A store that takes answers of so many bytes.
    private func store(_ server: ScriptedTransport, limit: Int) -> DropboxStore {
        DropboxStore(
            client: server.client(
                configuration: .init(retryPolicy: .immediate, resultLimit: limit)),
            log: silent, clock: StoreClock())
    }

    private func limits(_ server: ScriptedTransport) throws -> [UInt32?] {
        try server.arguments(of: Files.listFolder).map(\.limit)
    }

    /// The number of entries of a listing.
    private func count(_ store: DropboxStore) async throws -> Int {
        var page = try await store.list(.root, recursive: true)
        var paths = Set(page.entries.map(\.foldedPath))
        while page.hasMore {
            page = try await store.list(after: page.cursor)
            paths.formUnion(page.entries.map(\.foldedPath))
        }
        return paths.count
    }

    @Test("a first page with too many bytes is asked for with fewer entries, and so are later ones")
    func firstPage() async throws {
        let server = Self.server(files: 1500)
        let store = store(server, limit: 1 << 20)
        #expect(try await count(store) == 1500)
        #expect(try limits(server) == [2000, 250])
        #expect(try await count(store) == 1500)
        _ = try await store.latestCursor()
        #expect(try limits(server) == [2000, 250, 250])
        let latest = try server.arguments(of: Files.listFolderGetLatestCursor)
        #expect(latest.map(\.limit) == [250])
    }

    @Test("after a later page with too many bytes the listing begins anew, with fewer entries")
    func laterPage() async throws {
        let server = Self.server(files: 2600, short: 2000)
        let store = store(server, limit: 1 << 20 + 1 << 18)
        let first = try await store.list(.root, recursive: true)
        #expect(first.entries.count == 2000)
        await #expect(throws: RemoteError.cursorReset) { try await store.list(after: first.cursor) }
        #expect(try await count(store) == 2600)
        #expect(try limits(server) == [2000, 250])
    }

    @Test("a delta with too many bytes is that of an expired cursor: everything is listed anew")
    func delta() async throws {
        let store = store(Self.server(files: 1500), limit: 1 << 20)
        let cursor = try await store.latestCursor()
        await #expect(throws: RemoteError.cursorReset) { try await store.list(after: cursor) }
        let next = try await store.list(after: try await store.latestCursor())
        #expect(next.entries.count == 250)
    }

    @Test("two pages with too many bytes at once make pages smaller once")
    func atOnce() {
        let size = PageSize()
        #expect(size.current == 2000)
        #expect(size.shrink(from: 2000))
        #expect(size.shrink(from: 2000))
        #expect(size.current == 250)
    }

    @Test("a server that sends too many bytes for a few entries is given up")
    func endless() async throws {
        let server = Self.server(files: 1500)
        let error = await #expect(throws: RemoteError.self) {
            try await store(server, limit: 1000).list(.root, recursive: true)
        }
        guard case .malformed = error else {
            Issue.record("gave \(String(describing: error))")
            return
        }
        #expect(try limits(server) == [2000, 250, 31, 3])
    }

    @Test("a listing with deleted entries that begins anew tells so, and then everything")
    func deletedEntries() async throws {
        let store = store(Self.server(files: 2600, short: 2000), limit: 1 << 20 + 1 << 18)
        var (found, beginnings) = ([RemoteEntry](), 0)
        try await store.forEachEntry(
            below: .root, recursive: true,
            begin: {
                found = []
                beginnings += 1
            }
        ) { entry throws(RemoteError) in
            found.append(entry)
        }
        #expect(found.count == 2600)
        #expect(beginnings == 2)
    }

    @Test("revisions with too many bytes are asked for in smaller parts")
    func revisions() async throws {
        let server = Self.server(files: 300)
        let store = store(server, limit: 100_000)
        let found = try await store.revisions(of: "/a", limit: 100)
        #expect(Set(found.versions.map(\.file.revision)).count == 100)
        let limits = try server.arguments(of: Files.listRevisions).map(\.limit)
        #expect(limits == [100] + [UInt64](repeating: 12, count: 8) + [4])
    }

    @Test("a search with too many bytes in a page begins anew, and tells nothing twice")
    func search() async throws {
        let server = Self.server(files: 300, short: 200)
        let store = store(server, limit: 150_000)
        var found: [RemotePath] = []
        try await store.search("n", below: .root, namesOnly: false) { entry in
            found.append(entry.entry.foldedPath)
            return true
        }
        #expect(found.count == 300)
        #expect(Set(found).count == 300)
        let limits = try server.arguments(of: Files.searchV2).map { $0.options?.maxResults }
        #expect(limits == [200, 25])
    }

    @Test("a cursor with the longest path that a mount shows is taken")
    func longCursor() async throws {
        let path = String(repeating: "/" + String(repeating: "n", count: 255), count: 1024)
        let cursor = Data(path.utf8).base64EncodedString()
        let page = try await ScriptedTransport(json: pageJSON([], cursor: cursor)).store()
            .list(.root, recursive: true)
        #expect(page.cursor.rawValue == cursor)
    }
}
