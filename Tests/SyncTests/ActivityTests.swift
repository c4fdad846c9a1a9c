// The events of Sync: progress within a piece, the events of the history, and a user's pause.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport
import Testing
import Tree

@testable import Sync

/// Collects activities as words.
final class ActivityList: SyncActivityObserving {
    let words = Mutex<[String]>([])

    func note(_ activity: SyncActivity) {
        let word: String
        switch activity {
        case .done(.settled), .done(.waitFor), .done(.waitForWriters): return
        case .done(.makeFolder(let path)): word = "made \(path)"
        case .done(.upload(let upload)): word = "sent \(upload.path) \(upload.staged.size)"
        case .done(.copy(_, let upload)): word = "copied \(upload.path)"
        case .done(.move(let move)): word = "moved \(move.source) \(move.target)"
        case .done(.setFacts(let update)): word = "facts \(update.node.path)"
        case .done(.deleteFile(let node, _)), .done(.deleteFolder(let node)):
            word = "deleted \(node.path)"
        case .received(let changes):
            let names = changes.compactMap { change -> String? in
                switch change {
                case .entry(_, let name), .deletedEntry(_, _, let name): name.string
                case .content: "content"
                case .attributes, .listing: nil
                }
            }
            word = "received " + names.sorted().joined(separator: " ")
        case .conflicts(let names, _): word = "conflicts \(names.count)"
        case .refused(let path, let problem): word = "refused \(path): \(problem)"
        case .accountFull: word = "full"
        case .accessRefused(let reason): word = "no access: \(reason)"
        }
        words.withLock { $0.append(word) }
    }

    var all: [String] { words.withLock { $0 } }

    /// Waits for activities. Each is noted after the transaction that it tells of, so the tree may
    /// have settled before.
    func wait(for expected: String...) async throws {
        try await waitWhile { !Set(expected).isSubset(of: all) }
    }
}

