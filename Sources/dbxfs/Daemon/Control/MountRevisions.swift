// A mount's commands for revisions of files.

import Blocking
import Core
import Logging
import Mounting
import RemoteStore
import Sync

/// The revisions of a mount's files.
struct MountRevisions: Sendable {
    let plan: MountPlan
    let paths: MountPaths
    let engine: SyncEngine
    let remote: DropboxStore
    let session: MountSession
    let history: MountHistory
    let log: Logger

    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList {
        let (names, engine, remote) = (try paths.names(in: path), engine, remote)
        let found = try waiting(for: path) { [paths] () async throws(HistoryError) in
            try await engine.revisions(
                of: names, folding: paths.foldsCase, limit: limit, from: remote)
        }
        return RevisionList(
            revisions: found.versions.map { RevisionReport($0.file, author: $0.author) },
            isDeleted: found.isDeleted, deleted: found.deleted?.seconds)
    }

    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport {
        if plan.settings.isReadOnly { throw .readOnlyMount(paths.mountpoint) }
        let (names, engine, remote) = (try paths.names(in: path), engine, remote)
        let file = try waiting(for: path) { [paths] () async throws(HistoryError) in
            try await engine.restore(
                names, folding: paths.foldsCase, to: revision.map { Revision($0) }, from: remote)
        }
        session.showChanges()
        history.note(
            HistoryRecord(
                time: SystemClock().date().seconds, kind: .restored, path: path, bytes: file.size))
        log.notice("restored", metadata: ["path": "\(path)", "rev": "\(file.revision.rawValue)"])
        return RevisionReport(file)
    }

    /// Makes this thread wait for the server.
    private func waiting<Value: Sendable>(
        for path: String, _ body: @escaping @Sendable () async throws(HistoryError) -> Value
    ) throws(CommandError) -> Value {
        switch WorkerThread.result(of: body) {
        case .success(let value): return value
        case .failure(let error): throw message(error, path)
        case nil: throw .system("the server could not be asked")
        }
    }

    /// The message about a failure, for a path on the mount.
    func message(_ error: HistoryError, _ path: String) -> CommandError {
        let path = "\(paths.mountpoint)\(path)"
        return switch error {
        case .unsentChanges: .unsentChanges(path)
        case .isFolder:
            .noHistory(path: path, reason: "it is a folder, and only files have revisions")
        case .localOnly: .noHistory(path: path, reason: "it stays on this machine")
        case .unknown: .noHistory(path: path, reason: "Dropbox knows no file of that name")
        case .notDeleted: .notDeleted(path)
        case .noSuchVersion: .noSuchRevision(path)
        case .remote(let error):
            CommandError(refusal: error, by: plan.environment.serverName)
        case .store(let detail): .system("the local database failed: \(detail)")
        }
    }
}

extension RevisionReport {
    fileprivate init(_ file: RemoteFile, author: String? = nil) {
        self.init(
            rev: file.revision.rawValue, bytes: file.size, modified: file.clientModified.seconds,
            stored: file.serverModified.seconds, author: author)
    }
}
