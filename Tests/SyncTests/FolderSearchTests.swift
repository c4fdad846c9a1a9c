// Files that others store in a folder between its last listing and its deletion are found, after
// any fault of this process, of the response, or move of the folder in that moment.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct FolderSearchTests {
    /// Deletes `/a` here; others store `/a/new` after its last listing, and the deletion is about
    /// to reach the server.
    private func deleting(
        _ paths: [String], clock: any SyncClock = FastClock(), new: String = "theirs",
        _ meanwhile: (Harness) async throws -> Void = { _ in }
    ) async throws -> Harness {
        let harness = try Harness(clock: clock)
        for path in paths { try await harness.put(path, path) }
        try await harness.settle()
        harness.faulty.inject(.stall) { $0.operation == .delete && $0.subject == "/a" }
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile { harness.faulty.stalledCount == 0 }
        try await harness.put("/a/new", new)
        try await meanwhile(harness)
        return harness
    }

    /// Waits until no search is left, and everything is at rest.
    private func finish(_ harness: Harness) async throws -> [String: String] {
        try await harness.settle()
        try await harness.finishSearches()
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        return try await harness.serverTree().compactMapValues(\.self)
    }

    private func failSearches(_ harness: Harness) {
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) {
            $0.operation == .listAfter && $0.subject.contains("\"tellsEachDeletion\":true")
        }
    }

    @Test("a process that ends between the deletion and the search leaves the search to the next")
    func killed() async throws {
        let harness = try await deleting(["/a/1", "/a/b/2"])
        failSearches(harness)
        harness.faulty.releaseStalled()
        try await waitWhile { try await harness.serverTree()["/a/new"] != nil }
        await harness.stop()
        harness.faulty.removeFaults()
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test("a deletion whose response is lost is followed by its search", arguments: [false, true])
    func lostReply(endsProcess: Bool) async throws {
        let harness = try await deleting(["/a/1"])
        harness.faulty.isOffline = true
        harness.faulty.releaseStalled()
        try await waitWhile { harness.faulty.lostReplies(to: .delete) == 0 }
        #expect(try await harness.serverTree().isEmpty)
        if endsProcess { await harness.stop() }
        harness.faulty.isOffline = false
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test(
        "the date of this machine is of no matter",
        arguments: [-86_400, -1200, 86_400] as [Double])
    func otherDate(shift: Double) async throws {
        let clock = ShiftedClock(by: shift)
        let harness = try await deleting(["/a/1"], clock: clock)
        harness.faulty.releaseStalled()
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test("a search waits for a late deletion also if the date is set during the wait")
    func dateSet() async throws {
        let clock = ShiftedClock()
        let harness = try await deleting(["/a/1"], clock: clock)
        harness.faulty.isOffline = true
        harness.faulty.releaseStalled()
        try await waitWhile { harness.faulty.lostReplies(to: .delete) == 0 }
        #expect(try await harness.serverTree().isEmpty)
        clock.setDate(by: -86_400)
        harness.faulty.isOffline = false
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test("a search that fails for thirty days is given up: Dropbox keeps deleted files no longer")
    func givenUp() async throws {
        let clock = ShiftedClock()
        let harness = try await deleting(["/a/1"], clock: clock)
        failSearches(harness)
        harness.faulty.releaseStalled()
        try await waitWhile { harness.engine?.status.unsearchedFolders.isEmpty ?? false }
        await harness.stop()
        clock.setDate(by: 29 * 86_400)
        try await harness.start()
        try await waitWhile { harness.engine?.status.unsearchedFolders.isEmpty ?? false }
        await harness.stop()
        clock.setDate(by: 2 * 86_400)
        try await harness.start()
        try await harness.finishSearches()
        #expect(harness.engine?.status.unsearchedFolders == [])
        await harness.stop()
    }

    @Test(
        "what others store at the path of a file that comes back is not replaced",
        arguments: [6, 5 << 20])
    func storedMeanwhile(size: Int) async throws {
        let theirs = String(repeating: "a", count: size)
        let harness = try await deleting(["/a/1"], new: theirs)
        let ends: Set<RemoteOperation> = [.restore, .upload, .finishUpload]
        harness.faulty.inject(.stall) { ends.contains($0.operation) }
        harness.faulty.releaseStalled()
        try await waitWhile {
            !harness.faulty.calls.contains(where: { ends.contains($0.operation) })
        }
        try await harness.put("/a/new", "newer")
        harness.faulty.releaseStalled()
        let files = try await finish(harness)
        #expect(files["/a/new"] == "newer" && files.count == 2, "\(harness.history.text)")
        let copy = files.first { $0.key.contains("conflicted copy") }
        #expect(copy?.value == theirs)
    }

    @Test("a file comes back beside another one that others stored at its path since")
    func storedSince() async throws {
        let harness = try await deleting(["/a/1"])
        failSearches(harness)
        harness.faulty.releaseStalled()
        try await waitWhile { try await harness.serverTree()["/a/new"] != nil }
        try await harness.put("/a/new", "newer")
        await harness.stop()
        harness.faulty.removeFaults()
        let files = try await finish(harness)
        #expect(files["/a/new"] == "newer" && files.count == 2, "\(harness.history.text)")
        let copy = files.first { $0.key.contains("conflicted copy") }
        #expect(copy?.value == "theirs")
    }

    @Test("what comes back has the names that others gave it")
    func names() async throws {
        let harness = try await deleting(["/a/1"]) {
            try await $0.put("/a/Folder/New", "theirs, too")
        }
        harness.faulty.releaseStalled()
        let expected = ["/a/new": "theirs", "/a/Folder/New": "theirs, too"]
        #expect(try await finish(harness) == expected, "\(harness.history.text)")
    }

    @Test("a folder that others move in the last moment is searched where it went")
    func moved() async throws {
        let harness = try await deleting(["/a/1", "/a/b/2"]) {
            try await $0.relocate("/a", to: "/o")
            try await $0.put("/o/b/newer", "theirs, too")
        }
        harness.faulty.releaseStalled()
        let files = try await finish(harness)
        #expect(Set(files.values) == ["theirs", "theirs, too"], "\(harness.history.text)")
    }

    @Test("what users delete after that, in a new folder of the name, stays deleted")
    func deletedSince() async throws {
        let harness = try await deleting(["/a/1"])
        failSearches(harness)
        harness.faulty.releaseStalled()
        try await waitWhile { try await harness.serverTree()["/a/new"] != nil }
        // The delta of the new file restores the folder, until that of the deletion arrives.
        try await harness.finishDeltas()
        #expect(try await harness.inode("/a") == nil)
        for path in ["/a", "/other"] {
            try await harness.makeFolder(path)
            try await harness.write(path + "/mine", "mine")
            try await harness.drain()
            try await harness.delete(path)
            try await harness.drain()
        }
        await harness.stop()
        harness.faulty.removeFaults()
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test("a folder of the name of a file that users deleted does not bring that back")
    func folderInPlaceOfFile() async throws {
        let harness = try await deleting(["/a/b"]) {
            try await $0.putFolder("/a/b")
            try await $0.put("/a/b/x", "deeper")
        }
        harness.faulty.releaseStalled()
        let expected = ["/a/new": "theirs", "/a/b/x": "deeper"]
        #expect(try await finish(harness) == expected, "\(harness.history.text)")
    }

    @Test("a deletion that is sent again ends the search after the first, which did not arrive")
    func sentAgain() async throws {
        let harness = try Harness()
        try await harness.put("/a/1", "1")
        try await harness.settle()
        harness.faulty.inject(.failBefore(.timedOut)) {
            $0.operation == .delete && $0.subject == "/a"
        }
        harness.faulty.inject(.stall, into: .deletionCursor, number: 2)
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile { harness.faulty.stalledCount == 0 }
        let rows = try await harness.store.read { try $0.folderSearches() }
        #expect(rows.map(\.place) == ["/a"], "\(harness.history.text)")
        // The first search fails from here on.
        harness.server.resetCursors()
        harness.faulty.releaseStalled()
        try await harness.settle()
        try await harness.finishSearches()
        #expect(try await harness.store.read { try $0.folderSearches() }.isEmpty)
        #expect(harness.engine?.status.unsearchedFolders == [])
        await harness.stop()
    }

    @Test("a refusal of the second deletion does not end the search: the first may still arrive")
    func refusedAgain() async throws {
        let harness = try Harness()
        try await harness.put("/a/1", "1")
        try await harness.settle()
        let isDeletion = { @Sendable (call: RemoteCall) in
            call.operation == .delete && call.subject == "/a"
        }
        harness.faulty.inject(.failBefore(.timedOut), when: isDeletion)
        harness.faulty.inject(.failBefore(.busy), when: isDeletion)
        harness.faulty.inject(.stall, when: isDeletion)
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile { harness.faulty.calls.count(where: isDeletion) < 3 }
        try await harness.put("/a/new", "theirs")
        // The first one, at last.
        try await harness.remove("/a")
        harness.faulty.releaseStalled()
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
    }

    @Test("an empty file is stored again, too")
    func emptyFile() async throws {
        let harness = try await deleting(["/a/1"], new: "")
        harness.faulty.releaseStalled()
        #expect(try await finish(harness) == ["/a/new": ""], "\(harness.history.text)")
    }

    @Test("a search is forgotten once its deletion can no longer arrive")
    func neverArrived() async throws {
        let harness = try await deleting(["/a/1"])
        let search = try #require(try await harness.store.read { try $0.folderSearches() }.first)
        #expect(search.place == "/a")
        #expect(!ToldChanges([]).contain(deletionOf: search))
        // As by a process that is killed with the request in its socket.
        await harness.stop()
        harness.faulty.releaseStalled()
        harness.faulty.removeFaults()
        #expect(try await finish(harness) == ["/a/new": "theirs"], "\(harness.history.text)")
        #expect(try await harness.store.read { try $0.folderSearches() }.isEmpty)
    }

    @Test("a file that was moved with its folder was deleted where it was last")
    func lastPath() async throws {
        let harness = try await deleting(["/a/1"])
        let search = try #require(try await harness.store.read { try $0.folderSearches() }.first)
        let folder = try #require(search.folder).rawValue
        let told = try ToldChanges([
            .file("/a/f", "X"), .deleted("/a"), .folder("/b", folder), .file("/b/f", "X"),
            .deleted("/b"),
        ])
        #expect(told.deletedFiles(in: search).map(\.path.rawValue) == ["/b/f"])
        await harness.stop()
        harness.faulty.releaseStalled()
    }
}