@Suite(.timeLimit(.minutes(2))) struct ActivityTests {
    @Test("each step that the server has carried out is told once, and deltas as what they change")
    func steps() async throws {
        let list = ActivityList()
        let harness = try Harness(activities: list)
        try await harness.settle()
        #expect(list.all.isEmpty, "a listing is no event")
        try await harness.makeFolder("/folder")
        try await harness.write("/folder/a", "12345")
        try await harness.settle()
        try await list.wait(for: "made /folder", "sent /folder/a 5")
        try await harness.move("/folder/a", to: "/b")
        try await harness.settle()
        try await list.wait(for: "moved /folder/a /b")
        try await harness.delete("/b")
        try await harness.settle()
        try await list.wait(for: "deleted /b")
        try await harness.put("/theirs", "x")
        try await harness.settle()
        try await list.wait(for: "received theirs")
        #expect(Set(list.all.prefix(2)) == ["made /folder", "sent /folder/a 5"])
        #expect(list.all.dropFirst(2) == ["moved /folder/a /b", "deleted /b", "received theirs"])
        await harness.stop()
    }

    @Test("several observers get each activity")
    func several() {
        let lists = [ActivityList(), ActivityList()]
        let observers = SyncActivityObservers(lists[0], nil, lists[1])
        observers.note(.accountFull)
        observers.note(.accessRefused("test"))
        for list in lists { #expect(list.all == ["full", "no access: test"]) }
    }

    @Test("a file that is sent, moved and deleted before the delta is not received, nor asked for")
    func goneBeforeDelta() async throws {
        let list = ActivityList()
        let harness = try Harness(activities: list)
        try await harness.settle()
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.write("/a", "12345")
        try await harness.drain()
        try await harness.move("/a", to: "/b")
        try await harness.drain()
        try await harness.delete("/b")
        try await harness.drain()
        harness.faulty.removeFaults()
        try await harness.put("/theirs", "x")
        try await harness.settle()
        try await list.wait(for: "sent /a 5", "moved /a /b", "deleted /b", "received theirs")
        #expect(
            list.all.sorted() == ["deleted /b", "moved /a /b", "received theirs", "sent /a 5"])
        #expect(!harness.faulty.calls.contains { $0.operation == .entry })
        await harness.stop()
    }

    @Test("what a refusal shows of other clients is told once, before the delta of it")
    func foundAfterRefusal() async throws {
        let list = ActivityList()
        let harness = try Harness(activities: list)
        try await harness.put("/folder/a", "1")
        try await harness.settle()
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.relocate("/folder", to: "/moved")
        try await harness.write("/folder/a", "2")
        try await harness.drain()
        try await list.wait(for: "received folder moved", "sent /moved/a 1")
        harness.faulty.removeFaults()
        try await harness.settle()
        #expect(list.all.count { $0.hasPrefix("received") } == 1, "\(list.all)")
        await harness.stop()
    }

    @Test("a refusal is told once, however often it is repeated, and so is a full account")
    func refusals() async throws {
        let list = ActivityList()
        let harness = try Harness(activities: list)
        try await harness.settle()
        harness.faulty.inject(.failBefore(.insufficientSpace), times: 3) {
            $0.operation == .upload
        }
        try await harness.write("/big", "x")
        try await harness.settle()
        try await list.wait(for: "sent /big 1")
        #expect(list.all.count { $0 == "full" } == 1)
        #expect(list.all.count { $0.hasPrefix("refused /big: the account is full") } == 1)
        #expect(list.all.last == "sent /big 1")
        await harness.stop()
    }

    @Test("a login that has ended is told once")
    func login() async throws {
        let list = ActivityList()
        let harness = try Harness(activities: list)
        try await harness.settle()
        harness.faulty.inject(.failBefore(.unauthorized("revoked")), times: nil) { _ in true }
        try await harness.write("/a", "x")
        harness.noteChange()
        try await waitWhile { !list.all.contains("no access: revoked") }
        try await harness.finishPass()
        #expect(list.all.count { $0.hasPrefix("no access") } == 1)
        await harness.stop()
    }

    @Test(
        "progress moves within a piece, begins anew with a repeated request, and never exceeds the file"
    )
    func progress() async throws {
        let harness = try Harness()
        try await harness.settle()
        let account = try #require(harness.engine).account
        let inode = InodeID(4711)
        func sent() -> Int64? { account.state.current.uploads[inode]?.sent }
        account.state.update { $0.uploads[inode] = .init(path: "/big", size: 100) }
        let source = account.tracking(
            MemorySource([UInt8](repeating: 7, count: 100)), piece: 40..<80, of: inode)
        source.noteTaken(upTo: 60)
        #expect(sent() == 20)
        // Another piece at the same time.
        account.tracking(source, piece: 0..<40, of: inode).noteTaken(upTo: 40)
        #expect(sent() == 60)
        source.noteTaken(upTo: 45)
        #expect(sent() == 45)
        account.state.update { $0.uploads[inode]?.noteArrival(of: 40..<80) }
        #expect(sent() == 80)
        source.noteTaken(upTo: .max)
        #expect(sent() == 100)
        source.noteTaken(upTo: .min)
        #expect(sent() == 80)
        // The end of the upload ends its progress.
        account.state.update { $0.uploads[inode] = nil }
        source.noteTaken(upTo: 50)
        #expect(sent() == nil)
        await harness.stop()
    }

    @Test("nothing is sent in a pause, requests that run are ended, and all goes on after it")
    func pause() async throws {
        let harness = try Harness()
        try await harness.settle()
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        let inode = try await harness.write("/a", "text")
        harness.noteChange()
        try await harness.finishPass()
        #expect(try await harness.serverTree()["/a"] == nil)
        let source = engine.account.tracking(MemorySource("text"), piece: 0..<4, of: inode)
        var buffer = [UInt8](repeating: 0, count: 4)
        #expect(throws: TrackedSource.Paused.self) {
            try buffer.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        }
        await #expect(throws: SyncError.self) { try await engine.drain(inode) }
        engine.setPaused(false)
        try await harness.settle()
        #expect(try await harness.serverTree()["/a"] == "text")
        await harness.stop()
    }

    @Test("a caller that waits for a file is told why the folder above cannot be made")
    func refusedFolder() async throws {
        let harness = try Harness()
        try await harness.settle()
        harness.faulty.inject(.failBefore(.forbidden("test")), times: nil) {
            $0.operation == .makeFolder
        }
        try await harness.makeFolder("/new")
        let inode = try await harness.write("/new/file", "text")
        harness.noteChange()
        let engine = try #require(harness.engine)
        await #expect(throws: SyncError(problem: "not allowed: test")) {
            try await engine.drain(inode)
        }
        await harness.stop()
    }
}
