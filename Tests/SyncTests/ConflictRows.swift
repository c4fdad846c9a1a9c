// The rows of the conflict table with an example each, in the order of docs/semantics.md. A new
// rule is a new row here, on that page, and in the code that decides it, all under the same label;
// `ConflictTableTests` compares the three. A new label is the next of its letter; none is used
// again. `ConflictTests` has what one example of a row does not show.

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

extension ConflictRow {
    static var all: [ConflictRow] { unchanged + new + edited + moved + deleted + localOnly }

    private static let unchanged = [
        ConflictRow(
            label: "U1",
            here: "–", there: "file edited",
            result: "new content; open handles keep the old revision",
            base: ["/a": "1"], remote: { try await $0.put("/a", "2") }, tree: ["/a": "2"]),
        ConflictRow(
            label: "U2",
            here: "–", there: "file or folder moved", result: "moves here too, with its inode",
            base: ["/d/f": "1", "/g": "2"],
            remote: {
                try await $0.relocate("/d", to: "/e")
                try await $0.relocate("/g", to: "/h")
            }, tree: ["/e": nil, "/e/f": "1", "/h": "2"]),
        ConflictRow(
            label: "U3",
            here: "–", there: "deleted", result: "gone; open handles go on reading",
            base: ["/a": "1", "/d/f": "2"],
            remote: {
                try await $0.remove("/a")
                try await $0.remove("/d")
            }, tree: [:]),
    ]

    private static let new = [
        ConflictRow(
            label: "N1",
            here: "new file", there: "another new file of the name",
            result: "theirs keeps the name, ours steps aside",
            local: { try await $0.write("/a", "ours") },
            remote: { try await $0.put("/a", "theirs") },
            tree: ["/a": "theirs", "/a~": "ours"]),
        ConflictRow(
            label: "N2",
            here: "new file", there: "the same bytes under the name", result: "one file",
            local: { try await $0.write("/a", "x") }, remote: { try await $0.put("/a", "x") },
            tree: ["/a": "x"]),
        ConflictRow(
            label: "N3",
            here: "new folder", there: "new folder of the name", result: "one folder",
            local: {
                try await $0.makeFolder("/d")
                try await $0.write("/d/x", "1")
            }, remote: { try await $0.put("/d/y", "2") },
            tree: ["/d": nil, "/d/x": "1", "/d/y": "2"]),
        ConflictRow(
            label: "N4",
            here: "new file / folder", there: "new folder / file of the name",
            result: "ours steps aside",
            local: {
                try await $0.write("/a", "ours")
                try await $0.makeFolder("/b")
                try await $0.write("/b/f", "ours")
            },
            remote: {
                try await $0.put("/a/f", "theirs")
                try await $0.put("/b", "theirs")
            },
            tree: [
                "/a": nil, "/a/f": "theirs", "/a~": "ours", "/b": "theirs", "/b~": nil,
                "/b~/f": "ours",
            ]),
    ]

    private static let edited = [
        ConflictRow(
            label: "E1",
            here: "content edited", there: "content edited",
            result: "theirs keeps the name, ours steps aside",
            base: ["/a": "1"], local: { try await $0.write("/a", "ours") },
            remote: { try await $0.put("/a", "theirs") }, tree: ["/a": "theirs", "/a~": "ours"]),
        ConflictRow(
            label: "E2",
            here: "content edited", there: "the same bytes", result: "one file",
            base: ["/a": "1"], local: { try await $0.write("/a", "2") },
            remote: { try await $0.put("/a", "2") }, tree: ["/a": "2"]),
        ConflictRow(
            label: "E3",
            here: "content edited", there: "deleted", result: "the edit is kept, as a new file",
            base: ["/a": "1"], local: { try await $0.write("/a", "2") },
            remote: { try await $0.remove("/a") }, tree: ["/a": "2"]),
        ConflictRow(
            label: "E4",
            here: "file open, then written", there: "edited between the two",
            result:
                "theirs keeps the name, ours steps aside, from the revision that was opened",
            base: ["/a": "1"],
            local: { harness in
                try await harness.writeLate("/a") { try await harness.put("/a", "2") }
            }, tree: ["/a": "2", "/a~": "late"]),
        ConflictRow(
            label: "E5",
            here: "file open, then written", there: "deleted between the two",
            result:
                "the edit is kept, as a new file; in the top folder if its own is gone",
            base: ["/a": "1", "/d/b": "1"],
            local: { harness in
                try await harness.writeLate("/a") { try await harness.remove("/a") }
                try await harness.writeLate("/d/b") { try await harness.remove("/d") }
            }, tree: ["/a": "late", "/b~": "late"]),
        ConflictRow(
            label: "E6",
            here: "content edited", there: "moved",
            result: "our content goes to the new place, as its next revision",
            base: ["/a": "1"], local: { try await $0.write("/a", "2") },
            remote: { try await $0.relocate("/a", to: "/b") }, tree: ["/b": "2"]),
    ]

