// Changes that wait for those of other nodes, and with them for their problems. Not responsible for
// the order in which they are sent (`UploadTests`).

import Core
import MetadataStore
import Testing

@testable import Tree

@Suite struct AwaitedNodesTests {
    private let harness: Harness
    private var store: MetadataStore { harness.store }

    init() throws {
        harness = try Harness()
    }

    /// Adds files that the server has, in the root.
    private func known(_ names: [String]) async throws -> [InodeID] {
        try await store.write { transaction in
            try names.map { name in
                try transaction.insertRemote(
                    .file, at: transaction.place(name),
                    facts: RemoteFacts(id: FileID("id:\(name)")))
            }
        }
    }

    /// Users move nodes, which have no name in between.
    private func move(_ moves: [(InodeID, String)]) async throws {
        try await store.write { transaction in
            for (inode, _) in moves { try transaction.move(inode, to: nil) }
            for (inode, path) in moves { try transaction.move(inode, to: transaction.place(path)) }
        }
    }

    private func note(_ problem: Problem?, of inode: InodeID) async throws {
        try await store.write {
            try $0.postpone(inode, until: WallTime(seconds: 1), problem: problem)
        }
    }

    private func problem(delaying inode: InodeID) async throws -> String? {
        try await store.read { try $0.problem(delaying: inode) }
    }

    private var isRefused: Bool {
        get async throws { try await store.read { try $0.isQueueRefused() } }
    }

    @Test("an entry waits for the one that is to leave its place, and is refused with it")
    func occupant() async throws {
        let files = try await known(["/a", "/b", "/c"])
        try await move([(files[0], "/b"), (files[1], "/c"), (files[2], "/d")])
        #expect(try await !isRefused)
        try await note(.passing("busy"), of: files[2])
        #expect(try await problem(delaying: files[0]) == "busy")
        #expect(try await !isRefused)
        try await note(.lasting("no"), of: files[2])
        #expect(try await problem(delaying: files[0]) == "no")
        #expect(try await isRefused)
        // One that waits for none of them is sent.
        try await harness.makeFolder("/new")
        #expect(try await !isRefused)
    }

    @Test("a new folder waits for the one that is to leave its place, and its contents for both")
    func folder() async throws {
        let file = try await known(["/a"])[0]
        try await move([(file, "/b")])
        try await harness.makeFolder("/a")
        // More of them than are examined.
        for number in 0..<120 { try await harness.makeFolder("/a/\(number)") }
        try await harness.makeFolder("/a/0/inner")
        let inner = try #require(try await harness.inode("/a/0/inner"))
        #expect(try await problem(delaying: inner) == nil)
        #expect(try await !isRefused)
        try await note(.lasting("no"), of: file)
        #expect(try await problem(delaying: inner) == "no")
        #expect(try await isRefused)
    }

    @Test("entries that wait for each other are sent, unless one of them is refused")
    func circle() async throws {
        let files = try await known(["/a", "/b", "/c"])
        try await move([(files[0], "/b"), (files[1], "/a"), (files[2], "/d")])
        try await note(.lasting("no"), of: files[2])
        #expect(try await problem(delaying: files[0]) == nil)
        #expect(try await !isRefused)
        try await note(.lasting("no"), of: files[0])
        #expect(try await problem(delaying: files[1]) == "no")
        #expect(try await isRefused)
    }

    @Test("of very many entries that may wait for refused ones, it is not found out")
    func many() async throws {
        let names = (0...101).map { "/f\($0)" }
        let files = try await known(names)
        try await move(zip(files, names.dropFirst() + ["/end"]).map { ($0, $1) })
        try await note(.lasting("no"), of: files[101])
        #expect(try await problem(delaying: files[0]) == "no")
        #expect(try await !isRefused)
        try await note(.lasting("no"), of: files[0])
        #expect(try await isRefused)
    }
}
