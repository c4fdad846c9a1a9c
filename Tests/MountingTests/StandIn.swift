// A mount that is none, for tests of the conversation between commands and mounts.

import Synchronization

@testable import Mounting

/// A mount whose queue the test fills and empties.
final class StandIn: MountService {
    let queued = Mutex(Backlog(operations: 0, bytes: 0, state: .online))
    let sending = Mutex(0)
    /// Files of a pin that are here; nil without one.
    let pinned = Mutex<Int?>(nil)
    /// Pins beside that one, each with a path as long as paths can be.
    let morePins = Mutex(0)
    let logins = Mutex(0)
    /// Requests to write the history.
    let written = Mutex(0)
    /// Takes one change off the queue with each status that is read while all is being sent.
    let drainsByItself: Bool
    /// As in the status.
    let device: String?
    let process: Int32
    let state: MountStatus.State

    init(
        operations: Int, drainsByItself: Bool = false, device: String? = nil, process: Int32 = 0,
        state: MountStatus.State = .online
    ) {
        self.state = state
        self.drainsByItself = drainsByItself
        self.device = device
        self.process = process
        queued.withLock { $0.operations = operations }
    }

    func status() -> MountStatus {
        var status = MountStatus(mountpoint: "/mnt/a b", account: "work", state: state)
        status.pendingOperations = queued.withLock { $0.operations }
        status.device = device
        status.pid = process
        return status
    }

    func backlog() -> Backlog {
        let isSending = sending.withLock { $0 > 0 }
        return queued.withLock { queued in
            defer {
                if isSending, drainsByItself, queued.operations > 0 { queued.operations -= 1 }
            }
            return queued
        }
    }

    func sendingEverything<Result>(_ body: () -> Result) -> Result {
        sending.withLock { $0 += 1 }
        defer { sending.withLock { $0 -= 1 } }
        return body()
    }

    func loginChanged() {
        logins.withLock { $0 += 1 }
    }

    func clearCache(includingPinned: Bool) throws(CommandError) -> Int64 {
        includingPinned ? 8192 : 4096
    }

    func verifyCache() throws(CommandError) -> CacheReport {
        throw .system("the disk does not answer")
    }

    func importContent(
        of folder: String, report: (ImportReport) -> Bool
    ) throws(CommandError) -> ImportReport {
        guard folder.hasPrefix("/") else { throw .noImport(path: folder, reason: "no folder") }
        var progress = ImportReport()
        progress.present = 1
        _ = report(progress)
        progress.imported = 2
        return progress
    }

    func undo(
        below path: String, before time: Int64?, report: (UndoReport) -> Bool
    ) throws(CommandError) -> UndoReport {
        var progress = UndoReport()
        progress.found = 2
        guard report(progress) else { throw .system("abandoned") }
        progress.isListing = false
        progress.restored = time == nil ? 2 : 1
        return progress
    }

    func setPaused(_ isPaused: Bool, seconds: Double?) {
        queued.withLock { $0.isPaused = isPaused }
    }

    func writeHistory() {
        written.withLock { $0 += 1 }
    }

    func setPins(_ isPinned: Bool, at paths: [String]) throws(CommandError) {
        guard paths == ["/docs"] else { throw .nothingThere(paths.joined()) }
        pinned.withLock { $0 = isPinned ? 0 : nil }
    }

    /// One of three files more with each status that is read.
    func pinProgress(of paths: [String]) throws(CommandError) -> PinProgress {
        let present = pinned.withLock { pinned in
            pinned = min((pinned ?? 0) + 1, 3)
            return pinned ?? 0
        }
        return PinProgress(
            files: 3, bytes: 30, presentFiles: present, presentBytes: Int64(present) * 10,
            unavailableFiles: 0, missingBytes: Int64(3 - present) * 10, state: .online,
            isTreeKnown: true)
    }

    func pins() throws(CommandError) -> [PinReport] {
        guard pinned.withLock({ $0 }) != nil else { return [] }
        let progress = try pinProgress(of: ["/docs"])
        let long = "/" + String(repeating: "\"", count: 4088)
        let paths = ["/docs"] + (0..<morePins.withLock { $0 }).map { "\(long) \($0)" }
        return paths.map { PinReport(path: $0, progress: progress) }
    }

    let isTreeKnown = true
    let listing: ListingStatus? = nil
    let settings = Mutex(LiveSettings(cacheSize: 10, writeDelay: 5))

    func conflicts(below path: String) throws(CommandError) -> [ConflictReport] {
        let counts = ["/docs": 120, "/many": 20_000]
        guard let count = counts[path] else { throw .nothingThere(path) }
        return (1...count).map { number in
            ConflictReport(
                path: "\(path)/\(number)", original: nil, maker: nil, day: nil, isMadeHere: false,
                bytes: 0)
        }
    }

    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList {
        guard path == "/docs/a" else { throw .noHistory(path: path, reason: "none") }
        let revision = RevisionReport(rev: "r\(limit)", bytes: 3, modified: 1, stored: 2)
        return RevisionList(revisions: [revision], isDeleted: true, deleted: 4)
    }

    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport {
        guard let revision else { throw .notDeleted(path) }
        return RevisionReport(rev: revision, bytes: 3, modified: 1, stored: 5)
    }

    func link(to path: String) throws(CommandError) -> LinkReport {
        guard path == "/docs" else { throw .noLink(path: path, reason: "none") }
        return LinkReport(url: "https://example.com/x", isNew: true)
    }

    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        let changed = try self.settings.withLock { $0 }.changed(by: settings)
        self.settings.withLock { $0 = changed }
        return changed
    }
}
