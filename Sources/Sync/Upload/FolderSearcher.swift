// Searching deleted folders for files that other clients stored in them between their last listing
// and their deletion, under any name, and restoring those. Not responsible for the deletion
// (`FolderDeletion.swift`) or the rows (`FolderSearches.swift`).

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree
import Saturating

/// Searches deleted folders.
actor FolderSearcher {
    private let environment: UploadEnvironment
    /// The searches that are repeated beside the commits, by their numbers.
    private var repeated: [Int64: Task<Void, Never>] = [:]
    /// Whether the searches of earlier processes have begun.
    private var isResumed = false

    init(environment: UploadEnvironment) {
        self.environment = environment
    }

    /// Begins the searches that an earlier process has not finished.
    func resume() async {
        guard !isResumed else { return }
        let store = environment.store
        guard
            let rows = await environment.attempt({
                try await store.read { try $0.folderSearches() }
            })
        else {
            return
        }
        isResumed = true
        for search in rows where repeated[search.number] == nil {
            environment.log.notice(
                "searching a deleted folder for files of other clients",
                metadata: ["folder": "\(search.place)"])
            repeatedly(search, afterPause: false)
        }
    }

    /// Ends the repetitions; the next process goes on.
    func cancel() {
        repeated.values.forEach { $0.cancel() }
    }

    /// Handles the failure of a folder's deletion. If it may have been done, or be done later, the
    /// search goes on.
    func deletionFailed(_ error: RemoteError, before search: FolderSearch) async {
        if error.saysNotDone || error == .notFound {
            await forget(search)
        } else {
            repeatedly(search, afterPause: true)
        }
    }

    /// Searches a folder after its deletion. A failed search is repeated beside the commits, and
    /// shown in `status` until it succeeds.
    func begin(_ search: FolderSearch) async {
        if await isFinished(search) { return }
        repeatedly(search, afterPause: true)
    }

    private func repeatedly(_ search: FolderSearch, afterPause: Bool) {
        repeated[search.number] = Task { await repeatSearch(search, afterPause: afterPause) }
    }

    private func repeatSearch(_ search: FolderSearch, afterPause: Bool) async {
        defer { repeated[search.number] = nil }
        let clock = environment.clock
        for attempt in 0... {
            if attempt > 0 || afterPause {
                let pause = UploadReaction.delay(after: attempt +| 1)
                guard (try? await clock.sleep(until: clock.now().adding(seconds: pause))) != nil
                else { return }
            }
            if Task.isCancelled { return }
            if await isFinished(search) { return }
        }
    }

    /// Searches once. Returns whether that needs no repetition.
    private func isFinished(_ search: FolderSearch) async -> Bool {
        let place = search.place
        do throws(RemoteError) {
            switch try await outcome(of: search) {
            case .searched: break
            case .notDeletedYet: return false
            }
        } catch {
            if Task.isCancelled { return true }
            environment.log.error(
                "a deleted folder could not be searched for files of other clients",
                metadata: ["folder": "\(place)", "error": "\(error)"])
            environment.state.update { _ = $0.unsearchedFolders.insert(place) }
            if error.isTransient { return false }
            // A retry would fail alike: it stays in `status`.
            await forget(search)
            return true
        }
        environment.state.update { _ = $0.unsearchedFolders.remove(place) }
        await forget(search)
        return true
    }

    private enum Outcome {
        case searched, notDeletedYet
    }

    private func outcome(of search: FolderSearch) async throws(RemoteError) -> Outcome {
        let entries = try await environment.remote.changes(after: search.cursor).entries
        let told = ToldChanges(entries)
        guard search.isConfirmed || told.contain(deletionOf: search) else {
            let isLate = search.latestDeletion < environment.clock.date()
            return isLate ? .searched : .notDeletedYet
        }
        let survivors = told.survivors
        var failure: RemoteError?
        for path in told.deletedFiles(in: search) {
            do throws(RemoteError) {
                try await restore(path, unseenBy: search, unlessIn: survivors)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard told.contain(search.folders) else {
            throw .malformed("it tells the deletion of a folder, and not of what is in it")
        }
        return .searched
    }

    /// Restores a deleted file, unless it was moved away or its deletion was another one.
    private func restore(
        _ path: RemotePath, unseenBy search: FolderSearch, unlessIn survivors: Set<FileID>
    ) async throws(RemoteError) {
        let (remote, store) = (environment.remote, environment.store)
        guard let found = try await remote.deletedFile(at: path),
            let file = found.versions.first?.file, !survivors.contains(file.id)
        else { return }
        if let deleted = found.deleted, deleted > search.latestDeletion { return }
        let isOwn = try await environment.local {
            try store.read { try $0.isOwnDeletion(file.revision) }
        }
        guard !isOwn else { return }
        let entry = try await remote.restore(path, to: file.revision)
        environment.log.warning(
            "a file that others stored in a folder while it was deleted is restored",
            metadata: ["path": "\(path)"])
        await environment.record { try $0.apply([entry]) }
    }

    private func forget(_ search: FolderSearch) async {
        let store = environment.store
        await environment.attempt { try await store.write { try $0.forgetSearch(search) } }
    }
}

extension FolderSearch {
    /// A later deletion in the folder is not this one: a server works on a commit for at most a
    /// quarter of an hour, as long as this client waits for a response.
    var latestDeletion: Timestamp { sent.adding(seconds: 900) }
}
