// Contradictory answers of a server: one id for a folder and for a file in it, folders in
// themselves, folders deeper than any path. Nothing of it ends the process, and the rows never
// contradict each other.

import Core
import Foundation
import MetadataStore
import RemoteStore
import Testing

@testable import Sync
@testable import Tree

@Suite struct ContradictionTests {
    @Test(
        "a file with the id of a folder above it is shown in that folder",
        arguments: ["/a/b", "/a/b/c/d"], [false, true])
    func fileWithItsFoldersID(path: String, isOnePage: Bool) async throws {
        let harness = try Harness()
        let pages = [try RemoteEntry.folder("/a", "X"), try RemoteEntry.file(path, "X")]
        for page in isOnePage ? [pages] : pages.map({ [$0] }) {
            try await harness.apply(page)
        }
        #expect(try await harness.paths().contains(path))
        // The next one that has it is a folder again.
        try await harness.apply([.folder("/a", "X")])
        #expect(try await harness.paths().contains("/a"))
    }

    @Test("folders that go into each other, and a file with the id of one, end nothing")
    func folderCycle() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "X"), .folder("/b", "Y")])
        try await harness.apply([.folder("/b/a", "X"), .file("/b/a/b", "Y")])
        #expect(try await harness.paths() == ["/b", "/b/a", "/b/a/b"])
        try await harness.apply([.folder("/b/a/c", "X"), .folder("/b/a/c/d", "X")])
    }

    @Test("30,000 folders in one another, as moves make them, are moved and deleted")
    func depth() async throws {
        let harness = try Harness()
        try await harness.store.write { transaction in
            var parent = InodeID.root
            for number in 0..<30_000 {
                let name = try FileName("d")
                parent = try transaction.insertRemote(
                    .folder, at: Place(parent: parent, name: name),
                    facts: RemoteFacts(id: FileID("id:\(number)")))
            }
        }
        try await harness.apply([.folder("/other", "id:1"), .folder("/d/e", "id:15000")])
        let deepest = InodeID(30_001)
        #expect(try await harness.store.read { try $0.isRemote(deepest, within: .root) })
        try await harness.apply([.deleted("/d"), .deleted("/other")])
        #expect(try await harness.paths().isEmpty)
    }

    @Test("a folder in itself, a file as a folder, two things at one place are refused")
    func refusedRows() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "X"), .folder("/a/b", "Y"), .file("/f", "Z")])
        let folder = try #require(try await harness.inode("/a"))
        let below = try #require(try await harness.inode("/a/b"))
        let file = try #require(try await harness.inode("/f"))
        let name = try FileName("n")
        let taken = Place(parent: folder, name: try FileName("b"))
        for (inode, place) in [
            (folder, Place(parent: below, name: name)), (below, Place(parent: file, name: name)),
            (below, Place(parent: InodeID(999), name: name)), (file, taken),
        ] {
            await #expect(throws: TreeContradiction.self) {
                try await harness.store.write { try $0.setRemotePlace(inode, place) }
            }
        }
        try await harness.checkInvariants()
    }

    @Test("entries of a listing that cannot be are left out, and the others are shown")
    func leftOut() async throws {
        let harness = try Harness()
        let inode = try await harness.store.write { transaction in
            try transaction.insertRemote(
                .folder, at: Place(parent: .root, name: FileName("a")), facts: RemoteFacts())
        }
        let leftOut = try await harness.store.bringIn(harness.deltaContext) {
            transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            for name in ["one", "two", "three"] {
                try applier.applyUnlessContradictory { applier in
                    applier.announceContent(of: inode)
                    let place = Place(
                        parent: name == "two" ? InodeID(999) : .root, name: try FileName(name))
                    try applier.transaction.setRemotePlace(inode, place)
                }
            }
            #expect(applier.outcome.changes.count == 2 || !context.leavesOutContradictions)
            return applier.outcome.leftOut
        }
        #expect(leftOut == 1)
        let there = try await harness.store.read { try $0.remotePath(of: inode) }
        #expect(there == "/three")
    }

    @Test("a server that answers at once and says nothing is asked after growing pauses")
    func pace() {
        var pace = ServerPace()
        var pauses: [Double] = []
        for _ in 0..<14 {
            pauses.append(pace.pause(atMost: 30))
            pace.note()
        }
        #expect(pauses.prefix(4).allSatisfy { $0 == 0 })
        #expect(pauses.dropFirst(4).prefix(3) == [0.125, 0.25, 0.5])
        #expect(pauses.last == 30)
        for _ in 0..<5000 { pace.note() }
        #expect(pace.pause(atMost: 30) == 30)
        pace.forget()
        #expect(pace.pause(atMost: 30) == 0)
    }
}
