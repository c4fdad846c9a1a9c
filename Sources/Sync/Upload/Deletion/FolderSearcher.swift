// Searching deleted folders for files that other clients stored in them between their last listing
// and their deletion, under any name, and restoring those. Not responsible for the deletion
// (`FolderDeletion.swift`) or the database's rows (`FolderSearches.swift`).
// Row D6 of the conflict table.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree
import Saturating

/// Searches deleted folders for files that others had stored there.
actor FolderSearcher {
    private let account: SyncedAccount
    /// The searches that are repeated beside the commits, by their numbers.
    private var repeated: [Int64: Repetition] = [:]
    /// The failed searches that `status` shows.
    private var failed: [Int64: FolderSearch] = [:] {
        didSet {
            let places = Set(failed.values.map(\.place))
            account.state.update { $0.unsearchedFolders = places }
        }
    }
    /// Whether the searches of earlier processes have begun.
    private var isResumed = false

    /// Seconds for which a server works on a commit at most: as long as this client waits for a
    /// response.
    private static let longestCommit = 900.0
    /// Seconds for which a search that fails is reported, and tried by each process: 30 days, for
    /// which Dropbox keeps the deleted files of a Basic account at least.
    private static let longestReport = 30.0 * 86_400

    /// A search that is repeated until it succeeds or ends.
    private struct Repetition {
        var search: FolderSearch
        /// When this process has begun with it.
        var began: WallTime
        var task: Task<Void, Never>
    }

    init(account: SyncedAccount) {
        self.account = account
    }

    /// Begins the searches that an earlier process has not finished.
    func resume() async {
        guard !isResumed else { return }
        let store = account.store
        guard
            let rows = await account.local.attempt({
                try await store.read { try $0.folderSearches() }
            })
        else {
            return
        }
        isResumed = true
        for search in rows where repeated[search.number] == nil {
            if search.sent.adding(seconds: Self.longestReport) < account.clock.date() {
                await forget(search)
                continue
            }
            account.log.notice(
                "searching a deleted folder for files of other clients",
                metadata: ["folder": "\(search.place)"])
            repeatedly(search, afterPause: false)
        }
    }

    /// Ends the repetitions; the next process goes on.
    func cancel() {
        repeated.values.forEach { $0.task.cancel() }
    }

    /// Ends the searches after earlier deletions of a folder, whose rows the new one has replaced.
    func replace(earlierThan search: FolderSearch) {
        guard let folder = search.folder else { return }
        let isReplaced = { (earlier: FolderSearch) in
            earlier.folder == folder && earlier.number < search.number && !earlier.isConfirmed
        }
        for (number, repetition) in repeated where isReplaced(repetition.search) {
            repetition.task.cancel()
            repeated[number] = nil
        }
        failed = failed.filter { !isReplaced($0.value) }
    }

    /// Handles the failure of a folder's deletion. If the server may have deleted the folder, or
    /// may still delete it, the search goes on.
    func deletionFailed(_ error: SyncError, before search: FolderSearch) async {
        if error.saysNotDone || error == .remote(.notFound) {
            await deletionRefused(search)
        } else {
            repeatedly(search, afterPause: true)
        }
    }

    /// Handles a deletion that the server has not made, or that was not sent. An earlier one may
    /// still arrive.
    func deletionRefused(_ search: FolderSearch) async {
        if search.followsUnanswered {
            repeatedly(search, afterPause: true)
        } else {
            await forget(search)
        }
    }

    /// Searches a folder after its deletion. A failed search is repeated beside the commits, and
    /// shown in `status` until it succeeds. The caller holds the commit gate.
    func begin(_ search: FolderSearch) async {
        if await isFinished(search, holdsGate: true) { return }
        repeatedly(search, afterPause: true)
    }

    private func repeatedly(_ search: FolderSearch, afterPause: Bool) {
        repeated[search.number] = Repetition(
            search: search, began: account.clock.now(),
            task: Task { await repeatSearch(search, afterPause: afterPause) })
    }

    private func repeatSearch(_ search: FolderSearch, afterPause: Bool) async {
        // By now, the number of a replaced search may belong to another one.
        defer { if !Task.isCancelled { repeated[search.number] = nil } }
        let clock = account.clock
        for attempt in 0... {
            if attempt > 0 || afterPause {
                let pause = UploadReaction.delay(after: attempt +| 1)
                guard (try? await clock.sleep(until: clock.now().adding(seconds: pause))) != nil
                else { return }
            }
            if Task.isCancelled { return }
            if await isFinished(search, holdsGate: false) { return }
        }
    }

    /// Searches once. Returns whether that needs no repetition.
    private func isFinished(_ search: FolderSearch, holdsGate: Bool) async -> Bool {
        let place = search.place
        do throws(SyncError) {
            switch try await outcome(of: search, holdsGate: holdsGate) {
            case .searched: break
            case .goesOn: return false
            }
        } catch {
            if Task.isCancelled { return true }
            account.log.error(
                "a deleted folder could not be searched for files of other clients",
                metadata: ["folder": "\(place)", "error": "\(error)"])
            failed[search.number] = search
            // Unless that is transient, a retry would fail alike. The row stays: the next process
            // tries once more, and reports the folder, too.
            return !error.isTransient
        }
        failed[search.number] = nil
        return await forget(search)
    }

    private enum Outcome {
        case searched, goesOn
    }

    private func outcome(
        of search: FolderSearch, holdsGate: Bool
    ) async throws(SyncError) -> Outcome {
        let entries = try await fromServer(await account.remote.changes(after: search.cursor))
            .entries
        let told = ToldChanges(entries)
        guard search.isConfirmed || told.contain(deletionOf: search) else {
            return isPointless(search) ? .searched : .goesOn
        }
        var failure: SyncError?
        var outcome = Outcome.searched
        let survivors = told.survivors
        for deleted in told.deletedFiles(in: search) {
            do throws(SyncError) {
                guard let file = try await lastVersion(of: deleted, unless: survivors) else {
                    continue
                }
                if holdsGate, !FileRevival.isQuick(file) {
                    outcome = .goesOn
                } else {
                    try await revive(file, at: told.shown(deleted.path), holdsGate: holdsGate)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard told.contain(search.folders) else {
            throw .remote(.malformed("it tells the deletion of a folder, and not of what is in it"))
        }
        return outcome
    }

    /// Whether the server will never make a deletion that no delta contains. This machine's date is
    /// of no use: it may be set, and differ from the server's.
    private func isPointless(_ search: FolderSearch) -> Bool {
        let now = account.clock.now()
        return (repeated[search.number]?.began ?? now).adding(seconds: Self.longestCommit) < now
    }

    /// The last version of a deleted file; nil if the file was moved away, or if users of this
    /// mount have deleted it. The server finds deleted files by their paths. If another file is or
    /// was at the path since, the server finds the other file, and the version is taken from the
    /// deltas.
    private func lastVersion(
        of deleted: ToldChanges.DeletedFile, unless survivors: Set<FileID>
    ) async throws(SyncError) -> RemoteFile? {
        let store = account.store
        let found = try await fromServer(await account.remote.deletedFile(at: deleted.path))?
            .versions.first?.file
        let isSame = deleted.told.map { $0.id == found?.id } ?? true
        guard let file = isSame ? found : deleted.told, !survivors.contains(file.id) else {
            return nil
        }
        let isOwn = try await account.local.run {
            try store.read { try $0.isOwnDeletion(file.revision) }
        }
        return isOwn ? nil : file
    }

    private func revive(
        _ file: RemoteFile, at path: RemotePath, holdsGate: Bool
    ) async throws(SyncError) {
        try await FileRevival(account: account).store(file, at: path, holdsGate: holdsGate)
        account.log.warning(
            "a file that others stored in a folder while it was deleted is restored",
            metadata: ["path": "\(path)"])
    }

    /// Removes the row of a search. Returns whether the disk took that.
    @discardableResult
    private func forget(_ search: FolderSearch) async -> Bool {
        let store = account.store
        return await account.local.attempt { try await store.write { try $0.forgetSearch(search) } }
            != nil
    }
}
