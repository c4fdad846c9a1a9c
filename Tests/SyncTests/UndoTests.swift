// Undo for folders: which revision each file gets, and the result here and on the server.

import ContentHashing
import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync

@Suite struct UndoTargetTests {
    private func revisions(
        stored times: Int64..., deleted: Int64? = nil, isDeleted: Bool = false
    ) -> RemoteRevisions {
        RemoteRevisions(
            versions: times.map { time in
                .init(
                    file: RemoteFile(
                        id: FileID("id:1"), revision: Revision("r\(time)"),
                        hash: ContentHasher.hash([]), size: 0,
                        clientModified: WallTime(seconds: 0),
                        serverModified: WallTime(seconds: time)))
            }, isDeleted: isDeleted || deleted != nil,
            deleted: deleted.map { WallTime(seconds: $0) })
    }

    @Test("without a time, deleted files get their newest revision, and others stay")
    func nothingDeleted() {
        let target = UndoTarget.nothingDeleted
        #expect(target.revision(of: revisions(stored: 20, 10, deleted: 30))?.rawValue == "r20")
        #expect(target.revision(of: revisions(stored: 20, isDeleted: true))?.rawValue == "r20")
        #expect(target.revision(of: revisions(stored: 20, 10)) == nil)
        #expect(target.revision(of: revisions(isDeleted: true)) == nil)
    }

    @Test("with a time, each file gets what it was before it")
    func before() {
        let target = UndoTarget.before(WallTime(seconds: 25))
        // Changed since; unchanged; made since.
        #expect(target.revision(of: revisions(stored: 40, 30, 20, 10))?.rawValue == "r20")
        #expect(target.revision(of: revisions(stored: 20, 10)) == nil)
        #expect(target.revision(of: revisions(stored: 40, 25)) == nil)
        // Deleted since; deleted before; made and deleted since.
        #expect(target.revision(of: revisions(stored: 20, 10, deleted: 25))?.rawValue == "r20")
        #expect(target.revision(of: revisions(stored: 20, 10, deleted: 24)) == nil)
        #expect(target.revision(of: revisions(stored: 30, deleted: 40)) == nil)
        // Of a deletion whose time is not known, only the revisions tell.
        #expect(target.revision(of: revisions(stored: 30, 20, isDeleted: true))?.rawValue == "r20")
    }

    @Test("of the refusals, the first are kept and all are counted")
    func refusals() {
        var progress = UndoProgress()
        progress.note(.restored(7), at: "/a")
        for number in 0..<100 { progress.note(.refused(.unsentChanges), at: "/\(number)") }
        progress.note(.unchanged, at: "/b")
        #expect(progress.done == 102 && progress.restored == 1 && progress.bytes == 7)
        #expect(progress.refused == 100 && progress.refusals.count == 20)
        #expect(progress.refusals.first?.path == "/0")
    }
}

@Suite struct UndoTests {
    private func names(_ path: String) throws -> [FileName] {
        try path.split(separator: "/").map { try FileName(String($0)) }
    }

    private func undo(_ path: String, in harness: Harness) async throws -> UndoProgress {
        let engine = try #require(harness.engine)
        return try await engine.undo(
            below: try names(path), to: .nothingDeleted, from: harness.server, report: { _ in })
    }

    @Test("a deleted folder comes back with all files, and their spelling; others stay")
    func folder() async throws {
        let harness = try Harness()
        for path in ["/D", "/D/Sub", "/E"] { try await harness.putFolder(path) }
        for path in ["/D/Ab", "/D/Sub/Cd", "/E/x", "/E/kept"] { try await harness.put(path, path) }
        for number in 0..<9 { try await harness.put("/D/\(number)", "1") }
        try await harness.settle()
        let tree = try await harness.serverTree()
        // By others and here, alone and with a folder.
        try await harness.remove("/D/Ab")
        try await harness.remove("/D")
        try await harness.settle()
        try await harness.delete("/E/x")
        try await harness.settle()
        let end = try await undo("/D", in: harness)
        #expect(end.restored == 11 && end.refused == 0 && !end.isListing)
        try await harness.settle()
        #expect(try await harness.tree() == tree.filter { $0.key != "/E/x" })
        #expect(try await undo("/", in: harness).restored == 1)
        try await harness.settle()
        #expect(try await harness.serverTree() == tree)
        #expect(try await harness.tree() == tree)
        // Again: nothing to do.
        #expect(try await undo("/", in: harness).restored == 0)
        await harness.stop()
    }

    @Test("a file with unsent changes is refused, and the others come back")
    func unsent() async throws {
        let harness = try Harness()
        try await harness.putFolder("/d")
        for path in ["/d/a", "/d/b"] { try await harness.put(path, "1") }
        try await harness.settle()
        for path in ["/d/a", "/d/b"] { try await harness.remove(path) }
        try await harness.settle()
        harness.faulty.isOffline = true
        try await harness.write("/d/a", "mine")
        let end = try await undo("/d", in: harness)
        #expect(end.restored == 1)
        #expect(end.refusals.map(\.path) == ["/d/a"])
        #expect(end.refusals.first?.error == .unsentChanges)
        harness.faulty.isOffline = false
        try await harness.settle()
        #expect(try await harness.tree() == ["/d": nil, "/d/a": "mine", "/d/b": "1"])
        await harness.stop()
    }

    @Test("a folder that was made anew is sent first: the server may know deleted files of it")
    func madeAnew() async throws {
        let harness = try Harness()
        try await harness.put("/D/a", "1")
        try await harness.settle()
        try await harness.delete("/D")
        try await harness.settle()
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        try await harness.makeFolder("/D")
        await #expect(throws: HistoryError.unsentChanges) { _ = try await undo("/D", in: harness) }
        engine.setPaused(false)
        try await harness.settle()
        #expect(try await undo("/D", in: harness).restored == 1)
        await harness.stop()
    }

    @Test("what never was is an error")
    func unknown() async throws {
        let harness = try Harness()
        try await harness.put("/file", "1")
        try await harness.settle()
        for path in ["/never", "/file", "/file/x"] {
            await #expect(throws: HistoryError.unknown, "\(path)") {
                _ = try await undo(path, in: harness)
            }
        }
        await harness.stop()
    }
}
