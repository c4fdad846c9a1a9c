// Unconfirmed identities are requested; a server that does not answer for one of them holds up
// nothing.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct UntoldTests {
    /// A mount with an unconfirmed file, whose id the server answers with an error.
    private func harness(refusing error: RemoteError) async throws -> Harness {
        let harness = try Harness()
        try await harness.put("/untold", "1")
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/untold"))
        let id = try #require(try await harness.store.read { try $0.node(inode)?.facts.id })
        try await harness.store.write { try $0.noteUnconfirmed(id) }
        harness.faulty.inject(.failBefore(error), times: nil) {
            $0.operation == .entry && $0.subject == id.rawValue
        }
        return harness
    }

    /// Whether `/untold` is to be asked for.
    private func isNoted(_ harness: Harness) async throws -> Bool {
        let inode = try #require(try await harness.inode("/untold"))
        return try await harness.store.read { snapshot in
            guard let id = try snapshot.node(inode)?.facts.id else { return false }
            return try snapshot.unconfirmedIDs(limit: 10).contains(id)
        }
    }

    private func waitUntilForgotten(_ harness: Harness) async throws {
        try await waitWhile { try await isNoted(harness) }
    }

    @Test(
        "a folder is not taken for deleted while deltas fail: its content may be elsewhere"
    )
    func absentWithoutDeltas() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.putFolder("/b")
        try await harness.settle()
        try await harness.finishFeed()
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.remove("/b")
        let engine = try #require(harness.engine)
        try await waitWhile { !engine.status.isFeedFailing }
        try await harness.move("/a", to: "/b/x")
        // The server makes another folder for it.
        try await harness.drain()
        try await harness.move("/b", to: "/c")
        harness.noteChange()
        let before = harness.faulty.calls.count
        try await waitWhile {
            harness.faulty.calls.dropFirst(before).count(where: { $0.operation == .move }) < 5
        }
        harness.faulty.removeFaults()
        try await harness.settle()
        let texts = try await harness.tree().values.compactMap(\.self)
        #expect(texts == ["1"], "\(harness.history.text)")
        await harness.stop()
    }

    @Test(
        "a file stored in a folder that others had just moved is not stored twice for another one of its name there"
    )
    func storedInMovedFolder() async throws {
        let harness = try await Harness.knowing(["/a/b": "1", "/b": "2"])
        try await harness.relocate("/b", to: "/a/a")
        try await harness.relocate("/a", to: "/c")
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.write("/a/a", "3")
        try await harness.start(knowingAll: true)
        // The server makes another folder for it.
        try await harness.drain()
        try await harness.move("/a/a", to: "/b")
        try await harness.drain()
        harness.faulty.removeFaults()
        try await expect(["/a": nil, "/b": "3", "/c": nil, "/c/b": "1"], of: harness)
    }

    @Test(
        "deltas go on while the server answers for one identity with an error, which is asked for again if that helps",
        arguments: [
            (RemoteError.malformed("nonsense"), false), (.forbidden("no"), false),
            (.notAFile, false), (.server("failed"), true), (.busy, true),
        ])
    func refused(_ error: RemoteError, isKept: Bool) async throws {
        let harness = try await harness(refusing: error)
        try await harness.put("/theirs", "2")
        try await harness.write("/ours", "3")
        try await harness.settle()
        #expect(
            try await harness.tree() == ["/untold": "1", "/theirs": "2", "/ours": "3"],
            "\(harness.history.text)")
        #expect(try await isNoted(harness) == isKept)
        harness.faulty.removeFaults()
        try await harness.put("/later", "4")
        try await waitUntilForgotten(harness)
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test(
        "an identity for which the server failed is asked for again, although nothing else changes"
    )
    func failedOnce() async throws {
        let harness = try await harness(refusing: .server("failed"))
        try await harness.start()
        try await waitWhile { harness.calls(.entry) < 5 }
        harness.faulty.removeFaults()
        try await waitUntilForgotten(harness)
        await harness.stop()
    }

    @Test("an identity that the server cannot be asked for stays noted")
    func offline() async throws {
        let harness = try await harness(refusing: .offline("test"))
        try await harness.start()
        try await waitWhile { harness.faulty.calls.last(where: { $0.operation == .entry }) == nil }
        #expect(try await isNoted(harness))
        harness.faulty.removeFaults()
        try await waitUntilForgotten(harness)
        await harness.stop()
    }

    @Test("files that were sent before a full listing begins are not asked for one by one")
    func listed() async throws {
        let harness = try Harness()
        try await harness.put("/kept", "1")
        try await harness.put("/gone", "2")
        try await harness.settle()
        await harness.stop()
        for path in ["/kept", "/gone"] {
            let inode = try #require(try await harness.inode(path))
            try await harness.store.write { transaction in
                guard let id = try transaction.node(inode)?.facts.id else { return }
                try transaction.noteUnconfirmed(id)
            }
        }
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10).count } == 2)
        try await harness.remove("/gone")
        harness.server.resetCursors()
        let before = harness.faulty.calls.count
        try await harness.settle()
        await harness.stop()
        let asked = harness.faulty.calls.dropFirst(before).filter { $0.operation == .entry }
        #expect(asked.isEmpty, "\(asked)")
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10) } == [])
        #expect(try await harness.tree() == ["/kept": "1"], "\(harness.history.text)")
        try await harness.checkInvariants()
    }

    @Test(
        "a deletion below a folder that the same batch puts there is of what this mount knows there"
    )
    func deletedOnTheWay() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/old", "D"), .file("/old/x", "X"), .file("/old/y", "Y")])
        // Others moved the folder, and deleted x in it; a server may tell the deletion before the
        // move.
        try await harness.apply([
            .deleted("/new/x"), .deleted("/old"), .folder("/new", "D"), .file("/new/y", "Y"),
        ])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        let paths = try await harness.paths()
        #expect(ids == [FileID("X")] || !paths.contains("/new/x"), "\(ids) \(paths)")
    }

    /// A mount that has exchanged the folders A and B, each with a file `x`, before the feed says
    /// so.
    private func exchanged() async throws -> Harness {
        let harness = try Harness()
        try await harness.apply([
            .folder("/a", "A"), .file("/a/x", "X"), .folder("/b", "B"), .file("/b/x", "Y"),
        ])
        for (path, id) in [("/between", "B"), ("/b", "A"), ("/a", "B")] {
            try await harness.apply([.folder(path, id)], isFeed: false)
            try await harness.store.write { try $0.noteUnconfirmed(FileID(id)) }
        }
        return harness
    }

    @Test("a deletion in a folder that this mount exchanges since is of the one that was there")
    func deletedBeforeExchange() async throws {
        let harness = try await exchanged()
        // A server may leave out where a folder was in between.
        try await harness.apply([
            .deleted("/b"), .deleted("/a/x"), .deleted("/a"), .folder("/b", "A"),
            .deleted("/between"), .folder("/a", "B"), .file("/a/x", "Y"),
        ])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        let paths = try await harness.paths()
        #expect(ids.contains(FileID("X")), "\(ids)")
        #expect(paths == ["/a", "/a/x", "/b", "/b/x"], "\(paths)")
    }

    @Test("a deletion that may be of two files, before the feed has the exchange, removes neither")
    func deletedLongBeforeExchange() async throws {
        let harness = try await exchanged()
        try await harness.apply([.deleted("/a/x")])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        let paths = try await harness.paths()
        #expect(Set(ids).isSuperset(of: [FileID("X"), FileID("Y")]), "\(ids)")
        #expect(paths == ["/a", "/a/x", "/b", "/b/x"], "\(paths)")
    }

    @Test("what others delete in a folder that they move out of one that this mount moved goes")
    func deletedInMovedFolder() async throws {
        let harness = try Harness()
        try await harness.apply([
            .folder("/old", "A"), .folder("/old/inner", "B"), .file("/old/inner/x", "X"),
            .file("/old/inner/y", "Y"), .folder("/old/inner/s", "S"), .file("/old/inner/s/z", "Z"),
            .folder("/there", "C"),
        ])
        // This mount has moved the outer folder; others the inner one into a folder, deleted x and
        // z in it, and moved that folder. The server tells no place at which the inner one was in
        // between.
        try await harness.apply([.folder("/new", "A")], isFeed: false)
        try await harness.apply([
            .deleted("/old/inner"), .deleted("/old"), .folder("/new", "A"),
            .deleted("/there/inner/x"), .deleted("/there/inner/s/z"), .deleted("/there"),
            .folder("/further", "C"), .folder("/further/inner", "B"),
            .file("/further/inner/y", "Y"), .folder("/further/inner/s", "S"),
        ])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        let paths = try await harness.paths()
        // The feed has told of the outer one.
        let others = ids.filter { $0 != FileID("A") }
        #expect(others == [FileID("X"), FileID("Z")], "\(ids) \(paths)")
    }

    @Test("a folder that only stood for a path goes with the last node in it")
    func emptyPlaceholder() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/p", "P"), .folder("/q", "Q"), .file("/q/x", "X")])
        // A metadata read finds a file in a folder of another /p: this mount's has moved.
        try await harness.apply([.file("/p/r/s/x", "X")], isFeed: false)
        try await harness.apply([.folder("/moved", "P")], isFeed: false)
        try await harness.apply([
            .deleted("/p"), .folder("/moved", "P"), .folder("/p", "N"), .folder("/p/r", "R"),
            .folder("/p/r/s", "S"), .file("/p/r/s/x", "X"),
        ])
        let paths = try await harness.paths()
        #expect(paths == ["/moved", "/p", "/p/r", "/p/r/s", "/p/r/s/x", "/q"], "\(paths)")
    }

    @Test("what a batch tells of a folder before another one at its path is asked for")
    func toldOfFormerFolder() async throws {
        let harness = try Harness()
        // Pages from before and after the deletion of the folder, which no delta contains.
        try await harness.apply([
            .folder("/a", "A"), .folder("/a/c", "C"), .file("/a/x", "X"), .folder("/a", "B"),
            .file("/a/y", "Y"),
        ])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        #expect(ids == [FileID("C"), FileID("X")])
    }

    @Test("a node deleted in a moved folder goes, though its path is another one's now")
    func pathTakenOver() async throws {
        let harness = try Harness()
        try await harness.apply([
            .folder("/a", "A"), .folder("/a/b", "B"), .file("/a/b/x", "X"), .file("/a/b/y", "Y"),
        ])
        // Others deleted x, moved its folder, and made both anew; the server tells each path once.
        try await harness.apply([
            .folder("/c", "B"), .file("/c/y", "Y"), .folder("/a/b", "D"), .file("/a/b/x", "Z"),
        ])
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10) } == [FileID("X")])
        #expect(try await harness.paths() == ["/a", "/a/b", "/a/b/x", "/c", "/c/x", "/c/y"])
    }

    @Test("a file deleted in a folder before this mount moved it goes, though its path is taken")
    func pathTakenOverBeforeOwnMove() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "A"), .file("/a/x", "X"), .file("/a/y", "Y")])
        try await harness.apply([.folder("/b", "A")], isFeed: false)
        try await harness.store.write { try $0.noteUnconfirmed(FileID("A")) }
        // Others deleted x, and made folder and file anew at the old path; the server tells each
        // path once.
        try await harness.apply([
            .folder("/a", "N"), .file("/a/x", "Z"), .folder("/b", "A"), .file("/b/y", "Y"),
        ])
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        #expect(ids.contains(FileID("X")) && !ids.contains(FileID("Y")), "\(ids)")
        #expect(try await harness.paths() == ["/a", "/a/x", "/b", "/b/x", "/b/y"])
    }

    @Test("the content of a folder stays known if a later delta tells the folder alone")
    func toldAlone() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "A"), .file("/a/x", "X")])
        try await harness.apply([.folder("/a", "A")])
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10) } == [])
    }

    @Test("a deletion of what the batch tells elsewhere doubts nothing")
    func toldElsewhere() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "A"), .file("/a/x", "X")])
        try await harness.apply([.deleted("/b/x"), .folder("/b", "A"), .file("/b/x", "X")])
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10) } == [])
        #expect(try await harness.paths() == ["/b", "/b/x"])
    }

    @Test("a folder's content is requested when a metadata read finds another folder in its place")
    func otherFolder() async throws {
        let harness = try Harness()
        try await harness.apply([
            .folder("/d", "D"), .file("/d/x", "X"), .folder("/d/s", "S"), .file("/d/s/y", "Y"),
        ])
        try await harness.apply([.folder("/d", "E")], isFeed: false)
        // A folder brings its content along, or takes it away.
        let ids = try await harness.store.read { try $0.unconfirmedIDs(limit: 10) }
        #expect(ids == [FileID("S"), FileID("X")])
        #expect(try await harness.paths() == ["/d", "/d/s", "/d/s/y", "/d/x"])
    }

    @Test("a second delta with a folder's own identity marks nothing")
    func sameFolder() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/d", "D"), .file("/d/x", "X")])
        try await harness.apply([.folder("/D", "D")], isFeed: false)
        #expect(try await harness.store.read { try $0.unconfirmedIDs(limit: 10) } == [])
    }

    @Test("a batch that is older than a response does not remove what the response has placed")
    func toldEarlier() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/d", "D"), .file("/a", "X")])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.move("/a", to: "/d/a")
        try await harness.store.write { transaction in
            try transaction.setRemotePlace(inode, try transaction.place("/d/a"))
            try transaction.noteUnconfirmed(FileID("X"))
        }
        try await harness.apply([.file("/a", "X"), .deleted("/a")])
        #expect(try await harness.inode("/a") == inode)
        // Where it is now, its id tells.
        try await harness.apply([.file("/d/a", "X")], isFeed: false)
        #expect(try await harness.paths() == ["/d", "/d/a"])
        #expect(try await harness.inode("/d/a") == inode)
    }
}
