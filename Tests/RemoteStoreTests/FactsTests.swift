// POSIX facts in properties, against the emulator: one template for an account, found again by all
// its machines, and content that never waits for it.

import ContentHashing
import Core
import DropboxAPI
import DropboxEmulator
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite struct FactsTests {
    private let script = PosixFacts(permissions: 0o755, attributes: ["origin": [1]])

    private func machine(_ account: EmulatedAccount) -> DropboxStore {
        DropboxStore(client: account.client, sharesFacts: true, log: silent)
    }

    private func commit(
        _ path: RemotePath, _ facts: PosixFacts?, isNeeded: Bool = true
    ) -> RemoteCommit {
        RemoteCommit(
            path: path, expectation: .absent(strict: true),
            clientModified: WallTime(seconds: 1_700_000_000), hash: nil, facts: facts,
            needsFacts: isNeeded)
    }

    @discardableResult
    private func put(
        _ path: RemotePath, _ facts: PosixFacts?, isNeeded: Bool = true, by store: DropboxStore
    ) async throws -> RemoteEntry {
        try await store.upload(
            MemorySource(path.rawValue), commit: commit(path, facts, isNeeded: isNeeded))
    }

    private func listed(by store: DropboxStore) async throws -> [String: PosixReport] {
        var page = try await store.list(.root, recursive: true)
        var entries = page.entries
        while page.hasMore {
            page = try await store.list(after: page.cursor)
            entries += page.entries
        }
        return Dictionary(
            uniqueKeysWithValues: entries.map { ($0.foldedPath.rawValue, $0.posix) })
    }

    private func requests(_ account: EmulatedAccount, _ prefix: String) -> Int {
        account.traffic.totals.requests.filter { $0.key.hasPrefix(prefix) }.values.reduce(0, +)
    }

    private func templates(_ account: EmulatedAccount) async throws -> Int {
        try await account.client.call(FileProperties.templatesListForUser).templateIDs.count
    }

    @Test("what one machine stores, another one is told; ordinary files need no template")
    func between() async throws {
        try await EmulatedAccount.withAccount { account in
            let (one, other) = (machine(account), machine(account))
            try await put("/plain", nil, by: one)
            try await put("/plainer", script, isNeeded: false, by: one)
            #expect(requests(account, "file_properties") == 0)
            let entry = try await put("/run", script, by: one)
            #expect(entry.posix == .told(script))
            // The templates are listed before it is made, and after.
            #expect(requests(account, "file_properties") == 3)
            try await put("/also", PosixFacts(permissions: 0o700), isNeeded: false, by: one)
            #expect(requests(account, "file_properties") == 3)
            #expect(
                try await listed(by: other) == [
                    "/plain": .missing, "/plainer": .missing, "/run": .told(script),
                    "/also": .told(PosixFacts(permissions: 0o700)),
                ])
            #expect(try await other.entry(at: "/run")?.posix == .told(script))
            #expect(try await templates(account) == 1)
        }
    }

    /// The commit of a link.
    private func link(_ path: RemotePath, _ target: LinkTarget) -> RemoteCommit {
        var commit = commit(path, PosixFacts(link: target))
        commit.hash = target.contentHash
        return commit
    }

    private func linked(by store: DropboxStore) async throws -> [String: String] {
        let entries = try await store.list(.root, recursive: true).entries
        var links: [String: String] = [:]
        for entry in entries {
            if case .file(let file) = entry.kind {
                links[entry.foldedPath.rawValue] = file.linkTarget?.text
            }
        }
        return links
    }

    @Test("a file is a link as long as it has the link's text, wherever it is")
    func links() async throws {
        try await EmulatedAccount.withAccount { account in
            let (one, other) = (machine(account), machine(account))
            let target = try #require(LinkTarget("../a b"))
            let entry = try await one.upload(
                MemorySource(target.content), commit: link("/l", target))
            #expect(try entry.file.linkTarget == target)
            #expect(try await linked(by: other) == ["/l": "../a b"])
            _ = try await other.move(
                RemoteReference(path: "/l", id: entry.id), to: "/moved")
            #expect(try await linked(by: other) == ["/moved": "../a b"])
            // Another client edits the text: the property stays.
            let there = try #require(try await other.entry(at: "/moved"))
            let plain = DropboxStore(client: account.client, sharesFacts: false, log: silent)
            var edit = commit("/moved", nil)
            edit.expectation = .revision(try there.file.revision)
            _ = try await plain.upload(MemorySource("edited"), commit: edit)
            #expect(try await linked(by: other) == [:])
            let edited = try #require(try await other.entry(at: "/moved"))
            #expect(edited.posix.facts?.link == target)
        }
    }

    @Test("without a template no link is stored, and the files of its batch are")
    func linksWithoutTemplate() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, sharesFacts: false, log: silent)
            let target = try #require(LinkTarget("a"))
            await #expect(throws: RemoteError.self) {
                try await store.upload(
                    MemorySource(target.content), commit: link("/alone", target))
            }
            let contents = [target.content, Array("text".utf8), target.content]
            let sessions = try await store.send(contents).map { try $0.get() }
            let commits = [link("/l", target), commit("/f", nil), link("/m", target)]
            let outcomes = try await store.finishUploads(
                zip(sessions, commits).map { session, commit in
                    FinishedUpload(
                        session: session,
                        size: commit.path == "/f" ? 4 : Int64(target.content.count),
                        commit: commit)
                })
            #expect(outcomes.map { (try? $0.get()) != nil } == [false, true, false])
            #expect(try await listed(by: store).keys.sorted() == ["/f"])
        }
    }

    @Test("a batch has the facts of all its files")
    func batch() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = machine(account)
            let sessions = try await store.send([[1], [2]])
            let uploads = try zip(["/a", "/b"] as [RemotePath], sessions).map { path, session in
                FinishedUpload(
                    session: try session.get(), size: 1,
                    commit: commit(path, script, isNeeded: path == "/b"))
            }
            let outcomes = try await store.finishUploads(uploads)
            for outcome in outcomes { #expect(try outcome.get().posix == .told(script)) }
            #expect(
                try await listed(by: machine(account)).values.allSatisfy { $0 == .told(script) })
        }
    }

    @Test(
        "facts alone change neither revision nor content",
        arguments: ["/run", "/folder"] as [RemotePath])
    func alone(_ path: RemotePath) async throws {
        try await EmulatedAccount.withAccount { account in
            let store = machine(account)
            try await put("/run", nil, by: store)
            _ = try await store.makeFolder(at: "/folder")
            let before = try #require(try await store.entry(at: path))
            let reference = RemoteReference(path: path, id: before.id)
            try await store.setFacts(script, of: reference)
            try await store.setFacts(script, of: reference)
            let after = try #require(try await store.entry(at: path))
            #expect(after.posix == .told(script))
            #expect(after.id == before.id)
            if case .file(let file) = before.kind, case .file(let now) = after.kind {
                #expect(now.revision == file.revision && now.hash == file.hash)
            }
            await #expect(throws: RemoteError.notFound) {
                try await store.setFacts(
                    script, of: RemoteReference(path: "/absent", id: FileID("id:absent")))
            }
        }
    }

    @Test("a feed from before the template begins anew, and then tells of facts")
    func feed() async throws {
        try await EmulatedAccount.withAccount { account in
            let (one, other) = (machine(account), machine(account))
            try await put("/plain", nil, by: one)
            let before = try await other.latestCursor()
            // Its own template.
            let own = try await one.latestCursor()
            try await put("/run", script, by: one)
            await #expect(throws: RemoteError.cursorReset) { try await one.list(after: own) }
            // Another machine's, of which it learns as files of others come.
            await #expect(throws: RemoteError.cursorReset) { try await other.list(after: before) }
            let cursor = try await other.latestCursor()
            try await one.setFacts(
                PosixFacts(permissions: 0o700), of: RemoteReference(path: "/plain"))
            let page = try await other.list(after: cursor)
            #expect(page.entries.map(\.posix) == [.told(PosixFacts(permissions: 0o700))])
            // A later process knows the template from the cursor, without a request.
            let count = requests(account, "file_properties")
            let later = machine(account)
            _ = try await later.list(after: page.cursor)
            _ = try await later.waitForChange(after: cursor, timeout: 30)
            try await put("/later", script, by: later)
            #expect(requests(account, "file_properties") == count)
        }
    }

    @Test("other listings go on when a template is made")
    func otherListings() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = machine(account)
            for name in ["a", "b", "c", "d"] {
                try await put(RemotePath(rawValue: "/f/" + name), nil, by: store)
            }
            let page = try await store.list("/f", recursive: false)
            let deletions = try #require(try await store.deletionCursor())
            try await put("/run", script, by: store)
            #expect(page.hasMore)
            #expect(try await store.list(after: page.cursor).entries.count == 1)
            #expect(try await store.list(after: deletions).entries.count == 1)
        }
    }

    @Test("two machines that make a template at the same moment end with one")
    func race() async throws {
        try await EmulatedAccount.withAccount { account in
            try account.server.updateSettings([
                "latency_ms": ["file_properties/templates/add_for_user": 300]
            ])
            let machines = [machine(account), machine(account)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in machines.enumerated() {
                    group.addTask {
                        try await self.put(
                            RemotePath(rawValue: "/\(index)"), self.script, by: store)
                    }
                }
                try await group.waitForAll()
            }
            let later = machine(account)
            #expect(try await listed(by: later) == ["/0": .told(script), "/1": .told(script)])
            #expect(later.template.ids.count == 1)
        }
    }

    @Test("a lost reply leaves one template, and the file is stored all the same")
    func lostReply() async throws {
        try await EmulatedAccount.withAccount { account in
            try account.server.addFault([
                "kind": "reset_after", "route": "file_properties/templates/add_for_user",
                "count": 1,
            ])
            let store = machine(account)
            #expect(try await put("/first", script, by: store).posix == .untold)
            try await store.setFacts(script, of: RemoteReference(path: "/first"))
            #expect(try await templates(account) == 1)
            #expect(try await store.entry(at: "/first")?.posix == .told(script))
        }
    }

    @Test("after the removal of all facts files are stored without, and a template is made anew")
    func removed() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = machine(account)
            try await put("/run", script, by: store)
            let cursor = try await store.latestCursor()
            #expect(try await DropboxStore.removeFacts(account.client) == 1)
            #expect(try await DropboxStore.removeFacts(account.client) == 0)
            #expect(try await templates(account) == 0)
            // The commit succeeds, although its facts are refused.
            let entry = try await put("/next", script, by: store)
            #expect(entry.posix == .untold)
            #expect(try await listed(by: store) == ["/run": .untold, "/next": .untold])
            _ = try await store.list(after: cursor)
            try await store.setFacts(script, of: RemoteReference(path: "/next", id: entry.id))
            #expect(
                try await listed(by: store) == ["/run": .missing, "/next": .told(script)])
        }
    }

    @Test("without the permission nothing is tried twice, and content is stored")
    func forbidden() async throws {
        try await EmulatedAccount.withAccount { account in
            try account.server.addFault([
                "kind": "missing_scope", "scope": "files.metadata.write",
                "route": "file_properties/templates/add_for_user",
            ])
            let store = machine(account)
            for path in ["/a", "/b"] as [RemotePath] {
                #expect(try await put(path, script, by: store).posix == .untold)
            }
            #expect(requests(account, "file_properties/templates/add_for_user") == 1)
            await #expect(throws: RemoteError.self) {
                try await store.setFacts(script, of: RemoteReference(path: "/a"))
            }
            #expect(requests(account, "file_properties/properties") == 0)
        }
    }

    @Test("without facts to share no request and no cursor is another one")
    func notShared() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            try await put("/run", script, by: store)
            #expect(try await listed(by: store) == ["/run": .untold])
            #expect(requests(account, "file_properties") == 0)
            // A cursor of a mount that shared them goes on, and the feed begins anew with the next
            // one.
            try await put("/more", script, by: machine(account))
            let cursor = try await machine(account).list(.root, recursive: true).cursor
            let page = try await store.list(after: cursor)
            await #expect(throws: RemoteError.cursorReset) {
                let again = machine(account)
                try await again.template.look(account.client)
                return try await again.list(after: page.cursor)
            }
        }
    }

    @Test("positions keep what they were begun with")
    func positions() throws {
        let feed = FeedPosition(templates: ["ptid:1", "ptid:2"], isFeed: true)
        #expect(try FeedPosition(feed.at("AAA")).cursor == "AAA")
        #expect(try FeedPosition(feed.at("AAA")).templates == feed.templates)
        #expect(try FeedPosition(feed.at("AAA")).isFeed)
        let other = FeedPosition(templates: [], isFeed: false)
        #expect(try !FeedPosition(other.at("AAA")).isFeed)
        #expect(try FeedPosition(templates: [], isFeed: true).at("AAA") == Core.Cursor("AAA"))
        #expect(FeedPosition(Core.Cursor("a b c")).cursor == "a b c")
    }
}
