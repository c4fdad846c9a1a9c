// The journal follows from the rows: each state of a node, each change, and folders that stay here
// for the sake of their content.

import Core
import GRDB
import Testing

@testable import MetadataStore

@Suite struct JournalMembershipTests {
    let path = TemporaryStore.path()
    let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: path)
    }

    private func isQueued(_ inode: InodeID) throws -> Bool {
        try store.read { try $0.journalEntry(of: inode) } != nil
    }

    private func remote(
        _ name: String, _ kind: NodeKind = .file, in parent: InodeID = .root
    ) throws -> InodeID {
        try store.write {
            try $0.insertRemote(
                kind, at: Place(parent: parent, name: try FileName(name)), facts: RemoteFacts())
        }
    }

    @Test("both forms of the rule say the same of every state")
    func bothForms() throws {
        for remote in [RemoteState.absent, .inPlace, .displaced] {
            for flags in [
                NodeFlags(), .localOnly, .keptForLocal, .listed, [.localOnly, .listed], .factsOwed,
                [.factsOwed, .localOnly],
            ] {
                for hasPlace in [true, false] {
                    for isStaged in [true, false] {
                        let standing = Standing(
                            hasPlace: hasPlace, remote: remote, flags: flags, isStaged: isStaged)
                        #expect(try isOwedInSQL(standing) == standing.isOwed, "\(standing)")
                    }
                }
            }
        }
    }

    private func isOwedInSQL(_ standing: Standing) throws -> Bool {
        struct Undone: Error {}
        var answer = false
        do {
            try store.write { transaction in
                let inode = try transaction.insert(.file, at: place("x"), local: LocalFacts())
                if standing.isStaged {
                    let staged = StagedContent(
                        file: 1, size: 1, generation: 1, base: nil, blocks: [])
                    try transaction.setStaged(staged, of: inode)
                }
                try transaction.database.execute(
                    sql: """
                        UPDATE node SET remote = ?, flags = ?, parent = ? WHERE inode = ?
                        """,
                    arguments: [
                        standing.remote.rawValue, standing.flags.rawValue,
                        standing.hasPlace ? 1 : nil, inode.rawValue,
                    ])
                answer =
                    try Int.fetchOne(
                        transaction.database,
                        sql: "SELECT 1 FROM node WHERE inode = ? AND \(Standing.isOwedInSQL)",
                        arguments: [inode.rawValue]) != nil
                throw Undone()
            }
        } catch is Undone {}
        return answer
    }

    @Test("a node made here is owed until the server has it, and again when it is moved")
    func made() throws {
        let folder = try store.insert("d", .folder)
        #expect(try isQueued(folder))
        try store.write { try $0.setRemotePlace(folder, place("d")) }
        #expect(try !isQueued(folder))
        try store.write { try $0.move(folder, to: place("e")) }
        #expect(try isQueued(folder))
        try store.write { try $0.move(folder, to: place("d")) }
        #expect(try !isQueued(folder))
        try store.write { try $0.move(folder, to: nil) }
        #expect(try isQueued(folder))
        try store.write { try $0.remove(folder) }
        #expect(try !isQueued(folder))
    }

    @Test("staged content is owed until it is committed or given up")
    func staged() throws {
        let file = try remote("f")
        #expect(try !isQueued(file))
        try store.stage(file)
        #expect(try isQueued(file))
        try store.write { try $0.removeStaged(of: file) }
        #expect(try !isQueued(file))
        try store.stage(file)
        let node = try #require(try store.read { try $0.node(file) })
        try store.write { try $0.abandonStaged(of: node) }
        #expect(try !isQueued(file))
    }

    @Test("what never leaves this machine is not owed, until it is synced")
    func localOnly() throws {
        let file = try store.insert("f", flags: .localOnly)
        try store.stage(file)
        #expect(try !isQueued(file))
        try store.write { try $0.makeSynced(file) }
        #expect(try isQueued(file))
        try store.write { try $0.makeLocalOnly(file) }
        #expect(try !isQueued(file))
    }

    @Test("a time that the transaction sets holds, whether before or after the change")
    func held() throws {
        let file = try store.insert("f")
        try store.write { transaction in
            try transaction.reschedule(file, due: seconds(9))
            try transaction.move(file, to: place("g"))
        }
        #expect(try store.read { try $0.journalEntry(of: file)?.due } == seconds(9))
        try store.write { transaction in
            try transaction.move(file, to: place("h"))
            try transaction.postpone(file, until: seconds(12), problem: .passing("no"))
        }
        let entry = try store.read { try $0.journalEntry(of: file) }
        #expect(entry?.due == seconds(12))
        #expect(entry?.problem == "no")
    }

    @Test("an entry that is kept stays as it is, although its node changes")
    func keptEntry() throws {
        let file = try store.insert("f")
        try store.write { try $0.postpone(file, until: seconds(12), problem: .passing("no")) }
        let before = try store.read { try $0.journalEntry(of: file) }
        try store.write { transaction in
            try transaction.keepEntry(of: file)
            try transaction.move(file, to: place("g"))
        }
        #expect(try store.read { try $0.journalEntry(of: file) } == before)
        try store.write { try $0.move(file, to: place("h")) }
        #expect(try store.read { try $0.journalEntry(of: file)?.problem } == nil)
    }

    @Test("only nodes that are owed are asked when they are due")
    func asked() throws {
        var asked: [ChangedPlace] = []
        let (file, folder) = try store.write(
            due: { place in
                asked.append(place)
                return seconds(7)
            },
            { transaction in
                let file = try transaction.insert(.file, at: place("f"), local: LocalFacts())
                let folder = try transaction.insertRemote(
                    .folder, at: place("d"), facts: RemoteFacts())
                let gone = try transaction.insert(.file, at: place("g"), local: LocalFacts())
                try transaction.remove(gone)
                return (file, folder)
            })
        #expect(asked == [.name("f", in: .root)])
        #expect(try store.read { try $0.journalEntry(of: file)?.due } == seconds(7))
        #expect(try !isQueued(folder))
    }

    @Test("a change is one of a place, also of another node there, and a deletion one of its node")
    func places() throws {
        let first = try store.insert("F")
        let second = try store.write { transaction in
            try transaction.insertRemote(.file, at: place("g"), facts: RemoteFacts())
        }
        var asked: [ChangedPlace] = []
        func change(_ body: (Transaction) throws -> Void) throws -> ChangedPlace? {
            try store.write(
                due: { place in
                    asked.append(place)
                    return seconds(1)
                }, body)
            return asked.last
        }
        #expect(try change { try $0.move(first, to: place("h")) } == .name("h", in: .root))
        #expect(try change { try $0.move(second, to: place("F")) } == .name("f", in: .root))
        #expect(try change { try $0.move(second, to: nil) } == .node(second))
    }

    // MARK: Folders that are kept

    /// A folder that others have deleted, with a folder in it, and in that what never leaves this
    /// machine.
    private func keptFolder() throws -> (outer: InodeID, inner: InodeID, file: InodeID) {
        let outer = try remote("outer", .folder)
        let inner = try remote("inner", .folder, in: outer)
        let file = try store.insert("f", in: inner, flags: .localOnly)
        try store.write { transaction in
            for folder in [inner, outer] {
                try transaction.setRemoteAbsent(folder)
                try transaction.setFlags(.keptForLocal, true, of: folder)
            }
        }
        #expect(try !isQueued(outer))
        #expect(try !isQueued(inner))
        return (outer, inner, file)
    }

    @Test("a kept folder goes back to the server with a new node in it")
    func madeInKept() throws {
        let kept = try keptFolder()
        _ = try store.insert("new", in: kept.inner)
        #expect(try isQueued(kept.inner))
        #expect(try isQueued(kept.outer))
        #expect(try store.read { try $0.brokenInvariants() } == [])
    }

    @Test(
        "a kept folder that loses what it was kept for is a folder like others",
        arguments: [false, true])
    func emptied(byRemoval: Bool) throws {
        let kept = try keptFolder()
        try store.write { transaction in
            if byRemoval {
                // As when a power cut took the content of a file that only this machine had.
                try transaction.remove(kept.file)
            } else {
                try transaction.move(kept.file, to: place("f"))
            }
        }
        #expect(try isQueued(kept.inner))
        #expect(try isQueued(kept.outer))
        #expect(try store.read { try $0.brokenInvariants() } == [])
    }

    @Test("a node that becomes synced in a kept folder takes it along")
    func syncedInKept() throws {
        let kept = try keptFolder()
        try store.write { try $0.makeSynced(kept.file) }
        #expect(try isQueued(kept.inner))
        #expect(try isQueued(kept.outer))
    }

    @Test("a folder is not kept for nothing, nor for nodes that are to be sent")
    func keptForNothing() throws {
        let empty = try store.insert("empty", .folder)
        let full = try store.insert("full", .folder)
        _ = try store.insert("a", in: full, flags: .localOnly)
        _ = try store.insert("b", in: full)
        try store.write { transaction in
            try transaction.setFlags(.keptForLocal, true, of: empty)
            try transaction.setFlags(.keptForLocal, true, of: full)
        }
        #expect(try isQueued(empty))
        #expect(try isQueued(full))
        #expect(try store.read { try $0.brokenInvariants() } == [])
    }

    @Test("a kept folder that the server has again is an ordinary one")
    func backAgain() throws {
        let kept = try keptFolder()
        try store.write { try $0.setRemotePlace(kept.outer, place("outer")) }
        #expect(try !isQueued(kept.outer))
        let flags = try store.read { try $0.node(kept.outer)?.flags }
        #expect(flags?.contains(.keptForLocal) == false)
    }

    // MARK: Older databases

    @Test("the journal of a database from before becomes what follows from its rows")
    func migration() throws {
        let sent = try remote("sent", .folder)
        let forgotten = try store.insert("forgotten")
        let queued = try store.insert("queued")
        let kept = try remote("kept", .folder)
        let link = try remote("link", .symbolicLink)
        _ = try store.insert("l", in: kept, flags: .localOnly)
        let empty = try remote("empty", .folder)
        try store.write { transaction in
            try transaction.setRemoteAbsent(kept)
            try transaction.setRemoteAbsent(empty)
            try transaction.setRemoteAbsent(link)
            try transaction.reschedule(queued, due: seconds(5))
        }
        let numbers = [forgotten, kept, empty, link].map { "\($0.rawValue)" }
            .joined(separator: ", ")
        try store.write { transaction in
            try transaction.database.execute(
                sql: """
                    DROP INDEX node_kept;
                    DELETE FROM grdb_migrations WHERE identifier = '8';
                    DELETE FROM journal WHERE inode IN (\(numbers));
                    INSERT INTO journal (inode, sequence, due) VALUES (\(sent.rawValue), 90, 0);
                    """)
        }
        try store.close()
        let reopened = try MetadataStore(path: path)
        let entries = try reopened.read { try $0.journalEntries(limit: 10) }
        #expect(Set(entries.map(\.inode)) == [queued, forgotten, empty])
        #expect(try reopened.read { try $0.journalEntry(of: queued)?.due } == seconds(5))
        #expect(try reopened.read { try $0.node(link)?.flags.contains(.localOnly) } == true)
        #expect(try reopened.read { try $0.brokenInvariants() } == [])
    }

    // MARK: Invariants

    @Test(
        "each contradiction is found",
        arguments: [
            ("is in no folder that users see", "UPDATE node SET parent = 77 WHERE inode = 2"),
            ("is in no folder that users see", "UPDATE node SET parent = 2 WHERE inode = 2"),
            (
                "has the name of another node in its folder",
                "UPDATE node SET fold = 'x', name = 'f' WHERE inode = 2"
            ),
            (
                "never leaves this machine, and the server has it",
                "UPDATE node SET flags = 16 WHERE inode = 3"
            ),
            ("is kept for what it does not hold", "UPDATE node SET flags = 256 WHERE inode = 3"),
            ("has lost its place on the server", "UPDATE node SET remote = 2 WHERE inode = 3"),
            (
                "is gone or elsewhere, and has a place on the server",
                "INSERT INTO displaced (inode, parent, fold, name) VALUES (99, 1, 'y', 'y')"
            ),
            (
                "shares its place on the server with another node",
                "INSERT INTO displaced (inode, parent, fold, name) VALUES (99, 1, 'd', 'd')"
            ),
            (
                "is on the server in no folder that is there",
                "UPDATE node SET remote = 2 WHERE inode = 3; INSERT INTO displaced (inode, parent, fold, name) VALUES (3, 44, 'd', 'd')"
            ),
            ("is owed to the server and not in the journal", "DELETE FROM journal"),
            (
                "is in the journal and not owed to the server",
                "INSERT INTO journal (inode, sequence, due) VALUES (3, 50, 0)"
            ),
            ("is gone, and a row of pin names it", "INSERT INTO pin VALUES (88)"),
        ])
    func invariants(rule: String, breaking: String) throws {
        let file = try store.insert("e")
        let folder = try remote("d", .folder)
        _ = try store.insert("f")
        #expect((file.rawValue, folder.rawValue) == (2, 3))
        #expect(try store.read { try $0.brokenInvariants() } == [])
        try store.write { try $0.database.execute(sql: breaking) }
        #expect(try store.read { try $0.brokenInvariants() }.map(\.rule).contains(rule))
    }
}
