// A listing that comes in pages, and what happens between them.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct ListingTests {
    /// A mount that knows everything, and that gets nothing before `body` is done but the first
    /// page of a new listing: two entries.
    private func listedAgain(
        files: [String], _ body: (Harness) async throws -> Void
    ) async throws -> Harness {
        let harness = try Harness(server: InMemoryStore(pageSize: 2))
        for path in files { try await harness.put(path, path) }
        try await harness.settle()
        await harness.stop()
        harness.server.resetCursors()
        let faulty = harness.faulty
        faulty.inject(.stall) { $0.operation == .listAfter && $0.subject.contains("\"epoch\":1") }
        try await harness.start()
        try await waitWhile { faulty.stalledCount == 0 }
        try await body(harness)
        harness.noteChange()
        faulty.releaseStalled()
        return harness
    }

    @Test("after a cursor has expired, nothing is sent before everything is listed again")
    func nothingSentBefore() async throws {
        let harness = try Harness(server: InMemoryStore(pageSize: 2))
        for path in ["/a/x", "/c/1", "/c/2", "/c/3", "/z"] { try await harness.put(path, path) }
        try await harness.settle()
        await harness.stop()
        try await harness.relocate("/a", to: "/zz")
        try await harness.write("/a/mine", "mine")
        harness.server.resetCursors()
        let faulty = harness.faulty
        faulty.inject(.stall) { $0.operation == .listAfter && $0.subject.contains("\"epoch\":1") }
        try await harness.start()
        try await waitWhile { faulty.stalledCount == 0 }
        try await harness.finishPass()
        #expect(!faulty.calls.contains { $0.operation == .upload })
        faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
        let tree = try await harness.serverTree()
        #expect(tree["/zz/mine"] == "mine" && tree["/a/mine"] == nil, "\(harness.history.text)")
    }

    @Test("a listing counts what it has seen: from the beginning, after a restart, and again")
    func counted() async throws {
        let harness = try Harness(server: InMemoryStore(pageSize: 2))
        for path in ["/1", "/2", "/3", "/4", "/5"] { try await harness.put(path, path) }
        let faulty = harness.faulty
        faulty.inject(.failBefore(.server("test")), times: nil) { $0.operation == .listAfter }
        try await harness.start()
        try await waitWhile { harness.engine?.status.listedEntries != 2 }
        var status = try #require(harness.engine).status
        #expect(status.isListing && !status.isTreeComplete && status.listedBytes == 4)
        await harness.stop()
        try await harness.start()
        status = try #require(harness.engine).status
        #expect(status.isListing && status.listedEntries == 2 && status.listedBytes == 4)
        faulty.removeFaults()
        try await harness.settle()
        status = try #require(harness.engine).status
        #expect(!status.isListing && status.listedEntries == 5 && status.listedBytes == 10)
        // What comes later is no part of it.
        try await harness.put("/6", "six")
        try await harness.settle()
        #expect(harness.engine?.status.listedEntries == 5)
        await harness.stop()
        // Another listing, which begins from nothing, and knows the tree.
        harness.server.resetCursors()
        faulty.inject(.stall) { $0.operation == .listAfter && $0.subject.contains("\"epoch\":1") }
        try await harness.start()
        try await waitWhile { faulty.stalledCount == 0 }
        status = try #require(harness.engine).status
        #expect(status.isListing && status.isTreeComplete && status.listedEntries == 2)
        faulty.releaseStalled()
        // The tree is complete before the listing has ended.
        try await waitWhile { harness.engine?.status.isListing != false }
        #expect(harness.engine?.status.listedEntries == 6)
        await harness.stop()
    }

    @Test("a listing that begins after a time offline, or again, begins then")
    func begin() {
        var status = SyncStatus()
        let (start, later) = (WallTime(nanoseconds: 1), WallTime(nanoseconds: 2))
        status.listingBegan = start
        status.beginListing(at: later)
        #expect(status.listingBegan == start)
        status.connection = .offline
        status.beginListing(at: later)
        #expect(status.listingBegan == later)
        (status.connection, status.isListing, status.isTreeComplete) = (.online, false, true)
        status.listingBegan = start
        status.noteListed(entries: 7, bytes: 7)
        #expect(status.listedEntries == 0)
        status.beginListing(at: later)
        status.noteListed(entries: 7, bytes: .max)
        status.noteListed(entries: .max, bytes: 7)
        #expect(status.isListing && status.listingBegan == later)
        #expect(status.listedEntries == .max && status.listedBytes == .max)
    }

    @Test("what a folder had is announced in the one that it turns out to be")
    func absorbed() async throws {
        let harness = try Harness()
        try await harness.put("/there/x", "x")
        try await harness.settle()
        await harness.stop()
        try await harness.makeFolder("/here")
        let there = try #require(try await harness.inode("/there"))
        let here = try #require(try await harness.inode("/here"))
        let context = harness.deltaContext
        let changes = try await harness.store.write { transaction in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            if let there = try transaction.node(there), let here = try transaction.node(here) {
                try applier.absorb(there, into: here)
            }
            return applier.outcome.changes
        }
        #expect(changes.contains(.entry(parent: here, name: try FileName("x"))))
        #expect(changes.contains(.listing(here)))
    }

    @Test("a listing that goes on for ever is given up")
    func endless() async throws {
        // Each of its pages is empty, and there is always one more.
        let server = InMemoryStore(pageSize: 0)
        let cursor = try await server.latestCursor()
        _ = try server.otherClient.makeFolder("/a")
        await #expect(throws: RemoteError.malformed("the listing goes on for ever")) {
            try await server.changes(after: cursor)
        }
    }

    @Test("a listing of more text than fits into memory is given up")
    func heavy() async throws {
        let server = InMemoryStore(pageSize: 50)
        let cursor = try await server.latestCursor()
        let path = String(repeating: "/" + String(repeating: "n", count: 250), count: 1020)
        _ = try server.otherClient.makeFolder(path)
        await #expect(throws: RemoteError.malformed("the listing goes on for ever")) {
            try await server.changes(after: cursor)
        }
    }

    @Test("what others deleted in a listed folder goes, though this mount moved the folder")
    func deletedBeforeMove() async throws {
        let harness = try await listedAgain(files: ["/a/x", "/a/y", "/z/1", "/z/2", "/z/3"]) {
            try await $0.remove("/a/x")
            try await $0.move("/a", to: "/b")
        }
        try await expect(
            ["/b": nil, "/b/y": "/a/y", "/z": nil, "/z/1": "/z/1", "/z/2": "/z/2", "/z/3": "/z/3"],
            of: harness)
    }

    @Test("what others deleted in a listed folder goes, though they moved the folder")
    func deletedBeforeTheirMove() async throws {
        let harness = try await listedAgain(files: ["/a/x", "/a/y", "/b/1", "/b/2"]) {
            try await $0.remove("/a/x")
            try await $0.relocate("/a", to: "/c")
        }
        try await expect(
            ["/b": nil, "/b/1": "/b/1", "/b/2": "/b/2", "/c": nil, "/c/y": "/a/y"], of: harness)
    }

    @Test("the older contents of a moved folder stay with it, though a listing lacks both")
    func movedWithOlderContents() async throws {
        let harness = try Harness()
        try await harness.put("/x", "text")
        try await harness.settle()
        try await harness.put("/a/y", "other")
        try await harness.settle()
        try await harness.relocate("/x", to: "/a/x")
        try await harness.settle()
        await harness.stop()
        try await harness.move("/a", to: "/b")
        try await harness.remove("/a")
        harness.server.resetCursors()
        try await harness.settle()
        await harness.stop()
        let tree = try await harness.serverTree()
        #expect(tree["/b/x"] == "text" && tree["/b/y"] == "other", "\(harness.history.text)")
    }

    @Test("a folder that others wrapped in one of its own name is not taken for its own folder")
    func wrapped() async throws {
        let harness = try Harness(server: InMemoryStore(pageSize: 2))
        for path in ["/f/x", "/z/1", "/z/2", "/z/3"] { try await harness.put(path, path) }
        let faulty = harness.faulty
        faulty.inject(.stall, into: .listAfter)
        try await harness.start()
        try await waitWhile { faulty.stalledCount == 0 }
        try await harness.relocate("/f", to: "/t")
        try await harness.putFolder("/f")
        try await harness.relocate("/t", to: "/f/b")
        // Between two pages.
        try await harness.lookAt("/f")
        let gate = try #require(harness.engine).account.gate
        try await waitWhile { await !gate.isWanted }
        faulty.releaseStalled()
        try await expect(
            [
                "/f": nil, "/f/b": nil, "/f/b/x": "/f/x", "/z": nil, "/z/1": "/z/1",
                "/z/2": "/z/2", "/z/3": "/z/3",
            ], of: harness)
    }

    @Test("a folder's content stays when this mount moves it to where the listing has been")
    func movedBehind() async throws {
        let harness = try await listedAgain(files: ["/a/1", "/z/deep/x", "/z/y"]) {
            try await $0.move("/z", to: "/a/z")
        }
        try await expect(
            [
                "/a": nil, "/a/1": "/a/1", "/a/z": nil, "/a/z/deep": nil,
                "/a/z/deep/x": "/z/deep/x", "/a/z/y": "/z/y",
            ], of: harness)
    }

    @Test("a folder's content stays when this mount moves it to where the listing has yet to come")
    func movedAhead() async throws {
        let harness = try await listedAgain(files: ["/a/1", "/z/x", "/z/y"]) {
            try await $0.move("/a", to: "/z/a")
        }
        try await expect(
            [
                "/z": nil, "/z/a": nil, "/z/a/1": "/a/1", "/z/x": "/z/x", "/z/y": "/z/y",
            ], of: harness)
    }

    @Test("what users deleted stays deleted when the listing has another at its place before it")
    func deletedAndMovedOn() async throws {
        let harness = try await listedAgain(files: ["/a/1", "/f/x", "/z/1", "/z/2"]) {
            try await $0.delete("/f/x")
            try await $0.delete("/f")
            try await $0.relocate("/f", to: "/zz")
            try await $0.put("/f/new", "new")
        }
        try await expect(
            [
                "/a": nil, "/a/1": "/a/1", "/f": nil, "/f/new": "new", "/z": nil, "/z/1": "/z/1",
                "/z/2": "/z/2",
            ], of: harness)
    }

    @Test(
        "an edit and a deletion go where others moved the files after the listing was there, also if the server fails for a moment",
        arguments: [0, 2])
    func unsentMovedBehind(failures: Int) async throws {
        let harness = try await listedAgain(files: ["/a/1", "/z/gone", "/z/kept", "/z/edited"]) {
            try await $0.delete("/z/gone")
            try await $0.write("/z/edited", "edited")
            try await $0.relocate("/z/gone", to: "/a/0")
            try await $0.relocate("/z/edited", to: "/a/00")
            $0.faulty.inject(.failBefore(.server("test")), times: failures) {
                $0.operation == .entry && $0.subject.hasPrefix("id:")
            }
        }
        try await expect(
            ["/a": nil, "/a/00": "edited", "/a/1": "/a/1", "/z": nil, "/z/kept": "/z/kept"],
            of: harness)
    }
}
