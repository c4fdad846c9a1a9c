// Which entries of the queue are refused for good: if all are, a wait for it ends. Not responsible
// for entries that wait for refused ones (`AwaitedNodesTests`), except in new folders.

import Core
import MetadataStore
import Testing

@Suite struct RefusedQueueTests {
    let path: String
    let store: MetadataStore

    init() throws {
        path = TemporaryStore.path()
        store = try MetadataStore(path: path)
    }

    /// Adds a file for each problem.
    @discardableResult
    private func queue(_ problems: [Problem?]) throws -> [InodeID] {
        let inodes = try store.write { transaction in
            try problems.indices.map {
                try transaction.insert(.file, at: place("f\($0)"), local: LocalFacts())
            }
        }
        try store.write { transaction in
            for (inode, problem) in zip(inodes, problems) {
                guard let problem else { continue }
                try transaction.postpone(inode, until: seconds(1), problem: problem)
            }
        }
        return inodes
    }

    private var isRefused: Bool {
        get throws { try store.read { try $0.topmostNotRefused(limit: 1).isEmpty } }
    }

    @Test("a queue is refused if all of it is, for any reasons")
    func all() throws {
        try queue([.lasting("larger than Dropbox can store"), .lasting("not allowed: no")])
        #expect(try isRefused)
    }

    @Test(
        "it is not while one change may pass or was never tried",
        arguments: [.passing("no"), nil] as [Problem?])
    func mixed(other: Problem?) throws {
        // The same text may be of either kind.
        try queue([.lasting("no"), other])
        #expect(try !isRefused)
    }

    @Test("the contents of a refused new folder are refused, and those of another one are not")
    func inFolder() throws {
        let folder = try store.insert("d", .folder)
        let inner = try store.insert("i", .folder, in: folder)
        _ = try store.insert("f", in: inner)
        #expect(try !isRefused)
        try store.write { try $0.postpone(inner, until: seconds(1), problem: .lasting("no")) }
        #expect(try !isRefused)
        try store.write { try $0.postpone(folder, until: seconds(1), problem: .lasting("no")) }
        #expect(try isRefused)
        let stored = try store.write {
            try $0.insertRemote(.folder, at: place("s"), facts: RemoteFacts())
        }
        _ = try store.insert("f", in: stored)
        #expect(try !isRefused)
    }

    @Test("a change behind thousands of refused ones is seen", arguments: [false, true])
    func behind(isThere: Bool) throws {
        let refused = [Problem?](repeating: .lasting("no"), count: 1_200)
        try queue(refused + (isThere ? [nil] : []))
        #expect(try isRefused != isThere)
    }

    @Test("a failure of the server that goes on and on counts as a refusal")
    func goingOn() throws {
        let inodes = try queue([.passing("500")])
        for tries in 1..<Problem.lastingTries {
            #expect(try !isRefused, "\(tries)")
            try store.write { transaction in
                for inode in inodes {
                    try transaction.postpone(inode, until: seconds(1), problem: .passing("500"))
                }
            }
        }
        #expect(try isRefused)
    }

    @Test("the last try decides, and a change of the node forgets it")
    func again() throws {
        let inode = try #require(try queue([.lasting("no")]).first)
        try store.write { try $0.postpone(inode, until: seconds(1), problem: .passing("busy")) }
        #expect(try !isRefused)
        try store.write { try $0.postpone(inode, until: seconds(1), problem: .lasting("no")) }
        #expect(try isRefused)
        try store.write { try $0.postpone(inode, until: seconds(1), problem: nil) }
        #expect(try !isRefused)
        try store.write { try $0.postpone(inode, until: seconds(1), problem: .lasting("no")) }
        try store.write(due: { _ in seconds(2) }) { try $0.move(inode, to: place("other")) }
        #expect(try !isRefused)
        try store.write { try $0.postpone(inode, until: seconds(3), problem: .passing("busy")) }
        #expect(try !isRefused)
    }

    @Test("a restart forgets nothing of it")
    func restart() throws {
        try queue([.lasting("no")])
        try store.close()
        let reopened = try MetadataStore(path: path)
        #expect(try reopened.read { try $0.topmostNotRefused(limit: 1).isEmpty })
        try reopened.close()
    }

    @Test("entries that wait for one reason are counted, and become due, by its text")
    func sameText() throws {
        let inodes = try queue([.lasting("full"), .passing("busy"), .lasting("full")])
        #expect(try store.read { try $0.entryCount(problem: "full") } == 2)
        try store.write { transaction in
            for inode in inodes { try transaction.reschedule(inode, due: seconds(9)) }
        }
        try store.write { try $0.makeDue(problem: "full", at: seconds(2)) }
        let due = try store.read { try $0.dueEntries(at: seconds(2), limit: 9).map(\.inode) }
        #expect(due == [inodes[0], inodes[2]])
    }
}