    private static let moved = [
        ConflictRow(
            label: "M1",
            here: "moved", there: "content edited", result: "moved, with their content",
            base: ["/a": "1"], local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.put("/a", "2") }, tree: ["/b": "2"]),
        ConflictRow(
            label: "M2",
            here: "moved", there: "moved elsewhere", result: "moved to where we moved it",
            base: ["/a": "1"], local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.relocate("/a", to: "/c") }, tree: ["/b": "1"]),
        ConflictRow(
            label: "M3",
            here: "file moved", there: "deleted",
            result: "kept where we moved it, as a new file, from the old revision",
            base: ["/a": "1"], local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.remove("/a") }, tree: ["/b": "1"]),
        ConflictRow(
            label: "M4",
            here: "symbolic link moved", there: "deleted",
            result: "kept where we moved it, as a new link",
            others: { try $0.server.otherClient.link("/a", to: "target") },
            local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.remove("/a") }, tree: [:], localTexts: ["/b -> target"]),
        ConflictRow(
            label: "M5",
            here: "folder moved", there: "deleted",
            result: "kept where we moved it, with all that was in it",
            base: ["/d/e/f": "2"], local: { try await $0.move("/d", to: "/g") },
            remote: { try await $0.remove("/d") },
            tree: ["/g": nil, "/g/e": nil, "/g/e/f": "2"]),
        ConflictRow(
            label: "M6",
            here: "file that cannot be downloaded moved", there: "deleted", result: "gone",
            others: { try $0.server.otherClient.document("/a") },
            local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.remove("/a") }, tree: [:]),
        ConflictRow(
            label: "M7",
            here: "moved onto a name", there: "new file of that name", result: "ours steps aside",
            base: ["/a": "1"], local: { try await $0.move("/a", to: "/b") },
            remote: { try await $0.put("/b", "2") }, tree: ["/b": "2", "/b~": "1"]),
        ConflictRow(
            label: "M8",
            here: "moved into a folder", there: "that folder moved below the node",
            result: "the server's move wins, ours is undone",
            base: ["/a": nil, "/b": nil], local: { try await $0.move("/a", to: "/b/a") },
            remote: { try await $0.relocate("/b", to: "/a/b") }, tree: ["/a": nil, "/a/b": nil]),
    ]

    private static let deleted = [
        ConflictRow(
            label: "D1",
            here: "deleted", there: "edited", result: "the edit is kept: the file comes back",
            base: ["/a": "1"], local: { try await $0.delete("/a") },
            remote: { try await $0.put("/a", "2") }, tree: ["/a": "2"]),
        ConflictRow(
            label: "D2",
            here: "deleted",
            there: "another revision of the same bytes, as by a move of a folder above",
            result: "deleted",
            base: ["/d/a": "1"], local: { try await $0.delete("/d/a") },
            remote: { try await $0.relocate("/d", to: "/e") }, tree: ["/e": nil]),
        ConflictRow(
            label: "D3",
            here: "deleted", there: "moved", result: "deleted where it is now",
            base: ["/a": "1"], local: { try await $0.delete("/a") },
            remote: { try await $0.relocate("/a", to: "/b") }, tree: [:]),
        ConflictRow(
            label: "D4",
            here: "deleted", there: "deleted", result: "deleted",
            base: ["/a": "1"], local: { try await $0.delete("/a") },
            remote: { try await $0.remove("/a") }, tree: [:]),
        ConflictRow(
            label: "D5",
            here: "folder deleted", there: "something new inside",
            result:
                "the folder comes back with what is new; what we deleted in it stays deleted",
            base: ["/d/x": "1"], local: { try await $0.delete("/d") },
            remote: { try await $0.put("/d/y", "2") }, tree: ["/d": nil, "/d/y": "2"]),
        ConflictRow(
            label: "D6",
            here: "folder deleted",
            there: "something stored inside between the last listing and the deletion",
            result:
                "it is stored again, with the folder; beside what is at its path by then, as a "
                + "conflicted copy",
            base: ["/d/x": "1"],
            local: { harness in
                harness.faulty.inject(.stall) { $0.operation == .delete && $0.subject == "/d" }
                try await harness.delete("/d")
                try await harness.start(knowingAll: true)
                try await waitWhile { harness.faulty.stalledCount == 0 }
                try await harness.put("/d/y", "2")
                harness.faulty.releaseStalled()
            }, tree: ["/d": nil, "/d/y": "2"]),
        ConflictRow(
            label: "D7",
            here: "folder deleted", there: "something moved into it that users have elsewhere here",
            result: "goes where users have it, and then the folder is deleted",
            base: ["/d": nil, "/w/t": "1"],
            local: {
                try await $0.delete("/d")
                try await $0.move("/w", to: "/w2")
            }, remote: { try await $0.relocate("/w", to: "/d/w") },
            tree: ["/w2": nil, "/w2/t": "1"]),
        ConflictRow(
            label: "D8",
            here: "folder with unsent edits inside", there: "deleted",
            result: "the folder stays, with those files",
            base: ["/d/x": "1", "/d/y": "1"], local: { try await $0.write("/d/x", "2") },
            remote: { try await $0.remove("/d") }, tree: ["/d": nil, "/d/x": "2"]),
    ]

    private static let localOnly = [
        ConflictRow(
            label: "L1",
            here: "folder in which all that is left stays on this machine", there: "deleted",
            result:
                "the folder stays here with that; Dropbox gets it again when something in it is sent, or when that "
                + "has gone",
            base: ["/d": nil, "/d/x": "1"], local: { try await $0.write("/d/here only", "mine") },
            remote: { try await $0.remove("/d") }, tree: [:], localTexts: ["mine"]),
        ConflictRow(
            label: "L2",
            here: "file, link, FIFO or socket that stays on this machine",
            there: "new file of the name",
            result: "theirs has the name, ours steps aside, and stays here",
            local: { try await $0.write("/here only", "mine") },
            remote: { try await $0.put("/here only", "theirs") }, tree: ["/here only": "theirs"],
            localTexts: ["mine"]),
        ConflictRow(
            label: "L3",
            here: "folder that stays on this machine", there: "new folder of the name",
            result: "one folder; what was only here stays here",
            local: {
                try await $0.makeFolder("/here only")
                try await $0.write("/here only/a", "mine")
            }, remote: { try await $0.put("/here only/b", "theirs") },
            tree: ["/here only": nil, "/here only/b": "theirs"], localTexts: ["mine"]),
    ]
}

extension Harness {
    /// Writes through a handle that was open before another client did something.
    fileprivate func writeLate(
        _ path: String, after change: () async throws -> Void
    ) async throws {
        let inode = try #require(try await inode(path))
        openFiles.open.withLock { _ = $0.insert(inode) }
        try await change()
        try await settle()
        await stop()
        try await writeLate(inode)
    }

    /// Writes "late" through a handle on an inode that a delta has taken from its place.
    func writeLate(_ inode: InodeID) async throws {
        try await store.write { [staging] transaction in
            let node = try #require(try transaction.node(inode))
            let returned = try #require(
                try ReturnedFile(node, host: "here", at: .now(), in: transaction))
            let base = try #require(StagedContent.Base(whole: node.facts))
            let staged = try staging.begin(inode, base: base, size: base.size, in: transaction)
            try staged.fill(0..<base.size, with: Array("1".utf8), of: base)
            _ = try Array("late".utf8).withUnsafeBytes {
                try staged.write(at: 0, $0, now: .now())
            }
            try staged.persist(in: transaction)
            #expect(returned.changes.count == 2)
            let again = try #require(try transaction.node(inode))
            #expect(
                try ReturnedFile(again, host: "here", at: .now(), in: transaction) == nil)
        }
    }
}
