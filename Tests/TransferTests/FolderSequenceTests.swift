// Listings and changes as sequences.

import DropboxEmulator
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct FolderSequenceTests {
    @Test(
        "all entries come once, over pages of which some are empty, and no page before it is wanted"
    )
    func entries() async throws {
        try await TestAccount.with { account in
            for number in 0..<7 { try await account.put("/in/\(number)", [1]) }
            try account.server.updateSettings(["page_size": 3, "empty_pages": true])
            let (transport, client) = try account.scripted()
            var names: [String] = []
            for try await entry in client.files.entries(of: "/in") {
                if names.isEmpty { #expect(transport.meter.total <= 2) }
                names.append(entry.name)
            }
            #expect(names.sorted() == (0..<7).map(String.init))
            var pages = 0
            for try await page in client.files.pages(of: "/in") {
                pages += 1
                #expect(page.entries.count <= 3)
            }
            #expect(pages >= 3)
            await client.shutDown()
        }
    }

    @Test("a listing that is refused says so once, and is over")
    func refusal() async throws {
        let transport = ScriptedTransport { _, _ in
            .json(#"{"error":{".tag":"path","path":{".tag":"not_found"}}}"#, status: 409)
        }
        var entries = transport.client().files.entries(of: "/none").makeAsyncIterator()
        await #expect {
            _ = try await entries.next()
        } throws: { error in
            guard case .start(let error)? = error as? FolderListingError else { return false }
            return error.routeError == .path(.notFound)
        }
        #expect(try await entries.next() == nil)
        #expect(transport.meter.total == 1)
    }

    @Test("changes follow a listing anew, go on from a cursor that was kept, and outlive a reset")
    func changes() async throws {
        try await TestAccount.with { account in
            var feed = account.plain.files.changes(since: nil, path: "").makeAsyncIterator()
            guard case .relist(let start)? = try await feed.next() else {
                Issue.record("the first update is a listing")
                return
            }
            try await account.put("/a", [1])
            let first = try #require(try await feed.next())
            #expect(first.names == ["a"])
            try await account.put("/b", [2])
            #expect(try await feed.next()?.names == ["b"])

            var again = account.plain.files.changes(since: first.cursor, path: "")
                .makeAsyncIterator()
            #expect(try await again.next()?.names == ["b"])
            var all = account.plain.files.changes(since: start, path: "").makeAsyncIterator()
            #expect(try await all.next()?.names == ["a", "b"])

            try account.server.resetCursors()
            guard case .relist? = try await feed.next() else {
                Issue.record("after a reset everything is listed anew")
                return
            }
            try await account.put("/c", [3])
            #expect(try await feed.next()?.names == ["c"])
        }
    }

    @Test(
        "failures are waited out by the policy, and what the server asks for before the next wait")
    func pauses() async throws {
        let sleeps = Mutex<[Duration]>([])
        let transport = ScriptedTransport { request, number in
            switch (request.label, number) {
            case ("files/list_folder/continue", 0...2): .loseRequest
            case ("files/list_folder/continue", 3):
                .json(#"{"entries":[],"cursor":"c1","has_more":false}"#)
            case ("files/list_folder/continue", _):
                .json(#"{"entries":[],"cursor":"c2","has_more":false}"#)
            case ("files/list_folder/longpoll", 0): .json(#"{"changes":false,"backoff":17}"#)
            case ("files/list_folder/longpoll", 1): .json("busy", status: 500)
            case ("files/list_folder/longpoll", 2): .json(#"{"changes":true,"backoff":19}"#)
            default: .hang
            }
        }
        let policy = RetryPolicy(
            maxAttempts: 1, firstFaultDelay: .seconds(2), longestFaultDelay: .seconds(30))
        let client = transport.client(policy: policy) { duration in
            sleeps.withLock { $0.append(duration) }
        }
        var feed = client.files.changes(since: "c0", path: "").makeAsyncIterator()
        #expect(try await feed.next() == .changes([], cursor: "c1", hasMore: false))
        #expect(sleeps.withLock { $0 } == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(try await feed.next() == .changes([], cursor: "c2", hasMore: false))
        #expect(
            sleeps.withLock { Array($0.dropFirst(3)) } == [
                .seconds(17), .seconds(1), .seconds(17),
            ])
    }

    @Test("the pause that was asked for lies before the next wait, not before its page")
    func backoff() {
        var feed = ChangeFeed(cursor: "c")
        #expect(feed.question == .page(after: "c"))
        _ = feed.has(.init(entries: [], cursor: "d", hasMore: false))
        #expect(feed.question == .change(after: "d", pause: nil))
        feed.waited(.init(changes: true, backoff: 60))
        #expect(feed.question == .page(after: "d"))
        #expect(feed.has(.init(entries: [], cursor: "d", hasMore: false)) == nil)
        #expect(feed.question == .change(after: "d", pause: .seconds(60)))
        feed.waited(.init(changes: false))
        #expect(feed.question == .change(after: "d", pause: nil))
    }

    @Test("a server that forgets every cursor is not asked without pause")
    func endlessResets() async throws {
        let sleeps = Mutex(0)
        let transport = ScriptedTransport { request, _ in
            request.label == "files/list_folder/get_latest_cursor"
                ? .json(#"{"cursor":"c"}"#) : .json(#"{"error":{".tag":"reset"}}"#, status: 409)
        }
        let client = transport.client(policy: .init()) { _ in sleeps.withLock { $0 += 1 } }
        var feed = client.files.changes(since: nil, path: "").makeAsyncIterator()
        for _ in 0..<5 { #expect(try await feed.next() == .relist(cursor: "c")) }
        #expect(sleeps.withLock { $0 } == 3)
    }

    @Test("a page that leads to itself ends a listing, and is waited out by changes")
    func endless() async throws {
        let sleeps = Mutex(0)
        let transport = ScriptedTransport { request, number in
            if request.label == "files/list_folder/longpoll" { return .hang }
            let hasMore = request.label == "files/list_folder" || number < 3
            return .json(#"{"entries":[],"cursor":"c","has_more":\#(hasMore)}"#)
        }
        let client = transport.client(policy: .init()) { _ in sleeps.withLock { $0 += 1 } }
        var pages = client.files.pages(of: "").makeAsyncIterator()
        #expect(try await pages.next()?.cursor == "c")
        await #expect(throws: FolderListingError.endless) { _ = try await pages.next() }
        let task = Task {
            for try await _ in client.files.changes(since: "c", path: "") {}
        }
        try await waitWhile { transport.meter.requests["files/list_folder/longpoll"] == nil }
        task.cancel()
        #expect(sleeps.withLock { $0 } == 2)
    }

    @Test("a cursor that the server does not understand is a lost one")
    func strangeCursor() async throws {
        let transport = ScriptedTransport { request, _ in
            request.label == "files/list_folder/get_latest_cursor"
                ? .json(#"{"cursor":"c"}"#) : .json("invalid cursor", status: 400)
        }
        var feed = transport.client().files.changes(since: "x", path: "").makeAsyncIterator()
        #expect(try await feed.next() == .relist(cursor: "c"))
    }

    /// A page with more bytes than a client of 2,000 accepts.
    private static let longPage =
        #"{"entries":[],"cursor":"\#(String(repeating: "c", count: 2000))","has_more":false}"#

    /// The number of entries that a request for a listing or a cursor asks for.
    private static func limit(of request: TransportRequest) -> UInt32? {
        guard let body = request.body else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(body.length))
        _ = bytes.withUnsafeMutableBytes { try? body.read(at: 0, into: $0) }
        return (try? JSON.decode(Files.ListFolderArg.self, from: bytes))?.limit
    }

    @Test(
        "a first page with too many bytes is requested with fewer entries, until one has few enough"
    )
    func longFirstPage() async throws {
        let limits = Mutex<[UInt32?]>([])
        let transport = ScriptedTransport { request, number in
            limits.withLock { $0.append(Self.limit(of: request)) }
            return number < 2
                ? .json(Self.longPage) : .json(#"{"entries":[],"cursor":"c","has_more":false}"#)
        }
        let client = transport.client(resultLimit: 2000)
        var pages = client.files.pages(of: "").makeAsyncIterator()
        #expect(try await pages.next()?.cursor == "c")
        #expect(try await pages.next() == nil)
        #expect(limits.withLock { $0 } == [nil, 250, 31])
    }

    @Test("pages that have too many bytes however few entries they have, or later, end a listing")
    func longPages() async throws {
        let transport = ScriptedTransport { request, _ in
            request.label == "files/list_folder" && Self.limit(of: request) == 100
                ? .json(#"{"entries":[],"cursor":"c","has_more":true}"#) : .json(Self.longPage)
        }
        let client = transport.client(resultLimit: 2000)
        var pages = client.files.pages(of: "", limit: 9).makeAsyncIterator()
        let first = await #expect(throws: FolderListingError.self) { _ = try await pages.next() }
        #expect(first?.isTooLarge == true)
        #expect(transport.meter.total == 2)
        pages = client.files.pages(of: "", limit: 100).makeAsyncIterator()
        #expect(try await pages.next()?.cursor == "c")
        let later = await #expect(throws: FolderListingError.self) { _ = try await pages.next() }
        #expect(later?.isTooLarge == true)
        #expect(transport.meter.total == 4)
    }

    @Test("changes with too many bytes in a page begin anew, with a cursor for fewer entries")
    func longChanges() async throws {
        let limits = Mutex<[UInt32?]>([])
        let transport = ScriptedTransport { request, number in
            guard request.label == "files/list_folder/get_latest_cursor" else {
                return number < 1
                    ? .json(Self.longPage) : .json(#"{"entries":[],"cursor":"d","has_more":false}"#)
            }
            limits.withLock { $0.append(Self.limit(of: request)) }
            return .json(#"{"cursor":"c"}"#)
        }
        let client = transport.client(resultLimit: 2000)
        var feed = client.files.changes(since: "old", path: "").makeAsyncIterator()
        #expect(try await feed.next() == .relist(cursor: "c"))
        #expect(try await feed.next() == .changes([], cursor: "d", hasMore: false))
        #expect(limits.withLock { $0 } == [250])
    }

    @Test("what stays is thrown, and ends the changes")
    func permanent() async throws {
        let transport = ScriptedTransport { _, _ in
            .json(#"{"error":{".tag":"invalid_access_token"}}"#, status: 401)
        }
        var feed = transport.client().files.changes(since: "c", path: "").makeAsyncIterator()
        await #expect(throws: FolderListingError.self) { _ = try await feed.next() }
        #expect(try await feed.next() == nil)
        #expect(transport.meter.total == 1)
    }

    @Test("changes wait for a token that cannot be renewed now, and for a call that took too long")
    func renewal() async throws {
        let transport = ScriptedTransport { request, number in
            guard request.label == "files/list_folder/continue" else { return .hang }
            return number == 0
                ? .fail(.timedOut(.deadline))
                : .json(#"{"entries":[],"cursor":"d","has_more":false}"#)
        }
        let tokens = UnsteadyTokens(UnsteadyTokens.temporary)
        let client = transport.client(policy: .init(maxAttempts: 1), tokens: tokens)
        var feed = client.files.changes(since: "c", path: "").makeAsyncIterator()
        #expect(try await feed.next() == .changes([], cursor: "d", hasMore: false))
        #expect(tokens.left.isEmpty)
        #expect(transport.meter.requests["files/list_folder/continue"] == 2)

        let revoked = transport.client(tokens: UnsteadyTokens([.invalidGrant("revoked")]))
        feed = revoked.files.changes(since: "c", path: "").makeAsyncIterator()
        await #expect(throws: FolderListingError.self) { _ = try await feed.next() }
        #expect(try await feed.next() == nil)
    }

    @Test("cancelling ends a wait of either kind at once", arguments: [false, true])
    func cancellation(pauses: Bool) async throws {
        let transport = ScriptedTransport { request, _ in
            switch request.label {
            case "files/list_folder/longpoll":
                pauses ? .json(#"{"changes":false,"backoff":3600}"#) : .hang
            default: .json(#"{"entries":[],"cursor":"c","has_more":false}"#)
            }
        }
        let client = transport.client { _ in
            await waitForCancellation()
            try Task.checkCancellation()
        }
        let task = Task {
            for try await _ in client.files.changes(since: "c", path: "") {}
        }
        try await waitWhile { transport.meter.requests["files/list_folder/longpoll"] == nil }
        task.cancel()
        await #expect(throws: FolderListingError.cancelled) { try await task.value }
    }
}

extension FolderUpdate {
    fileprivate var names: [String]? {
        guard case .changes(let entries, _, _) = self else { return nil }
        return entries.map(\.name).sorted()
    }
}
