// Deleting a folder takes everything in it, so the server is asked first what that is.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct DeletedFolderTests {
    private func harness(pageSize: Int = 2000, _ paths: [String]) async throws -> Harness {
        let harness = try Harness(server: InMemoryStore(pageSize: pageSize))
        for path in paths { try await harness.put(path, path) }
        return harness
    }

    @Test("a folder with a name that cannot be shown on any page comes back")
    func impossibleName() async throws {
        let harness = try await harness(
            pageSize: 2, ["/a/1", "/a/0 impossible", "/a/2", "/a/3", "/a/4"])
        harness.faulty.impossibleNames = ["0 impossible"]
        try await harness.start()
        let engine = try #require(harness.engine)
        try await waitWhile { !engine.isTreeComplete }
        try await harness.delete("/a")
        harness.noteChange()
        try await harness.drain()
        #expect(try await harness.serverTree()["/a/0 impossible"] == "/a/0 impossible")
        #expect(try await harness.tree()["/a"] != nil, "\(harness.history.text)")
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test(
        "a folder that the server does not list at once is listed folder by folder, and deleted",
        arguments: [RemoteError.server("too much"), .timedOut])
    func refused(_ error: RemoteError) async throws {
        let harness = try await harness(["/a/1", "/a/b/2", "/a/b/c/3", "/other"])
        try await harness.settle()
        harness.faulty.inject(.failBefore(error), times: nil) {
            $0.operation == .list && $0.subject == "/a" + FaultInjectingStore.below
        }
        try await harness.delete("/a")
        harness.noteChange()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/other": "/other"])
        let listed = harness.faulty.calls.filter { $0.operation == .list }.map(\.subject)
        #expect(listed.suffix(3) == ["/a", "/a/b", "/a/b/c"])
        try await harness.checkInvariants()
    }

    @Test("a listing whose cursor expires on the way begins anew, a few times")
    func expired() async throws {
        let harness = try await harness(pageSize: 2, ["/a/1", "/a/2", "/a/3"])
        let faulty = harness.faulty
        faulty.inject(.failBefore(.cursorReset), times: 2) { $0.operation == .listAfter }
        let contents = try await faulty.contents(of: "/a", recursive: false)
        #expect(contents.entries.map(\.name.string).sorted() == ["1", "2", "3"])
        faulty.inject(.failBefore(.cursorReset), times: nil) { $0.operation == .listAfter }
        await #expect(throws: RemoteError.cursorReset) {
            try await faulty.contents(of: "/a", recursive: false)
        }
    }

    @Test("what others put deep into a folder that is listed folder by folder brings it back")
    func refusedAndChanged() async throws {
        let harness = try await harness(["/a/1", "/a/b/c/3"])
        try await harness.settle()
        await harness.stop()
        try await harness.put("/a/b/c/new", "theirs")
        try await harness.delete("/a")
        let known = try await harness.store.read { try $0.setting("feed.cursor") }
        harness.faulty.inject(.failBefore(.server("too much")), times: nil) {
            // No deltas for the tree.
            $0.operation == .listAfter && $0.subject == known
                || $0.subject == "/a" + FaultInjectingStore.below
        }
        try await harness.start(knowingAll: true)
        try await harness.drain()
        harness.faulty.removeFaults()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.tree()["/a/b/c/new"] == "theirs")
        try await harness.checkInvariants()
    }

    @Test("what others put into a folder while its folders are listed brings it back")
    func refusedAndChangedMeanwhile() async throws {
        let harness = try await harness(["/a/1", "/a/b/c/3"])
        try await harness.settle()
        let faulty = harness.faulty
        faulty.inject(.failBefore(.server("too much")), times: nil) {
            $0.operation == .list && $0.subject == "/a" + FaultInjectingStore.below
        }
        faulty.inject(.stall) { $0.operation == .list && $0.subject == "/a/b/c" }
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile { faulty.stalledCount == 0 }
        try await harness.put("/a/b/new", "theirs")
        faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.tree()["/a/b/new"] == "theirs", "\(harness.history.text)")
        try await harness.checkInvariants()
    }

    @Test("a folder that others wrapped in one of its name is not deleted with its new content")
    func wrapped() async throws {
        let harness = try await harness(["/f/x"])
        try await harness.settle()
        await harness.stop()
        try await harness.relocate("/f", to: "/t")
        try await harness.putFolder("/f")
        try await harness.relocate("/t", to: "/f/b")
        try await harness.put("/f/b/new", "theirs")
        try await harness.delete("/f")
        let known = try await harness.store.read { try $0.setting("feed.cursor") }
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            // No deltas for the tree.
            $0.operation == .listAfter && $0.subject == known
        }
        let before = harness.faulty.calls.count
        try await harness.start(knowingAll: true)
        // The listing of the whole tree has been; this is that of the folder.
        try await waitWhile {
            !harness.faulty.calls.dropFirst(before).contains { call in
                call.operation == .list && call.subject.hasSuffix(FaultInjectingStore.below)
            }
        }
        harness.faulty.removeFaults()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.tree()["/f/b/new"] == "theirs", "\(harness.history.text)")
        try await harness.checkInvariants()
    }

    /// Deletes `/a` here, and has another client do something between its last listing and its
    /// deletion on the server.
    private func deleting(
        _ paths: [String], refusesToList: Bool = false,
        _ meanwhile: (Harness) async throws -> Void,
        afterwards: (Harness) async throws -> Void = { _ in }
    ) async throws -> Harness {
        let harness = try await harness(paths)
        try await harness.settle()
        let faulty = harness.faulty
        if refusesToList {
            faulty.inject(.failBefore(.server("too much")), times: nil) {
                $0.operation == .list && $0.subject == "/a" + FaultInjectingStore.below
            }
        }
        faulty.inject(.stall) { $0.operation == .delete && $0.subject == "/a" }
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile { faulty.stalledCount == 0 }
        #expect(try await harness.serverTree().values.allSatisfy { $0 == nil })
        try await meanwhile(harness)
        faulty.releaseStalled()
        try await harness.drain()
        try await afterwards(harness)
        try await harness.finishSearches()
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        return harness
    }

    @Test(
        "files that others store in a folder in the last moment come back under any earlier name of the folder",
        arguments: ["/a/1", "/a/b/2", "/a/new", "/a/b/new", "/a/c/new"], [false, true])
    func storedInTheLastMoment(_ path: String, refusesToList: Bool) async throws {
        let harness = try await deleting(["/a/1", "/a/b/2"], refusesToList: refusesToList) {
            try await $0.put(path, "theirs")
        }
        let files = try await harness.tree().compactMapValues(\.self)
        #expect(files == [path: "theirs"], "\(harness.history.text)")
    }

    @Test(
        "a failed search of a deleted folder is reported, and repeated: by the next process if not by this one",
        arguments: [(RemoteError.offline("test"), true), (.malformed("test"), false)])
    func failedSearch(_ error: RemoteError, isRepeated: Bool) async throws {
        let harness = try await deleting(["/a/1"]) { harness in
            harness.faulty.inject(.failBefore(error), times: nil) {
                $0.operation == .listAfter && $0.subject.contains("\"tellsEachDeletion\":true")
            }
            try await harness.put("/a/new", "theirs")
        } afterwards: { harness in
            // The search ends after the journal is empty.
            try await waitForReport(harness)
            if !isRepeated {
                await harness.stop()
                try await harness.start()
                try await waitForReport(harness)
                await harness.stop()
            }
            harness.faulty.removeFaults()
            if !isRepeated { try await harness.start() }
            let engine = try #require(harness.engine)
            try await waitWhile { !engine.status.unsearchedFolders.isEmpty }
        }
        let files = try await harness.tree().compactMapValues(\.self)
        #expect(files == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    private func waitForReport(_ harness: Harness) async throws {
        let engine = try #require(harness.engine)
        try await waitWhile { engine.status.unsearchedFolders.isEmpty }
        #expect(engine.status.unsearchedFolders == ["/a"], "\(harness.history.text)")
    }

    @Test("what others move out of a folder in the last moment stays where they moved it")
    func movedOut() async throws {
        let harness = try await deleting(["/a/1", "/a/2"]) {
            try await $0.put("/a/new", "theirs")
            try await $0.relocate("/a/new", to: "/kept")
            try await $0.put("/other/3", "theirs")
            try await $0.remove("/other/3")
        }
        let files = try await harness.tree().compactMapValues(\.self)
        #expect(files["/kept"] == "theirs", "\(harness.history.text)")
        #expect(Set(files.keys).isSubset(of: ["/kept", "/a/new"]), "\(harness.history.text)")
    }

    @Test("a folder that others do not touch is deleted by four requests beside those of its files")
    func requests() async throws {
        let paths = (0..<500).map { "/a/\($0 % 7)/\($0)" }
        let harness = try await harness(paths)
        try await harness.settle()
        let before = harness.faulty.calls.count
        try await harness.delete("/a")
        harness.noteChange()
        try await harness.settle()
        await harness.stop()
        let calls = harness.faulty.calls.dropFirst(before).filter { call in
            switch call.operation {
            // The feed's, and the one of every ten minutes.
            case .waitForChange, .space: false
            case .listAfter: call.subject.contains("\"tellsEachDeletion\":true")
            case .delete: !paths.contains(call.subject)
            default: true
            }
        }
        #expect(
            calls.map(\.operation) == [.deletionCursor, .list, .delete, .listAfter],
            "\(harness.history.text)")
        #expect(try await harness.serverTree().isEmpty)
    }

    @Test("row L1 again: others make and delete another folder in the place of one that is kept")
    func keptAgain() async throws {
        let harness = try Harness(localName: "here only")
        try await harness.put("/d/x", "1")
        try await harness.settle()
        _ = try await harness.write("/d/here only", "mine")
        try await harness.remove("/d")
        try await harness.settle()
        await harness.stop()
        try await harness.putFolder("/d")
        try await harness.remove("/d")
        try await harness.settle()
        #expect(try await harness.serverTree().isEmpty)
        #expect(try await harness.inode("/d/here only") != nil)
        await harness.stop()
    }
}
