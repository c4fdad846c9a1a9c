// Users' changes in groups: acknowledged ones are there after any crash, and refused ones are not.

import Core
import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import MetadataStore

@Suite struct ChangeGroupTests {
    private struct Refused: Error {}

    let path = TemporaryStore.path()

    /// A store that commits its groups only when an access needs it.
    static func store(
        _ path: String,
        put: @escaping ChangeLogFile.Write = { pwrite($0, $1.baseAddress, $1.count, $2) }
    ) throws -> MetadataStore {
        try MetadataStore(path: path, delay: 86_400, put: put) { _ in 0 }
    }

    /// Copies the files as a crash would leave them.
    static func crash(_ path: String) throws -> String {
        let copy = TemporaryStore.path()
        for suffix in ["", "-wal", "-mark", "-changes"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    /// All rows, but for those that count openings.
    static func rows(_ database: Database) throws -> [String] {
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return try tables.flatMap { table in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\(table) \($0)" }
        }.filter { row in
            !["changes.last", "database.", "grdb_migrations"].contains { row.contains($0) }
        }.sorted()
    }

    static func rows(_ store: MetadataStore) throws -> [String] {
        try store.readBetweenTransactions { try rows($0.database) }
    }

    /// The rows as the next process finds them, before it removes any.
    static func rows(afterCrash path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        try MetadataStore.repeatChanges(ofDatabaseAt: path, in: database)
        return try database.read { try rows($0) }
    }

    func add(_ name: String, to store: MetadataStore) throws {
        try store.change(due: { _ in .atOnce }) {
            _ = try $0.insert(.folder, at: place(name), local: LocalFacts())
        }
    }

    // MARK: Histories

    @Test(
        "a crash at any write of the log leaves a state that was there, with all acknowledged changes"
    )
    func crashes() throws {
        let copies = Mutex<[(path: String, isWritten: Bool)]>([])
        let path = path
        let store = try Self.store(path) { descriptor, bytes, offset in
            copies.withLock { copies in
                if let copy = try? Self.crash(path) { copies.append((copy, false)) }
            }
            // A record in two parts, so that a crash may be between them.
            let half = pwrite(descriptor, bytes.baseAddress, bytes.count / 2 + 1, offset)
            copies.withLock { copies in
                if let copy = try? Self.crash(path) {
                    copies.append((copy, half == bytes.count))
                }
            }
            return half
        }
        var history = RandomChanges(seed: 1)
        var states = [try Self.rows(store)]
        for _ in 0..<24 {
            try? store.change(due: { _ in .atOnce }, history.next())
            states.append(try Self.rows(store))
        }
        states = states.enumerated().filter { $0 == 0 || states[$0 - 1] != $1 }.map(\.element)
        let found = try copies.withLock { $0 }.map { try Self.rows(afterCrash: $0.path) }
        #expect(found.count > 20)
        var last = 0
        for state in found {
            let index = try #require(states[last...].firstIndex(of: state))
            #expect(index <= last + 1)
            last = index
        }
        #expect(last >= states.count - 2)
        #expect(try Self.rows(afterCrash: Self.crash(path)) == states.last)
    }

    @Test(
        "repeated from the log, changes have the effect that they have in transactions of their own",
        arguments: 2..<10)
    func equivalence(seed: UInt64) throws {
        let single = try Self.store(TemporaryStore.path())
        let grouped = try Self.store(path)
        var (one, other) = (RandomChanges(seed: seed), RandomChanges(seed: seed))
        for step in 0..<150 {
            let (first, second) = (one.next(), other.next())
            let isMade = (try? single.write(first)) != nil
            #expect(((try? grouped.change(due: { _ in .atOnce }, second)) != nil) == isMade)
            if step % 40 == 39 { _ = try grouped.read { try $0.nodeCount() } }
        }
        let rows = try Self.rows(single)
        #expect(try Self.rows(grouped) == rows)
        #expect(try Self.rows(afterCrash: Self.crash(path)) == rows)
    }

    // MARK: Other connections

    @Test("other connections see acknowledged changes, and a clean end leaves no log")
    func visible() async throws {
        let store = try Self.store(path)
        try add("a", to: store)
        #expect(try store.readBriefly { try $0.nodeCount() } == 1)
        #expect(!store.isSafe)
        #expect(try await store.read { try $0.nodeCount() } == 1)
        try add("b", to: store)
        #expect(try count(store) == 2)
        try add("c", to: store)
        #expect(try await store.write { try $0.nodeCount() } == 3)
        try add("d", to: store)
        try store.synchronize()
        #expect(store.isSafe)
        #expect(!(try #require(store.group)).isPending)
        try add("e", to: store)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-changes"))
        #expect(try count(MetadataStore(path: path)) == 5)
    }

    /// Reads on another connection, on this thread.
    private func count(_ store: MetadataStore) throws -> Int {
        try store.read { try $0.nodeCount() }
    }

    @Test("a group is committed by itself")
    func commitsItself() throws {
        let store = try MetadataStore(path: path, delay: 0) { _ in 0 }
        try add("a", to: store)
        let other = try DatabaseQueue(path: path)
        let deadline = Date().addingTimeInterval(60)
        while try other.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM node") }) != 2 {
            try #require(Date() < deadline)
            sched_yield()
        }
    }

    @Test("an inspection of a mount that has died sees all changes, and makes none")
    func inspection() throws {
        let store = try Self.store(path)
        try add("a", to: store)
        let copy = try Self.crash(path)
        let files = ["", "-wal", "-changes"].map { copy + $0 }
        let before = files.map { FileManager.default.contents(atPath: $0) }
        #expect(try DatabaseInspection(path: copy).read { try $0.pending().operations } == 1)
        #expect(try DatabaseInspection(path: copy).contradictions(limit: 1) == [])
        #expect(try DatabaseInspection(path: copy).damage() == nil)
        // Beside a mount, an inspection does not keep it from writing.
        let beside = try DatabaseInspection(path: path)
        #expect(try beside.read { try $0.pending().operations } == 0)
        try store.synchronize()
        #expect(try beside.read { try $0.pending().operations } == 1)
        try add("b", to: store)
        #expect(files.map { FileManager.default.contents(atPath: $0) } == before)
        #expect(try Self.store(copy).read { try $0.pending().operations } == 1)
    }

    @Test("the log of another database, or of another time, is not repeated")
    func foreign() throws {
        let store = try Self.store(path)
        let other = try Self.store(TemporaryStore.path())
        try add("other", to: other)
        let early = try Self.crash(path)
        try add("a", to: store)
        try store.synchronize()
        try add("b", to: store)
        let later = try Self.crash(path)
        let foreign = try Self.crash(path)
        for (log, database) in [(later, early), (try #require(other.path), foreign)] {
            try? FileManager.default.removeItem(atPath: database + "-changes")
            try FileManager.default.copyItem(
                atPath: log + "-changes", toPath: database + "-changes")
        }
        #expect(try Self.store(later).read { try $0.nodeCount() } == 2)
        #expect(try Self.store(early).read { try $0.nodeCount() } == 0)
        #expect(try Self.store(foreign).read { try $0.nodeCount() } == 1)
    }

    // MARK: Failures

    @Test("an error undoes its own change, in whole or in part, and no other")
    func undone() throws {
        let store = try Self.store(path)
        try add("a", to: store)
        #expect(throws: Refused.self) {
            try store.change(due: { _ in .atOnce }) { transaction in
                _ = try transaction.insert(.folder, at: place("b"), local: LocalFacts())
                throw Refused()
            }
        }
        try store.change(due: { _ in .atOnce }) { transaction in
            _ = try transaction.insert(.folder, at: place("c"), local: LocalFacts())
            try? transaction.undoable {
                _ = try transaction.insert(.folder, at: place("d"), local: LocalFacts())
                throw Refused()
            }
            _ = try transaction.insert(.folder, at: place("e"), local: LocalFacts())
        }
        let names: (MetadataStore) throws -> [String] = {
            try $0.readBetweenTransactions { try $0.children(of: .root).map(\.name.string) }
        }
        #expect(try names(store) == ["a", "c", "e"])
        #expect(try names(Self.store(Self.crash(path))) == ["a", "c", "e"])
    }

    @Test("a change that the log has no room for is refused, whole")
    func fullLog() throws {
        let isFull = Mutex(false)
        let store = try Self.store(path) { descriptor, bytes, offset in
            guard isFull.withLock({ $0 }) else {
                return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
            }
            if bytes.count > 40 { return pwrite(descriptor, bytes.baseAddress, 40, offset) }
            errno = ENOSPC
            return -1
        }
        for round in 0..<2 {
            try add("a\(round)", to: store)
            isFull.withLock { $0 = true }
            let error = #expect(throws: DatabaseError.self) { try add("b", to: store) }
            #expect(error.map { MetadataStore.isDiskFull($0) } == true)
            #expect(try store.readBriefly { try $0.nodeCount() } == 2 * round + 1)
            #expect(try Self.store(Self.crash(path)).read { try $0.nodeCount() } == 2 * round + 1)
            isFull.withLock { $0 = false }
            try add("c\(round)", to: store)
            #expect(try Self.store(Self.crash(path)).read { try $0.nodeCount() } == 2 * round + 2)
        }
    }

    @Test("if the disk refuses a commit, acknowledged changes stay, here and after a crash")
    func refusedCommit() throws {
        let store = try Self.store(path)
        try add("a", to: store)
        try TemporaryStore.withLog(of: path, replacedBy: open(path + "-wal", O_RDONLY)) {
            #expect(throws: (any Error).self) { try store.synchronize() }
            #expect(throws: (any Error).self) {
                try store.write {
                    _ = try $0.insert(.folder, at: place("b"), local: LocalFacts())
                }
            }
            #expect(try store.read { try $0.nodeCount() } == 1)
            #expect(try store.readBriefly { try $0.nodeCount() } == 1)
            try add("c", to: store)
            #expect(!store.isSafe)
        }
        let left = try Self.crash(path)
        #expect(try Self.store(left).read { try $0.nodeCount() } == 2)
        try store.synchronize()
        #expect(store.isSafe)
        #expect(try store.read { try $0.nodeCount() } == 2)
    }

