// The program of the option `on_event`, or the desktop's notifications. Names are in the
// environment of the program: other users can see arguments. Not responsible for which events there
// are (`MountHistory`).

import Blocking
import Glibc
import LocalIO
import Logging
import Mounting
import Saturating
import Synchronization

/// Runs a user's program for what the user has to know at once.
final class EventProgram: Sendable {
    /// Programs that run at a time: a hung one must not become many.
    private static let limit = 4

    private let path: String
    private let mountpoint: String
    private let account: String
    private let log: Logger
    private let running = Mutex(0)

    /// Takes the value of the option; nil without one.
    init?(_ plan: MountPlan, mountpoint: String, log: Logger) {
        guard let program = plan.settings.eventProgram else { return nil }
        path = program
        self.mountpoint = mountpoint
        account = plan.source.account
        self.log = log
    }

    /// Runs the program once for each kind of event among the records.
    func report(_ records: [HistoryRecord]) {
        var first: [HistoryRecord.Kind: HistoryRecord] = [:]
        var counts: [HistoryRecord.Kind: Int] = [:]
        for record in records where record.notice != nil {
            first[record.kind] = first[record.kind] ?? record
            counts[record.kind, default: 0] +|= 1
        }
        for (kind, record) in first.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            run(record, count: counts[kind, default: 1])
        }
    }

    private func run(_ record: HistoryRecord, count: Int) {
        let hasRoom = running.withLock { running in
            guard running < Self.limit else { return false }
            running +|= 1
            return true
        }
        guard hasRoom else {
            return log.warning("the program for events is still running: an event is left out")
        }
        do throws(ChildProcessError) {
            guard let child = try start(record, count: count) else {
                running.withLock { $0 = $0 -| 1 }
                return log.warning("notify-send is missing: install libnotify-bin")
            }
            WorkerThread.start { [self] in
                let status = child.wait()
                running.withLock { $0 -|= 1 }
                if status != 0 {
                    log.warning("the program for events failed", metadata: ["status": "\(status)"])
                }
            }
        } catch {
            running.withLock { $0 -|= 1 }
            log.warning("\(error.message)")
        }
    }

    /// Starts the program; nil if there is none for notifications.
    private func start(
        _ record: HistoryRecord, count: Int
    ) throws(ChildProcessError) -> ChildProcess? {
        let message = record.notice ?? ""
        if path == MountSettings.notifications {
            guard let program = ChildProcess.find("notify-send") else { return nil }
            return try ChildProcess.start(
                program, ["--app-name=dbxfs", "--icon=folder-remote", "Dropbox", message],
                descriptors: [:], isDetached: true)
        }
        let event = [
            "DBXFS_EVENT": record.kind.rawValue, "DBXFS_COUNT": String(count),
            "DBXFS_ACCOUNT": account, "DBXFS_MOUNTPOINT": mountpoint,
            "DBXFS_PATH": record.path.map { "\(mountpoint)\($0)" } ?? "",
            "DBXFS_REASON": record.reason ?? "", "DBXFS_MESSAGE": message,
        ]
        return try ChildProcess.start(
            path, [], environment: ProcessVariables.all.merging(event) { $1 }, descriptors: [:],
            isDetached: true)
    }
}
