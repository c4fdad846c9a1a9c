// A mount's command for undo of folders.

import Blocking
import Core
import Logging
import Mounting
import RemoteStore
import Sync
import Synchronization

/// Brings the deleted files of folders back.
struct MountUndo: Sendable {
    /// Seconds between two reports.
    private static let interval = 0.3

    let plan: MountPlan
    let paths: MountPaths
    let engine: SyncEngine
    let remote: DropboxStore
    let session: MountSession
    let history: MountHistory
    let log: Logger
    let revisions: MountRevisions
    let reports: MountReports

    func run(
        below path: String, before time: Int64?, report: (UndoReport) -> Bool
    ) throws(CommandError) -> UndoReport {
        if plan.settings.isReadOnly { throw .readOnlyMount(paths.mountpoint) }
        let (engine, remote) = (engine, remote)
        let names = try paths.names(in: path)
        let target = time.map { UndoTarget.before(WallTime(seconds: $0)) } ?? .nothingDeleted
        let (done, state) = (Latch(), UndoState())
        let task = Task.detached {
            do throws(HistoryError) {
                let end = try await engine.undo(below: names, to: target, from: remote) {
                    progress in state.progress.withLock { $0 = progress }
                }
                state.result.withLock { $0 = .success(end) }
            } catch {
                state.result.withLock { $0 = .failure(error) }
            }
            done.set()
        }
        while !done.wait(seconds: Self.interval) {
            if !report(self.report(state.progress.withLock { $0 })) { task.cancel() }
        }
        switch state.result.withLock({ $0 }) {
        case .success(let end):
            session.showChanges()
            if end.restored > 0 {
                history.note(
                    HistoryRecord(
                        time: SystemClock().date().seconds, kind: .restored, path: path,
                        bytes: end.bytes, reason: "\(end.restored) files of the folder"))
            }
            log.notice(
                "restored", metadata: ["folder": "\(path)", "files": "\(end.restored)"])
            return self.report(end)
        case .failure(let error): throw revisions.message(error, path)
        case nil: throw .system("the server could not be asked")
        }
    }

    private func report(_ progress: UndoProgress) -> UndoReport {
        var report = UndoReport()
        report.isListing = progress.isListing
        report.found = progress.found
        report.done = progress.done
        report.restored = progress.restored
        report.bytes = progress.bytes
        report.refused = progress.refused
        report.refusals = progress.refusals.map {
            .init(path: $0.path, reason: revisions.message($0.error, $0.path).message)
        }
        report.queued = reports.backlog().operations
        return report
    }
}

/// The progress and the result that the task of an undo gives to the waiting thread.
private final class UndoState: Sendable {
    let progress = Mutex(UndoProgress())
    let result = Mutex<Result<UndoProgress, HistoryError>?>(nil)
}
