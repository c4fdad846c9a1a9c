// Requests that have not reached the server, and refusals of what users have changed since: neither
// is taken for another client's change, nor undoes a user's. Not responsible for lost responses
// (`LostResponseTests`).

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct UnsentRequestTests {
    @Test(
        "a folder of others at the place of one that was never sent is theirs",
        arguments: [false, true])
    func folderOfOthers(isDeleted: Bool) async throws {
        let harness = try Harness()
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failBefore(.unreachable("test")), times: nil) {
            $0.operation == .makeFolder
        }
        try await harness.makeFolder("/new")
        let inode = try #require(try await harness.inode("/new"))
        // A process that ends within a try cannot know.
        repeat {
            try await harness.start(knowingAll: true)
            try await harness.waitForCall(.makeFolder)
            try await waitWhile {
                try await harness.store.read { try $0.hasIntent(for: inode) }
            }
            await harness.stop()
        } while try await harness.store.read({ try $0.hasIntent(for: inode) })
        harness.faulty.removeFaults()
        if isDeleted {
            try await harness.delete("/new")
        } else {
            try await harness.move("/new", to: "/projects")
        }
        try await harness.putFolder("/new")
        try await expect(isDeleted ? ["/new": nil] : ["/new": nil, "/projects": nil], of: harness)
    }

    @Test("folders of a batch that was never sent are forgotten, too")
    func batch() async throws {
        let harness = try Harness()
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failBefore(.unreachable("test")), times: nil) {
            $0.operation == .makeFolder
        }
        let paths = (1...6).map { "/new \($0)" }
        for path in paths { try await harness.makeFolder(path) }
        var inodes: [InodeID] = []
        for path in paths { inodes.append(try #require(try await harness.inode(path))) }
        let created = inodes
        let hasIntents = { @Sendable in
            try await harness.store.read { snapshot in
                try created.contains { try snapshot.hasIntent(for: $0) }
            }
        }
        repeat {
            try await harness.start(knowingAll: true)
            try await harness.waitForCall(.makeFolder)
            try await waitWhile { try await hasIntents() }
            await harness.stop()
        } while try await hasIntents()
        harness.faulty.removeFaults()
        try await harness.move(paths[0], to: "/mine")
        try await harness.putFolder(paths[0])
        var expected: [String: String?] = ["/mine": nil]
        for path in paths { expected.updateValue(nil, forKey: path) }
        try await expect(expected, of: harness)
    }

    @Test("content whose only request a pause has ended was not sent")
    func pausedUpload() async throws {
        let harness = try Harness()
        try await harness.settle()
        let engine = try #require(harness.engine)
        harness.faulty.inject(.failBefore(.contentMismatch), times: 1) { call in
            guard call.operation == .upload else { return false }
            engine.setPaused(true)
            return true
        }
        let inode = try await harness.write("/a", "1")
        harness.noteChange()
        try await harness.waitForCall(.upload)
        try await waitWhile { try await harness.store.read { try $0.hasIntent(for: inode) } }
        engine.setPaused(false)
        try await expect(["/a": "1"], of: harness)
    }

    @Test("a refused move is not undone once users have moved the node elsewhere")
    func movedOn() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.putFolder("/closed")
        try await harness.putFolder("/open")
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/a"))
        try await harness.move("/a", to: "/open/a")
        let step = UploadStep.move(
            NodeMove(
                source: RemotePath(rawValue: "/a"), target: RemotePath(rawValue: "/closed/a"),
                id: nil, isFolder: false))
        try await harness.store.write { [harness] transaction in
            var results = UploadResults(transaction: transaction, context: harness.deltaContext)
            try results.undo(step, of: inode)
        }
        #expect(try await harness.inode("/open/a") == inode)
        let wanted = UploadStep.move(
            NodeMove(
                source: RemotePath(rawValue: "/a"), target: RemotePath(rawValue: "/open/a"),
                id: nil, isFolder: false))
        try await harness.store.write { [harness] transaction in
            var results = UploadResults(transaction: transaction, context: harness.deltaContext)
            try results.undo(wanted, of: inode)
        }
        #expect(try await harness.inode("/a") == inode)
    }

    @Test("a file whose deletion is refused has the server's time again")
    func refusedDeletion() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.settle()
        await harness.stop()
        let inode = try await harness.write("/a", "2")
        #expect(try await harness.store.read { try $0.node(inode)?.local.modified } != nil)
        try await harness.delete("/a")
        // FileSystem removes the staged content of a deleted file without open handles.
        try await harness.store.write { try $0.removeStaged(of: inode) }
        let node = try #require(try await harness.store.read { try $0.node(inode) })
        let revision = try #require(node.facts.revision)
        try await harness.store.write { [harness] transaction in
            var results = UploadResults(transaction: transaction, context: harness.deltaContext)
            let path = RemotePath(rawValue: "/a")
            try results.undo(.deleteFile(RemoteReference(path: path, id: nil), revision), of: inode)
        }
        let back = try #require(try await harness.store.read { try $0.node(inode) })
        #expect(back.place != nil && back.staged == nil)
        #expect(back.modified == node.facts.clientModified)
    }

    @Test(
        "a refused move to a temporary name is not undone once users have renamed the node",
        arguments: [true, false])
    func madeRoom(isRenamed: Bool) async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.put("/b", "2")
        try await harness.settle()
        await harness.stop()
        let (a, b) = try await (harness.inode("/a"), harness.inode("/b"))
        let inodes = try [#require(a), #require(b)]
        let exchanged = try await harness.store.write { [harness] transaction in
            try transaction.exchange(inodes[0], inodes[1])
            let planner = UploadPlanner(
                transaction: transaction, openFiles: harness.openFiles, staging: harness.staging,
                urgent: .all, date: .now(), openFileInterval: 30)
            return try planner.breakCycle(of: inodes)
        }
        let (inode, step) = try #require(exchanged)
        #expect(inode == inodes[0])
        if isRenamed { try await harness.move("/b", to: "/c") }
        try await harness.store.write { [harness] transaction in
            var results = UploadResults(transaction: transaction, context: harness.deltaContext)
            try results.undo(step, of: inode)
        }
        let node = try await harness.store.read { try $0.node(inode) }
        #expect(node?.remote == (isRenamed ? .displaced : .inPlace))
        #expect(node?.place?.name.string == (isRenamed ? "c" : "a"))
    }

    @Test("a conflict that nothing explains is told in the end")
    func unexplained() async throws {
        let harness = try Harness()
        try await harness.settle()
        harness.faulty.inject(.failBefore(.conflict(.other)), times: nil) {
            $0.operation == .upload
        }
        try await harness.write("/a", "1")
        harness.noteChange()
        let inode = try #require(try await harness.inode("/a"))
        try await waitWhile {
            try await harness.store.read { try $0.journalEntry(of: inode)?.problem } == nil
        }
        harness.faulty.removeFaults()
        try await expect(["/a": "1"], of: harness)
    }
}