    @Test("if SQLite loses its transaction, the group is repeated before anything else")
    func lost() throws {
        let store = try Self.store(path)
        try add("a", to: store)
        try store.database.writeWithoutTransaction { try $0.step("ROLLBACK") }
        #expect(try store.readBriefly { try $0.nodeCount() } == 1)
        try store.database.writeWithoutTransaction { try $0.step("ROLLBACK") }
        try add("b", to: store)
        #expect(throws: DatabaseError.self) {
            try store.change(due: { _ in .atOnce }) { transaction in
                _ = try transaction.insert(.folder, at: place("c"), local: LocalFacts())
                try transaction.database.step("ROLLBACK")
                _ = try transaction.insert(.folder, at: place("d"), local: LocalFacts())
            }
        }
        try store.database.writeWithoutTransaction { try $0.step("ROLLBACK") }
        #expect(try store.read { try $0.nodeCount() } == 2)
        #expect(try Self.store(Self.crash(path)).read { try $0.nodeCount() } == 2)
    }

    @Test("a change by other ways than the log's is committed at once")
    func otherWays() throws {
        let store = try Self.store(path)
        try add("a", to: store)
        try store.change(due: { _ in .atOnce }) { transaction in
            try transaction.database.execute(sql: "INSERT INTO ended (file) VALUES (7)")
        }
        #expect(!(try #require(store.group)).isPending)
        let left = try Self.store(Self.crash(path))
        #expect(try left.read { try $0.endedFiles() } == [7])
        #expect(try left.read { try $0.nodeCount() } == 1)
    }

    @Test("a change without effect leaves nothing open")
    func withoutEffect() throws {
        let store = try Self.store(path)
        try store.change(due: { _ in .atOnce }) { try $0.touch(InodeID(99), at: seconds(1)) }
        #expect(throws: Refused.self) {
            try store.change(due: { _ in .atOnce }) { _ in throw Refused() }
        }
        // Another process may write.
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "INSERT INTO ended (file) VALUES (7)")
        }
    }
}

