// Folders with more entries than the server moves at once: they are moved in parts, and nothing is
// lost or sent twice, wherever that is interrupted.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct SplitTests {
    private static let files = ["/a/1", "/a/2", "/a/3", "/a/s/4", "/a/s/5", "/a/s/6", "/a/s/t/7"]
    private static let folders = ["/a", "/a/s", "/a/s/t"]

    /// The tree with all files and folders in another one than `/a`.
    private func tree(at folder: String) -> [String: String?] {
        var tree: [String: String?] = [:]
        for path in Self.folders { tree.updateValue(nil, forKey: folder + path.dropFirst(2)) }
        for path in Self.files { tree[folder + path.dropFirst(2)] = path }
        return tree
    }

    /// A mount that does not run, and knows the files.
    private func harness(
        limit: Int = 3, _ files: [String] = SplitTests.files
    ) async throws -> Harness {
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0, $0) })
        return try await .knowing(texts, server: InMemoryStore(moveLimit: limit))
    }

    private func ids(_ harness: Harness, in folder: String) async throws -> [String: FileID?] {
        let page = try await harness.server.list(RemotePath(rawValue: folder), recursive: true)
        return page.entries.filter { !$0.isFolder }.reduce(into: [:]) {
            $0[String($1.foldedPath.rawValue.dropFirst(folder.count))] = $1.id
        }
    }

    /// Starts, and waits until a move is held. The first one is refused.
    private func startUntilMove(_ number: Int, of harness: Harness) async throws {
        harness.faulty.inject(.stall, into: .move, number: number)
        try await harness.start()
        try await waitWhile { harness.faulty.stalledCount == 0 }
    }

    private func moves(of harness: Harness) -> [String] {
        harness.faulty.calls.filter { $0.operation == .move }.map(\.subject)
    }

    @Test(
        "a folder with too many entries, and one in it, are moved in parts, and nothing is sent again"
    )
    func nested() async throws {
        let harness = try await harness()
        let inode = try await harness.inode("/a")
        let (ids, bytes) = (try await ids(harness, in: "/a"), harness.server.receivedBytes)
        try await harness.move("/a", to: "/b")
        try await expect(tree(at: "/b"), of: harness)
        #expect(try await harness.inode("/b") == inode)
        #expect(try await self.ids(harness, in: "/b") == ids)
        #expect(harness.server.receivedBytes == bytes)
        // The folder, three files, the folder in it, its three files, and the smallest folder as a
        // whole.
        #expect(moves(of: harness).count == 9, "\(moves(of: harness))")
    }

    @Test("a file of a large folder takes the place of that, which is deleted")
    func insteadOfItsFolder() async throws {
        let harness = try await harness(limit: 2)
        let inode = try await harness.inode("/a/1")
        try await harness.move("/a/1", to: "/kept")
        try await harness.delete("/a")
        try await harness.move("/kept", to: "/a")
        try await expect(["/a": "/a/1"], of: harness)
        #expect(try await harness.inode("/a") == inode)
    }

    @Test("a folder that is not too large is moved at once")
    func small() async throws {
        let harness = try await harness(limit: 10)
        try await harness.move("/a", to: "/b")
        try await expect(tree(at: "/b"), of: harness)
        #expect(moves(of: harness).count == 1)
    }

    @Test(
        "a response that is lost during a move in parts",
        arguments: [RemoteOperation.move, .makeFolder, .delete], [1, 2, 3, 5, 7])
    func lostResponse(_ operation: RemoteOperation, _ number: Int) async throws {
        let harness = try await harness()
        let bytes = harness.server.receivedBytes
        let before = harness.faulty.calls.filter { $0.operation == operation }.count
        harness.faulty.inject(
            .failAfter(.offline("test")), into: operation, number: before + number)
        try await harness.move("/a", to: "/b")
        try await expect(tree(at: "/b"), of: harness)
        #expect(harness.server.receivedBytes == bytes)
    }

    @Test(
        "a process that ends during a move in parts, before the response",
        arguments: [RemoteOperation.move, .makeFolder, .delete], [1, 2, 4])
    func ended(_ operation: RemoteOperation, _ number: Int) async throws {
        let harness = try await harness()
        let isLost = Mutex(false)
        harness.faulty.inject(.failAfter(.offline("test"))) { call in
            guard call.operation == operation, call.number >= number else { return false }
            isLost.withLock { $0 = true }
            return true
        }
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) { _ in
            isLost.withLock { $0 }
        }
        try await harness.move("/a", to: "/b")
        try await harness.start()
        try await waitWhile {
            guard !isLost.withLock({ $0 }) else { return false }
            return try await harness.store.read { try $0.pending().operations } > 0
        }
        await harness.stop()
        harness.faulty.removeFaults()
        try await expect(tree(at: "/b"), of: harness)
    }

    @Test("what others store in the old folder before it has gone stays there", arguments: 2...9)
    func stored(_ number: Int) async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(number, of: harness)
        try await harness.put("/a/new", "theirs")
        harness.faulty.releaseStalled()
        var expected = tree(at: "/b")
        expected.updateValue(nil, forKey: "/a")
        expected["/a/new"] = "theirs"
        try await expect(expected, of: harness)
    }

    @Test("what others store in the old folder right before its deletion comes back")
    func storedAtDeletion() async throws {
        let harness = try await harness()
        harness.faulty.inject(.stall, into: .delete)
        try await harness.move("/a", to: "/b")
        try await harness.start()
        try await waitWhile { harness.faulty.stalledCount == 0 }
        try await harness.put("/a/new", "theirs")
        harness.faulty.releaseStalled()
        try await harness.finishSearches()
        var expected = tree(at: "/b")
        expected.updateValue(nil, forKey: "/a")
        expected["/a/new"] = "theirs"
        try await expect(expected, of: harness)
    }

    @Test("others delete the old folder half-way, and all that was in it is kept", arguments: 2...9)
    func deleted(_ number: Int) async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(number, of: harness)
        try await harness.remove("/a")
        harness.faulty.releaseStalled()
        try await expect(tree(at: "/b"), of: harness)
    }

    @Test("others move the old folder half-way, and all goes where users of this mount have it")
    func moved() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(4, of: harness)
        // Of the rest of it, the server moves less at once, too.
        harness.server.setMoveLimit(10_000)
        try await harness.relocate("/a", to: "/c")
        harness.faulty.releaseStalled()
        try await expect(tree(at: "/b"), of: harness)
    }

    @Test("users move the folder on, or back, while it is moved in parts", arguments: ["/a", "/c"])
    func movedOn(target: String) async throws {
        for number in 2...6 {
            let harness = try await harness()
            try await harness.move("/a", to: "/b")
            try await startUntilMove(number, of: harness)
            try await harness.move("/b", to: target)
            harness.faulty.releaseStalled()
            harness.noteChange()
            try await expect(tree(at: target), of: harness)
        }
    }

    @Test("users delete the folder while it is moved in parts")
    func removed() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(4, of: harness)
        try await harness.delete("/b")
        harness.faulty.releaseStalled()
        harness.noteChange()
        try await expect([:], of: harness)
    }

    @Test("a folder is deleted before the deltas of the moves into it, and does not come back")
    func removedBeforeDeltas() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(4, of: harness)
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.delete("/b")
        harness.faulty.releaseStalled()
        harness.noteChange()
        try await waitWhile {
            harness.faulty.calls.filter { $0.operation == .delete }.count < Self.files.count
        }
        harness.faulty.removeFaults()
        try await expect([:], of: harness)
    }

    @Test("an edit in a folder that is moved in parts is sent to the new place")
    func edited() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/b")
        try await startUntilMove(4, of: harness)
        try await harness.write("/b/1", "mine")
        try await harness.write("/b/s/new", "mine")
        harness.faulty.releaseStalled()
        harness.noteChange()
        var expected = tree(at: "/b")
        expected["/b/1"] = "mine"
        expected["/b/s/new"] = "mine"
        try await expect(expected, of: harness)
    }

    @Test("a folder is made at the name of one that moves into it, and both are large")
    func wrapped() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/t")
        try await harness.makeFolder("/a")
        try await harness.move("/t", to: "/a/s")
        var expected = tree(at: "/a/s")
        expected.updateValue(nil, forKey: "/a")
        try await expect(expected, of: harness)
    }

    @Test("two large folders change places")
    func exchanged() async throws {
        let others = (1...5).map { "/b/\($0)" }
        let harness = try await harness(Self.files + others)
        try await harness.move("/a", to: "/t")
        try await harness.move("/b", to: "/a")
        try await harness.move("/t", to: "/b")
        var expected = tree(at: "/b")
        expected.updateValue(nil, forKey: "/a")
        for path in others { expected["/a" + path.dropFirst(2)] = path }
        try await expect(expected, of: harness)
    }

    @Test("a rename that changes only case waits, with a reason, until the folder is small enough")
    func onlyCase() async throws {
        let harness = try await harness()
        try await harness.move("/a", to: "/A")
        let inode = try #require(try await harness.inode("/A"))
        try await harness.start()
        try await waitWhile { try await harness.problem(of: inode) == nil }
        #expect(try await harness.problem(of: inode)?.contains("only in case") == true)
        #expect(try await harness.serverTree() == tree(at: "/a"))
        harness.server.setMoveLimit(10)
        try await expect(tree(at: "/A"), of: harness)
    }

    @Test("a shared folder is not moved in parts: that would take its contents from its members")
    func shared() async throws {
        let harness = try await harness()
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { transaction in
            var facts = try #require(try transaction.node(inode)).facts
            facts.sharedFolderID = "4711"
            try transaction.setFacts(facts, of: inode)
        }
        try await harness.move("/a", to: "/b")
        try await harness.start()
        try await waitWhile { try await harness.problem(of: inode) == nil }
        #expect(try await harness.problem(of: inode)?.contains("shared") == true)
        await harness.stop()
        #expect(try await harness.serverTree() == tree(at: "/a"))
    }

    @Test("a folder is not moved in parts before its contents are known: they would stay behind")
    func notListed() async throws {
        let harness = try await harness()
        let inode = try #require(try await harness.inode("/a"))
        try await harness.move("/a", to: "/b")
        let split = try await harness.store.write { [harness] transaction in
            var context = harness.deltaContext
            context.isTreeComplete = false
            let results = UploadResults(transaction: transaction, context: context)
            return try results.split(inode)
        }
        #expect(split == .isNotListed)
        #expect(split.problem == nil)
    }

    @Test("a refusal because of the size leads to a move in parts, of folders only")
    func reaction() {
        let paths = (RemotePath(rawValue: "/a"), RemotePath(rawValue: "/b"))
        func reaction(to step: UploadStep) -> UploadReaction {
            UploadReaction(to: .remote(.tooManyEntries), step: step, attempts: 0)
        }
        var move = NodeMove(source: paths.0, target: paths.1, id: nil, isFolder: true)
        #expect(reaction(to: .move(move)) == .split)
        move.isFolder = false
        guard case .retry(3600, _) = reaction(to: .move(move)),
            case .retry(3600, _) = reaction(
                to: .deleteFolder(RemoteReference(path: paths.0, id: nil)))
        else {
            Issue.record("\(reaction(to: .move(move)))")
            return
        }
    }
}
