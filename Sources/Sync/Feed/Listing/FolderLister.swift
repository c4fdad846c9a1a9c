// Lists a single folder for an operation, ahead of the full listing.

import Blocking
import Core
import MetadataStore
import RemoteStore
import Tree

/// Fetches single folders on demand; concurrent requests for one folder share the result.
actor FolderLister {
    private let account: SyncedAccount
    /// Head start in seconds of the full listing: enough for some 10,000 entries. Only at the first
    /// mount of a large account a caller waits so long.
    private static let head = 1.0
    /// Seconds between two checks of it.
    private static let pause = 0.01

    private var isStopped = false
    private var running: [InodeID: Task<SyncOutcome<Void>, Never>] = [:]

    init(account: SyncedAccount) {
        self.account = account
    }

    /// Cancels running listings, and refuses new ones.
    func stop() async {
        isStopped = true
        for task in running.values { task.cancel() }
        for task in running.values { _ = await task.value }
    }

    /// Waits until a folder's children are all in the store.
    func ensureListed(_ folder: InodeID) async throws(SyncError) {
        if isStopped { throw .cancelled }
        let task: Task<SyncOutcome<Void>, Never>
        if let known = running[folder] {
            task = known
        } else {
            task = Task {
                defer { running[folder] = nil }
                do throws(SyncError) {
                    try await self.list(folder)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            running[folder] = task
        }
        try await waitUnlessCancelled(task).get()
    }

    /// A cancelled waiter returns at once; the listing continues for the others.
    private func waitUnlessCancelled(
        _ task: Task<SyncOutcome<Void>, Never>
    ) async -> SyncOutcome<Void> {
        let (stream, continuation) = AsyncStream<SyncOutcome<Void>>.makeStream()
        let forwarder = Task { continuation.yield(await task.value) }
        defer { forwarder.cancel() }
        for await result in stream {
            return result
        }
        return .failure(.cancelled)
    }

    private func list(_ folder: InodeID) async throws(SyncError) {
        if try await ask({ try $0.isListed(folder) }) { return }
        if await isCompleteSoon() { return }
        let account = account
        try await account.gate.read { () async throws(SyncError) in
            // Read only now, with no commit in flight that changes it.
            guard let path = try await ask({ try $0.path(of: folder) }) else { return }
            let contents = try await fromServer(
                await account.remote.contents(of: path, recursive: false))
            try await apply(contents.entries, of: folder, at: path)
        }
    }

    /// Whether the full listing completes within a second of its start: then listing single folders
    /// beside it is of no use.
    private func isCompleteSoon() async -> Bool {
        let clock = account.clock
        while true {
            let status = account.state.current
            if status.isTreeComplete { return true }
            guard status.connection != .offline, let began = status.listingBegan,
                clock.now() < began.adding(seconds: Self.head)
            else { return false }
            let next = clock.now().adding(seconds: Self.pause)
            guard (try? await clock.sleep(until: next)) != nil else { return false }
        }
    }

    private func apply(
        _ entries: [RemoteEntry], of folder: InodeID, at path: RemotePath
    ) async throws(SyncError) {
        let account = account
        try await account.checkReserve(entries, isAwaited: true)
        await UnsentHashes(account: account).note(like: entries)
        let outcome = try await storeWork { store in
            try store.bringIn(account.deltaContext()) { transaction, context in
                var applier = try DeltaApplier(transaction: transaction, context: context)
                try applier.apply(entries)
                try transaction.markListed(folder, at: path)
                return applier.outcome
            }
        }
        account.noteListed(outcome)
        await account.tell(outcome.changes)
    }

    private func ask<Value: Sendable>(
        _ question: @escaping @Sendable (Snapshot) throws -> Value
    ) async throws(SyncError) -> Value {
        try await storeWork { try $0.read(question) }
    }

    private func storeWork<Value: Sendable>(
        _ work: @escaping @Sendable (MetadataStore) throws -> Value
    ) async throws(SyncError) -> Value {
        let store = account.store
        do {
            return try await account.disk.run { try work(store) }
        } catch {
            throw SyncError(cause: error)
        }
    }
}

extension Snapshot {
    fileprivate func isListed(_ folder: InodeID) throws -> Bool {
        try node(folder)?.flags.contains(.listed) ?? false
    }

    fileprivate func path(of folder: InodeID) throws -> RemotePath? {
        try remotePath(of: folder).map { RemotePath(rawValue: $0) }
    }
}

extension Transaction {
    /// Sets the listed flag of a folder, if its remote path still is the listed one: otherwise
    /// another folder was listed.
    func markListed(_ folder: InodeID, at path: RemotePath) throws {
        guard try remotePath(of: folder) == path.rawValue else { return }
        try setFlags(.listed, true, of: folder)
    }
}
