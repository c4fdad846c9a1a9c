// Two clients of one account: this mount, as far as Sync and the store are it, and another one that
// calls the server directly. Users' operations are done as FileSystem does them: one transaction
// each.

import ContentHashing
import Core
import Foundation
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

final class Harness: Sendable {
    struct Observer: TreeChangeObserving {
        func treeDidChange(_ changes: [TreeChange]) {}
    }

    /// The files that the test holds open.
    final class OpenSet: OpenFileTracking {
        let open = Mutex<Set<InodeID>>([])
        let writers = Mutex<Set<InodeID>>([])
        func isOpen(_ inode: InodeID, in transaction: Transaction) -> Bool {
            open.withLock { $0.contains(inode) }
        }
        func isOpenForWriting(_ inode: InodeID) -> Bool {
            writers.withLock { $0.contains(inode) }
        }
    }

    let folder = TemporaryFolder.make()
    let remote: any RemoteStoring
    let server: InMemoryStore
    /// The store of the mount's calls, unless a test sets another one.
    let faulty: FaultInjectingStore
    let store: MetadataStore
    let staging: StagingArea
    let openFiles = OpenSet()
    let clock: any SyncClock
    let history = History()
    /// The name of what never leaves this machine, in any folder; nil for none.
    let localName: String?
    /// Seconds for which an open file may be written to before it is sent.
    let openFileInterval: Double
    private let writeDelay: WriteDelay
    /// How modes, times and attributes are shared.
    let posix: PosixRules
    let refusesNames: Bool
    private let activities: (any SyncActivityObserving)?
    private let running = Mutex<SyncEngine?>(nil)

    init(
        server: InMemoryStore = InMemoryStore(),
        clock: any SyncClock = FastClock(), localName: String? = nil,
        openFileInterval: Double = 30, writeDelay: WriteDelay = WriteDelay(),
        posix: PosixRules = .local, refusesNames: Bool = false, removalDelay: Double = 1,
        activities: (any SyncActivityObserving)? = nil,
        reserving free: (@Sendable () -> Int64)? = nil,
        through wrap: ((InMemoryStore) -> any RemoteStoring)? = nil
    ) throws {
        self.server = server
        self.localName = localName
        self.openFileInterval = openFileInterval
        self.writeDelay = writeDelay
        self.posix = posix
        self.refusesNames = refusesNames
        self.activities = activities
        self.clock = clock
        faulty = FaultInjectingStore(server)
        remote = RecordingStore(
            base: wrap?(server) ?? faulty, history: history, label: "mount")
        let database = folder + "/tree.sqlite"
        let reserve = free.map { free in
            SpaceReserve(beside: database, largest: 1 << 16) { _ in (free(), 1 << 40) }
        }
        store = try MetadataStore(path: database, reserve: reserve)
        staging = try StagingArea(
            directory: folder + "/staging", store: store, removalDelay: removalDelay)
    }

    // MARK: The engine

    /// Starts. Before the first deltas nothing is sent; a test of what happens when they are late
    /// says that they have been heard.
    func start(knowingAll: Bool = false) async throws {
        let engine = SyncEngine(
            configuration: .init(
                host: "here", writeDelay: writeDelay, openFileInterval: openFileInterval,
                posix: posix, refusesNames: refusesNames),
            store: store, staging: staging, remote: remote,
            cache: NoContentCache(), openFiles: openFiles, observer: Observer(),
            activities: activities, clock: clock,
            log: Logger(label: "test") { [history] _ in HistoryLogHandler(history) })
        history.note("start")
        running.withLock { $0 = engine }
        try await engine.start()
        if knowingAll {
            engine.account.state.update { $0.hasCaughtUp = true }
            engine.noteChange()
        }
    }

    /// The engine that runs.
    var engine: SyncEngine? { running.withLock { $0 } }

    func stop() async {
        let engine = running.withLock { engine in
            defer { engine = nil }
            return engine
        }
        history.note("stopping")
        await engine?.stop()
        history.note("stopped")
    }

    /// Runs until nothing is queued and the mount shows what the server has.
    func settle(seconds: Double = 120) async throws {
        if running.withLock({ $0 == nil }) { try await start() }
        let engine = try #require(running.withLock { $0 })
        let end = Date().addingTimeInterval(seconds)
        do {
            return try await waitWhile(limit: .seconds(seconds)) {
                _ = try await engine.drain(until: { Date() > end })
                guard try await engine.pending().operations == 0, engine.isTreeComplete else {
                    return true
                }
                return try await tree() != serverTree()
            }
        } catch is StillWaiting {}
        let problems = try await store.read { snapshot in
            try snapshot.journalEntries(limit: 20).map { entry in
                "\(entry) \(String(describing: try snapshot.node(entry.inode)))"
            }
        }
        Issue.record(
            """
            not settled: \(engine.status.connection) \(engine.status.lastProblem ?? "no problem")
            mount:  \(try await tree().describe())
            server: \(try await serverTree().describe())
            journal: \(problems.joined(separator: "\n"))
            feed: \(try await store.read { try $0.setting("feed.cursor") } ?? "no cursor")
            contradictions: \(try await store.read { try $0.brokenInvariants() })
            nodes: \(try await store.read { try $0.describeNodes() })
            history:
            \(history.text)
            """)
    }

