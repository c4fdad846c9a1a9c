// Transfers that survive the process: their order, and the durable record of their results.
// UploadWork and DownloadWork resume a single transfer after a crash.

import Blocking
public import DropboxAPI
import Foundation
import Saturating

/// Uploads and downloads that are recorded in a folder and are resumed after the process ended,
/// even by a crash.
///
///     let queue = try TransferQueue.open(folder: path, client: client)
///     for transfer in try await queue.reconnect() { … }                  // what earlier runs have left
///     let id = try await queue.enqueue(UploadRequest(file: "/a", commit: .init(path: "/a")))
///     for await transfer in queue.updates(of: id) { print(transfer.bytesDone) }
///     try await queue.acknowledge(id)
///
/// A folder belongs to one account: always open it with a client of that account. One queue at a
/// time has a folder. Close the queue before its client or transport is shut down; otherwise its
/// transfers are suspended, which costs them nothing but the bytes on their way.
public actor TransferQueue {
    private let store: TransferStore
    private let client: DropboxClient
    private let settings: TransferSettings
    private let board = TransferBoard()
    private var tasks: [Int64: Task<Void, Never>] = [:]
    /// Transfers that this queue does not go on with. They wait for the next one.
    private var suspended: Set<Int64> = []
    private var timer: Task<Void, Never>?
    private var isRunning = false
    private var isClosed = false

    private init(store: TransferStore, client: DropboxClient, settings: TransferSettings) throws {
        self.store = store
        self.client = client
        self.settings = settings
        for record in try store.all() { board.show(record.transfer) }
    }

    /// Opens or creates the database. The folder's parent must exist. A missing folder is made
    /// private to the user; an existing one keeps its mode, and the database in it is private.
    ///
    /// No transfer runs before `reconnect` is called. Blocks for the local disk.
    public static func open(
        folder: String, client: DropboxClient, settings: TransferSettings = .init()
    ) throws(TransferQueueError) -> TransferQueue {
        let store = try TransferStore(folder: folder)
        do {
            return try TransferQueue(store: store, client: client, settings: settings)
        } catch {
            store.close()
            throw .database("\(error)")
        }
    }

    /// All recorded transfers, oldest first. The unfinished ones are running from now on.
    public func reconnect() async throws(TransferQueueError) -> [Transfer] {
        guard !isClosed else { throw .closed }
        isRunning = true
        let transfers = board.all
        await startDue()
        return transfers
    }

    /// All unacknowledged transfers, oldest first.
    public nonisolated var transfers: [Transfer] { board.all }

    /// A transfer's current state, then each change; the sequence ends with the transfer, or the
    /// queue, and not while the transfer is suspended.
    ///
    /// A slow reader gets the last state only. For an unknown transfer the sequence is empty.
    public nonisolated func updates(of id: Transfer.ID) -> AsyncStream<Transfer> {
        board.updates(of: id)
    }

    // MARK: Enqueueing

    /// Records an upload; on return it survives a power loss. Throws when the file cannot be read.
    ///
    /// The file must stay as it is until the upload has ended. `label` is for the caller; the
    /// transfer does not start before `earliestStart`.
    public func enqueue(
        _ upload: UploadRequest, label: String = "", earliestStart: Timestamp? = nil
    ) async throws(TransferQueueError) -> Transfer.ID {
        var record = TransferRecord(
            label: label, request: .upload(upload), earliestStart: earliestStart)
        do throws(LocalFile.Failure) {
            record.identity = try await DiskQueue.transfers.run { () throws(LocalFile.Failure) in
                try OpenedLocalFile(upload.file).identity
            }
        } catch {
            throw .source(error)
        }
        record.size = record.identity?.size
        return try await add(record)
    }

    /// Records a download; on return it survives a power loss.
    ///
    /// `label` is for the caller; the transfer does not start before `earliestStart`.
    public func enqueue(
        _ download: DownloadRequest, label: String = "", earliestStart: Timestamp? = nil
    ) async throws(TransferQueueError) -> Transfer.ID {
        try await add(
            TransferRecord(
                label: label, request: .download(download), earliestStart: earliestStart))
    }

    private func add(_ record: TransferRecord) async throws(TransferQueueError) -> Transfer.ID {
        guard !isClosed else { throw .closed }
        var record = record
        let (store, row) = (store, record)
        record.id = try await recorded { try await store.insert(row) }
        board.show(record.transfer)
        await startDue()
        return record.id
    }

    private func recorded<Value>(
        _ body: () async throws -> Value
    ) async throws(TransferQueueError) -> Value {
        do {
            return try await body()
        } catch {
            throw error as? TransferQueueError ?? .database("\(error)")
        }
    }

    // MARK: Ending

    /// Ends a transfer, if it has not ended, and returns when it has. The part file of a download
    /// is removed; a stored file stays. An upload whose commit may have been sent ends as failed,
    /// with the reason `uncertain`.
    public func cancel(_ id: Transfer.ID) async throws(TransferQueueError) {
        guard !isClosed else { throw .closed }
        guard board[id] != nil else { throw .unknownTransfer }
        suspended.insert(id)
        if let task = tasks[id] {
            task.cancel()
            await task.value
        }
        do throws(TransferQueueError) {
            try await endCancelled(id)
        } catch {
            if board[id]?.state.isEnded == false { suspend(id, .store(error)) }
            throw error
        }
    }

    private func endCancelled(_ id: Transfer.ID) async throws(TransferQueueError) {
        let store = store
        guard var record = try await recorded({ try await store.record(id) }),
            !record.transfer.state.isEnded
        else { return }
        if let failure = record.doubtfulCommit {
            record.phase = .failed
            record.outcome = try await recorded { try JSONEncoder().encode(failure) }
        } else {
            record.phase = .cancelled
        }
        try await end(record)
    }

    /// Deletes the record of a transfer that has ended, and its result.
    public func acknowledge(_ id: Transfer.ID) async throws(TransferQueueError) {
        guard let transfer = board[id] else { throw .unknownTransfer }
        guard transfer.state.isEnded else { throw .notEnded }
        let store = store
        try await recorded { try await store.delete(id) }
        suspended.remove(id)
        board.remove(id)
    }

    /// Stops all transfers and releases the folder. They are resumed when it is opened again.
    public func close() async {
        isClosed = true
        timer?.cancel()
        let running = tasks.values
        for task in running { task.cancel() }
        for task in running { await task.value }
        board.close()
        store.close()
    }

    // MARK: Running

    /// Starts due transfers, oldest first, up to the concurrency limit.
    private func startDue() async {
        guard isRunning, !isClosed, tasks.count < settings.concurrency,
            let unfinished = try? await store.unfinished()
        else { return }
        let now = settings.now()
        var next: Int64?
        for (id, earliest) in unfinished where tasks[id] == nil && !suspended.contains(id) {
            guard earliest <= now else {
                next = min(next ?? earliest, earliest)
                continue
            }
            guard tasks.count < settings.concurrency, !isClosed else { return }
            tasks[id] = Task { await self.work(on: id) }
        }
        if let next { startDue(in: .seconds(clamping: next -| now)) }
    }

    /// A change of the system clock takes effect within a minute.
    private func startDue(in delay: Duration) {
        timer?.cancel()
        timer = Task {
            guard (try? await Task.sleep(for: min(delay, .seconds(60)))) != nil else { return }
            await self.startDue()
        }
    }

    private func work(on id: Int64) async {
        let store = store
        do throws(WorkEnd) {
            let environment = environment(of: id)
            // The transfer may have ended since it was found to be due.
            guard let record = try await environment.storing({ try await store.record(id) }),
                !record.transfer.state.isEnded
            else { throw .stopped }
            board.change(id) { $0.state = .running }
            try await end(try await outcome(of: record, environment), by: environment)
        } catch {
            suspend(id, error)
        }
        tasks[id] = nil
        await startDue()
    }

    private func environment(of id: Int64) -> WorkEnvironment {
        let board = board
        return WorkEnvironment(client: client, store: store, settings: settings) { done, total in
            board.change(id) { ($0.bytesDone, $0.bytesTotal) = (done, total) }
        }
    }

    /// The row to write when the work has ended.
    private func outcome(
        of record: TransferRecord, _ environment: WorkEnvironment
    ) async throws(WorkEnd) -> TransferRecord {
        let id = record.id
        do throws(WorkEnd) {
            let file: Files.FileMetadata
            switch record.request {
            case .upload(let request):
                var work = UploadWork(record, request, environment)
                file = try await work.run()
            case .download(let request):
                var work = DownloadWork(record, request, environment)
                file = try await work.run()
            }
            return try await ended(id, .stored, file, environment)
        } catch {
            guard case .failed(let failure) = error else { throw error }
            return try await ended(id, .failed, failure, environment)
        }
    }

    /// The row as the work has left it, with its result.
    private func ended(
        _ id: Int64, _ phase: TransferRecord.Phase, _ outcome: some Encodable,
        _ environment: WorkEnvironment
    ) async throws(WorkEnd) -> TransferRecord {
        let store = store
        guard var record = try await environment.storing({ try await store.record(id) }) else {
            throw .stopped
        }
        record.phase = phase
        record.outcome = try await environment.storing { try JSONEncoder().encode(outcome) }
        return record
    }

    private func end(
        _ record: TransferRecord, by environment: WorkEnvironment
    ) async throws(WorkEnd) {
        try await environment.checkpoint("end reached")
        do throws(TransferQueueError) {
            try await end(record)
        } catch {
            throw Task.isCancelled ? .stopped : .store(error)
        }
    }

    /// Records the end first: after a crash, the part file of a transfer that has ended is merely
    /// garbage.
    private func end(_ record: TransferRecord) async throws(TransferQueueError) {
        let store = store
        try await recorded { try await store.update(record) }
        if let part = record.part, record.phase != .stored {
            await DiskQueue.transfers.run { PartFile.remove(part) }
        }
        board.show(record.transfer)
    }

    /// Leaves the transfer as its record has it to the next queue, if this one cannot go on.
    private func suspend(_ id: Int64, _ end: WorkEnd) {
        guard case .suspended(let reason) = end else { return }
        suspended.insert(id)
        board.change(id) { $0.state = .suspended(reason) }
    }
}