/// Changes of all kinds that users make, decided by a number.
private struct RandomChanges {
    private var state: UInt64
    private var time: Int64 = 0

    init(seed: UInt64) {
        state = seed
    }

    private mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    /// The next change of the history.
    mutating func next() -> (Transaction) throws -> Void {
        let (kind, one, other, size) = (below(11), below(40), below(12), below(9000))
        time += 1
        let now = seconds(time)
        return { transaction in
            try Self.change(transaction, kind, InodeID(UInt64(one + 2)), other, size, now)
        }
    }

    private static func change(
        _ transaction: Transaction, _ kind: Int, _ inode: InodeID, _ other: Int, _ size: Int,
        _ now: WallTime
    ) throws {
        let local = LocalFacts(modified: now, changed: now)
        let name = place("file \(other)")
        switch kind {
        case 0, 1, 2:
            let made = try transaction.insert(kind == 0 ? .folder : .file, at: name, local: local)
            if kind == 0 { return }
            let file = try transaction.nextStagingFile()
            try transaction.setStaged(
                StagedContent(
                    file: file, size: Int64(size), generation: file << 32 + 1, base: nil,
                    blocks: [1, 2, 3]), of: made)
            try transaction.touch(.root, at: now)
        case 3: try transaction.setLocal(local, of: inode)
        case 4: try transaction.move(inode, to: name)
        case 5: try transaction.move(inode, to: nil)
        case 6: try transaction.remove(inode)
        case 7: try transaction.removeStaged(of: inode)
        case 8: try transaction.setAttribute("user.a\(other)", of: inode, to: [UInt8(other)])
        case 9:
            _ = try transaction.noteIntent(inode, at: name, hash: nil, modified: now, sent: now)
        default:
            try? transaction.undoable {
                try transaction.setPin(true, of: inode)
                if size % 2 == 0 { throw CancellationError() }
            }
            try transaction.setFlags(.localOnly, size % 3 == 0, of: inode)
        }
    }
}