    /// The invariants of the rows after every transaction.
    func checkInvariants() async throws {
        let broken = try await store.read { try $0.brokenInvariants() }
        if !broken.isEmpty {
            let nodes = try await store.read { try $0.describeNodes() }
            let rules = broken.map(\.description).joined(separator: "\n")
            Issue.record("\(rules)\n\(nodes)\n\(history.text)")
            throw BrokenInvariants()
        }
    }

    /// Users have changed something.
    func noteChange() {
        running.withLock { $0 }?.noteChange()
    }

    /// A user's file has grown by a piece.
    func noteGrowth(of inode: InodeID) {
        running.withLock { $0 }?.noteGrowth(of: inode)
    }

    /// Waits until the mount has called an operation.
    func waitForCall(_ operation: RemoteOperation) async throws {
        try await waitWhile { !faulty.calls.contains(where: { $0.operation == operation }) }
    }

    /// Waits until the uploader has read the journal from its beginning to its end, and has ended
    /// the streaming upload of a file.
    func finishPass(streaming inode: InodeID? = nil) async throws {
        let uploader = try #require(engine).uploader
        // A pass that runs already ends first.
        for _ in 0..<2 {
            let before = await uploader.passes
            uploader.wake()
            try await waitWhile { await uploader.passes == before }
        }
        if let inode { await uploader.streaming.wait(for: inode) }
    }

    /// A user has logged in again.
    func noteLogin() async {
        await running.withLock { $0 }?.noteLogin()
    }

    var isRefused: Bool {
        running.withLock { $0 }?.status.connection == .authenticationRequired
    }

    var isOnline: Bool { running.withLock { $0 }?.status.connection == .online }

    /// Sends all that is queued.
    func drain() async throws {
        let engine = try #require(running.withLock { $0 })
        let end = Date().addingTimeInterval(120)
        let rest = try await engine.drain(until: { Date() > end })
        #expect(rest.operations == 0)
    }

    /// Starts, and sends the queue before any delta is applied.
    func drainBeforeDeltas() async throws {
        faulty.inject(.failBefore(.server("test")), times: nil) { $0.operation == .listAfter }
        try await start(knowingAll: true)
        try await drain()
        faulty.removeFaults()
    }

    // MARK: This mount's users

    @discardableResult
    func write(_ path: String, _ text: String) async throws -> InodeID {
        history.note("user writes \(path) \(text)")
        let bytes = Array(text.utf8)
        let (inode, vouched) = try await store.write { [staging, localName] transaction in
            let place = try transaction.place(path)
            let known = try transaction.child(place.name, of: place.parent)
            guard known.map({ $0.kind == .file }) ?? true else { throw Refused() }
            let isLocal =
                try known?.flags.contains(.localOnly)
                ?? transaction.isLocal(place, named: localName)
            let inode =
                try known?.inode
                ?? transaction.insert(
                    .file, at: place, local: LocalFacts(modified: .now()),
                    flags: isLocal ? .localOnly : [])
            if let known, let file = try staging.file(of: known) {
                _ = try file.truncate(to: 0, now: .now())
                let outcome = try bytes.withUnsafeBytes {
                    try file.write(at: 0, $0, now: .now())
                }
                // The row says that the bytes are on the disk: it is invalidated first.
                if outcome == .vouched { file.invalidateFlushedRow() }
                try file.persist(in: transaction)
                return (inode, outcome == .vouched ? file : nil)
            } else {
                let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
                _ = try bytes.withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
                try file.persist(in: transaction)
            }
            return (inode, nil)
        }
        guard let vouched else { return inode }
        try vouched.synchronizeRow { try store.synchronize() }
        return try await write(path, text)
    }

    func makeFolder(_ path: String, due: WallTime? = nil) async throws {
        history.note("user mkdir \(path)")
        try await store.write { [localName] transaction in
            let place = try transaction.place(path)
            guard try transaction.child(like: place.name, of: place.parent) == nil else {
                throw Refused()
            }
            let isLocal = try transaction.isLocal(place, named: localName)
            let inode = try transaction.insert(
                .folder, at: place, local: LocalFacts(), flags: isLocal ? .localOnly : [])
            if let due { try transaction.reschedule(inode, due: due) }
        }
        running.withLock { $0 }?.noteChange()
    }

