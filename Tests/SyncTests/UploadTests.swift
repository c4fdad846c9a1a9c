// The changes that reach the server, and their form: coalescing, atomic saves, cycles of renames,
// restarts.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct UploadTests {
    private func id(_ harness: Harness, _ path: String) async throws -> FileID? {
        guard
            case .file(let file) = try await harness.server.entry(
                at: RemotePath(rawValue: path))?.kind
        else { return nil }
        return file.id
    }

    @Test("new folders and files arrive, the folders first")
    func newTree() async throws {
        let harness = try Harness()
        try await harness.makeFolder("/a")
        try await harness.makeFolder("/a/b")
        try await harness.write("/a/b/c", "deep")
        try await harness.write("/top", "")
        try await harness.settle()
        #expect(
            try await harness.serverTree()
                == ["/a": nil, "/a/b": nil, "/a/b/c": "deep", "/top": ""])
        await harness.stop()
    }

    @Test(
        "a change that becomes due during a scan of the journal is sent",
        .timeLimit(.minutes(5)), arguments: 1...8)
    func dueMeanwhile(ticks: Int) async throws {
        let clock = TickingClock()
        let harness = try Harness(clock: clock)
        try await harness.settle()
        // Until no pass runs: a second one would find what the first one missed.
        try await harness.finishPass()
        try await harness.makeFolder("/a", due: clock.now().adding(seconds: Double(ticks) + 0.5))
        try await waitWhile { try await harness.serverTree().isEmpty }
        await harness.stop()
    }

    @Test("a temporary file renamed over its target is the target's next revision")
    func atomicSave() async throws {
        let harness = try Harness()
        try await harness.put("/doc", "old")
        try await harness.settle()
        await harness.stop()
        let before = try await id(harness, "/doc")
        try await harness.write("/.doc.tmp", "new")
        try await harness.move("/.doc.tmp", to: "/doc")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/doc": "new"])
        #expect(try await id(harness, "/doc") == before)
        await harness.stop()
    }

    @Test("a file renamed away, written anew and its backup deleted keeps its identity")
    func backupSave() async throws {
        let harness = try Harness()
        try await harness.put("/doc", "old")
        try await harness.settle()
        await harness.stop()
        let before = try await id(harness, "/doc")
        try await harness.move("/doc", to: "/doc~")
        try await harness.write("/doc", "new")
        try await harness.delete("/doc~")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/doc": "new"])
        #expect(try await id(harness, "/doc") == before)
        await harness.stop()
    }

    @Test("a file in the place of a deleted cloud document is a new file, by any way of saving")
    func documentReplaced() async throws {
        let harness = try Harness()
        for path in ["/removed", "/away"] { try harness.server.otherClient.document(path) }
        try await harness.settle()
        await harness.stop()
        let before = [try await id(harness, "/removed"), try await id(harness, "/away")]
        #expect(!before.contains(nil))
        try await harness.delete("/removed")
        try await harness.move("/away", to: "/away~")
        for path in ["/removed", "/away"] { try await harness.write(path, "new") }
        try await harness.delete("/away~")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/removed": "new", "/away": "new"])
        for path in ["/removed", "/away"] {
            #expect(!before.contains(try await id(harness, path)))
        }
        await harness.stop()
    }

    @Test("a node that is created and deleted again never reaches the server")
    func temporaryFiles() async throws {
        let harness = try Harness()
        try await harness.settle()
        await harness.stop()
        try await harness.write("/lock", "x")
        try await harness.delete("/lock")
        try await harness.settle()
        #expect(try await harness.serverTree() == [:])
        await harness.stop()
    }

    @Test("three files that change places in a ring arrive in their new places")
    func ring() async throws {
        let harness = try Harness()
        for name in ["a", "b", "c"] { try await harness.put("/" + name, name) }
        try await harness.settle()
        await harness.stop()
        try await harness.move("/a", to: "/t")
        try await harness.move("/c", to: "/a")
        try await harness.move("/b", to: "/c")
        try await harness.move("/t", to: "/b")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/a": "c", "/b": "a", "/c": "b"])
        await harness.stop()
    }

    @Test("a rename that changes only case arrives")
    func caseRename() async throws {
        let harness = try Harness()
        try await harness.put("/Folder/x", "1")
        try await harness.settle()
        try await harness.move("/Folder", to: "/FOLDER")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/FOLDER": nil, "/FOLDER/x": "1"])
        await harness.stop()
    }

    @Test("a folder moved below its former child arrives as a tree")
    func insideOut() async throws {
        let harness = try Harness()
        try await harness.put("/a/b/x", "1")
        try await harness.settle()
        await harness.stop()
        try await harness.move("/a/b", to: "/b")
        try await harness.move("/a", to: "/b/a")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/b": nil, "/b/x": "1", "/b/a": nil])
        await harness.stop()
    }

    @Test("a deleted tree with a file moved out of it loses only the rest")
    func rescueFromDeletedTree() async throws {
        let harness = try Harness()
        try await harness.put("/d/e/keep", "1")
        try await harness.put("/d/e/drop", "2")
        try await harness.settle()
        await harness.stop()
        try await harness.move("/d/e/keep", to: "/kept")
        try await harness.delete("/d")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/kept": "1"])
        await harness.stop()
    }

    @Test("a file over another one that is on the server too takes its place")
    func replaceSynced() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.put("/b", "2")
        try await harness.settle()
        try await harness.move("/a", to: "/b")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/b": "1"])
        await harness.stop()
    }

    @Test("content of several pieces arrives whole, and again after a change")
    func bigFile() async throws {
        let harness = try Harness()
        try await harness.settle()
        // More than one piece of 16 MiB, and no whole number of blocks.
        var text = String(repeating: "0123456789abcdef", count: 17 * 65536 + 1)
        for _ in 0..<2 {
            try await harness.write("/big", text)
            try await harness.drain()
            guard
                case .file(let file) = try await harness.server.entry(
                    at: RemotePath(rawValue: "/big"))?.kind
            else { return #expect(Bool(false), "the file is not there") }
            #expect(file.hash == ContentHasher.hash(Array(text.utf8)))
            text += "!"
        }
        await harness.stop()
    }

    @Test("an expired cursor lists again: nodes deleted in between go, unsent ones stay")
    func cursorReset() async throws {
        let harness = try Harness()
        try await harness.put("/stays", "1")
        try await harness.put("/goes/x", "2")
        try await harness.settle()
        await harness.stop()
        let inode = try await harness.inode("/stays")
        try await harness.remove("/goes")
        try await harness.put("/new", "3")
        try await harness.write("/ours", "4")
        harness.server.resetCursors()
        try await harness.settle()
        #expect(
            try await harness.tree() == ["/stays": "1", "/new": "3", "/ours": "4"])
        #expect(try await harness.inode("/stays") == inode)
        await harness.stop()
    }

    @Test("a copy that waits does not become what its source was made into since")
    func latePendingCopy() async throws {
        let harness = try Harness()
        let source = try await harness.write("/s", "first")
        let copy = try await harness.write("/t", "first")
        try await harness.store.write { transaction in
            try Self.setPendingCopy(copy, of: source, in: transaction)
            try transaction.reschedule(copy, due: WallTime(seconds: 4_000_000_000))
        }
        func sent() async throws {
            try await waitWhile {
                try await harness.store.read({ try $0.journalEntry(of: source) }) != nil
            }
        }
        try await harness.start()
        try await sent()
        try await harness.write("/s", "other")
        harness.noteChange()
        try await sent()
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/s": "other", "/t": "first"])
        await harness.stop()
    }

    @Test("a copy does not become a revision of its source that has another size")
    func otherPendingCopy() async throws {
        let harness = try Harness()
        let source = try await harness.write("/s", "first")
        let copy = try await harness.write("/t", "second")
        try await harness.store.write { transaction in
            try Self.setPendingCopy(copy, of: source, in: transaction)
        }
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/s": "first", "/t": "second"])
        await harness.stop()
    }

    private static func setPendingCopy(
        _ copy: InodeID, of source: InodeID, in transaction: Transaction
    ) throws {
        let from = try #require(try transaction.node(source)?.staged).generation
        let own = try #require(try transaction.node(copy)?.staged).generation
        try transaction.setPendingCopy(
            PendingCopy(source: source, sourceGeneration: from, generation: own), of: copy)
    }

    @Test("the time that is sent with an open file is that of its last write")
    func timeOfOpenFile() async throws {
        let harness = try Harness()
        let inode = try await harness.write("/a", "old")
        harness.openFiles.writers.withLock { _ = $0.insert(inode) }
        let last = WallTime(seconds: 2_000_000_000)
        let node = try #require(try await harness.store.read { try $0.node(inode) })
        let file = try #require(try harness.staging.file(of: node))
        _ = try file.truncate(to: 0, now: last)
        let (staging, openFiles) = (harness.staging, harness.openFiles)
        let step = try await harness.store.write { transaction in
            let planner = UploadPlanner(
                transaction: transaction, openFiles: openFiles, staging: staging,
                urgent: .all, date: last, openFileInterval: 30)
            return try planner.step(for: inode)
        }
        guard case .upload(let upload) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(upload.modified == last)
    }

    @Test("a name that the server stores otherwise is an alias, and not sent again and again")
    func otherName() async throws {
        let harness = try Harness()
        let name = String(repeating: "\u{344}", count: 33)
        let inode = try await harness.write("/" + name, "text")
        try await harness.settle()
        #expect(harness.faulty.calls.count { $0.operation == .move } == 0)
        #expect(try await Array(harness.serverTree().values) == ["text"])
        let place = try await harness.store.read { try $0.node(inode)?.place }
        #expect(place?.name.shown == Array(name.utf8))
        await harness.stop()
    }

    @Test("a file that is being written is sent if a caller waits for it, and no other one")
    func awaited() async throws {
        let harness = try Harness()
        let inode = try await harness.write("/a", "new")
        harness.openFiles.writers.withLock { _ = $0.insert(inode) }
        let (staging, openFiles) = (harness.staging, harness.openFiles)
        let node = try #require(try await harness.store.read { try $0.node(inode) })
        func isSent(_ urgent: UploadPlanner.Urgency) async throws -> Bool {
            try await harness.store.write { transaction in
                let planner = UploadPlanner(
                    transaction: transaction, openFiles: openFiles, staging: staging,
                    urgent: urgent, date: node.modified, openFileInterval: 30)
                if case .upload = try planner.step(for: inode) { return true }
                return false
            }
        }
        #expect(try await !isSent(.nodes([])))
        #expect(try await !isSent(.nodes([.root])))
        #expect(try await isSent(.nodes([inode])))
        #expect(try await isSent(.all))
    }

    @Test("a file that is open for writing is not sent before its first write")
    func firstWrite() async throws {
        let harness = try Harness()
        let inode = try await harness.write("/a", "old")
        try await harness.start()
        try await harness.settle()
        await harness.stop()
        harness.openFiles.writers.withLock { _ = $0.insert(inode) }
        let (staging, openFiles) = (harness.staging, harness.openFiles)
        func step(isDraining: Bool) async throws -> UploadStep {
            try await harness.store.write { transaction in
                let planner = UploadPlanner(
                    transaction: transaction, openFiles: openFiles, staging: staging,
                    urgent: isDraining ? .all : .nodes([]), date: WallTime(seconds: 4_000_000_000),
                    openFileInterval: 30)
                return try planner.step(for: inode)
            }
        }
        let file = try await harness.store.write { transaction in
            let facts = try #require(try transaction.node(inode)).facts
            let base = try #require(StagedContent.Base(whole: facts))
            return try staging.begin(inode, base: base, size: base.size, in: transaction)
        }
        #expect(try await step(isDraining: false) == .waitForWriters)
        // A caller that waits for the queue does not wait for the writer.
        #expect(try await step(isDraining: true) == .settled)
        _ = try file.truncate(to: 1, now: .now())
        guard case .upload = try await step(isDraining: false) else {
            Issue.record("changed content is not sent")
            return
        }
    }
}