    func delete(_ path: String) async throws {
        history.note("user deletes \(path)")
        try await store.write { [openFiles] transaction in
            let place = try transaction.place(path)
            let node = try transaction.existing(place)
            for child in try transaction.children(of: node.inode) {
                try transaction.deleteTree(child.inode, openFiles)
            }
            try transaction.deleteTree(node.inode, openFiles)
        }
    }

    func move(_ path: String, to target: String) async throws {
        history.note("user moves \(path) \(target)")
        try await store.write { [openFiles, localName] transaction in
            let from = try transaction.place(path)
            let to = try transaction.place(target)
            let node = try transaction.existing(from)
            let old = try transaction.child(like: to.name, of: to.parent)
            let isLocal =
                try old?.flags.contains(.localOnly) ?? transaction.isLocal(to, named: localName)
            // Before a move to a local-only place, content has to be fetched: that is FileSystem's
            // affair.
            let wasLocal = node.flags.contains(.localOnly)
            guard wasLocal || !isLocal, node.kind == .file || wasLocal == isLocal else {
                throw Refused()
            }
            if let old, old.inode != node.inode {
                let isFree = try !transaction.hasChildren(old.inode)
                guard old.kind == node.kind, isFree, old.place?.name == to.name else {
                    throw Refused()
                }
                try transaction.move(old.inode, to: nil)
            }
            try transaction.move(node.inode, to: to)
            if let old, old.inode != node.inode {
                if old.remote != .absent, old.kind == .file, node.kind == .file,
                    node.remote == .absent
                {
                    try transaction.handOverRemote(from: old.inode, to: node.inode)
                    try transaction.dropUnlessOpen(old.inode, openFiles)
                } else {
                    try transaction.drop(old.inode, openFiles)
                }
            }
            if wasLocal, !isLocal { try transaction.makeSynced(node.inode) }
        }
    }

    func open(_ path: String) async throws {
        history.note("user opens \(path)")
        try await store.write { [openFiles] transaction in
            let node = try transaction.existing(transaction.place(path))
            guard node.kind == .file else { throw Refused() }
            openFiles.open.withLock { _ = $0.insert(node.inode) }
        }
    }

    /// Closes all files; unlinked ones are gone after that.
    func closeAll() async throws {
        history.note("user closes all")
        try await store.write { [openFiles] transaction in
            let closed = openFiles.open.withLock { open in
                defer { open = [] }
                return open
            }
            for inode in closed where try transaction.node(inode)?.isOrphan == true {
                try transaction.remove(inode)
            }
        }
    }

    /// A user lists a folder; other tasks go on during the request.
    func lookAt(_ path: String) async throws {
        guard let folder = try await inode(path), let engine else { return }
        history.note("user looks at \(path)")
        Task { try? await engine.ensureListed(folder) }
    }

    /// Why a file waits; nil if it does not, or if nothing is wrong.
    func problem(of inode: InodeID) async throws -> String? {
        try await store.read { try $0.journalEntry(of: inode)?.problem }
    }

    func inode(_ path: String) async throws -> InodeID? {
        try await store.read { snapshot in
            let place = try snapshot.place(path)
            return try snapshot.child(place.name, of: place.parent)?.inode
        }
    }

    // MARK: The other client

    func put(_ path: String, _ text: String, modified: Int64 = 1_000_000_000) async throws {
        history.note("other puts \(path) \(text)")
        let bytes = Array(text.utf8)
        let existing = try await server.entry(at: RemotePath(rawValue: path))
        var expectation = RemoteCommit.Expectation.absent(strict: true)
        if case .file(let file) = existing?.kind { expectation = .revision(file.revision) }
        let commit = RemoteCommit(
            path: RemotePath(rawValue: path), expectation: expectation,
            clientModified: WallTime(seconds: modified), hash: nil)
        _ = try await server.upload(MemorySource(bytes), commit: commit)
    }

    func putFolder(_ path: String) async throws {
        history.note("other mkdir \(path)")
        _ = try await server.makeFolder(at: RemotePath(rawValue: path))
    }

    func remove(_ path: String) async throws {
        history.note("other deletes \(path)")
        try await server.delete(RemoteReference(path: RemotePath(rawValue: path)), revision: nil)
    }

    func relocate(_ path: String, to target: String) async throws {
        history.note("other moves \(path) \(target)")
        _ = try await server.move(
            RemoteReference(path: RemotePath(rawValue: path)), to: RemotePath(rawValue: target))
    }
}

/// The rows contradict each other.
struct BrokenInvariants: Error {}

/// A user's call cannot be done: there is no such file, or it is no folder.
struct Refused: Error {}
