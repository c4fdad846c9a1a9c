// The history of a mount while it runs: collects events, finds their paths, and writes them in
// batches. Nothing of it happens in a user's call, and an idle mount has no timer.
// `Mounting/History` has the records and their file.

import Core
import Dispatch
import Glibc
import Logging
import MetadataStore
import Mounting
import RemoteStore
import Saturating
import Sync
import Synchronization
import Tree

/// Collects events, and writes them a second later.
final class MountHistory: SyncActivityObserving {
    private enum Event {
        case activity(SyncActivity)
        case fetched(InodeID)
        case record(HistoryRecord)
    }

    private struct Pending {
        var events: [(time: Int64, event: Event)] = []
        /// Events that found no room.
        var omitted = 0
    }

    /// Seconds for which events gather: writing each alone costs more than the event.
    private static let delay = 1.0
    /// Events that are kept in memory at most.
    private static let room = 20_000
    /// Changes of one batch of deltas that are named; more are counted.
    private static let mostChanges = 1000

    private let file: HistoryFile
    private let store: MetadataStore
    private let program: EventProgram?
    private let log: Logger
    private let queue = DispatchQueue(label: "dbxfs.history")
    /// Lock: a leaf; memory only.
    private let pending = Mutex(Pending())

    /// Writes into a state folder. `program` gets what a user has to know at once.
    init(folder: String, store: MetadataStore, program: EventProgram?, log: Logger) {
        file = HistoryFile(folder: folder)
        self.store = store
        self.program = program
        self.log = log
    }

    func note(_ activity: SyncActivity) {
        switch activity {
        case .done(.settled), .done(.waitFor), .done(.waitForWriters): return
        default: add(.activity(activity))
        }
    }

    /// Notes a file for which content was fetched, or a folder whose small files were fetched at
    /// once.
    func noteFetched(_ inode: InodeID) {
        add(.fetched(inode))
    }

    /// Notes an event whose record is known.
    func note(_ record: HistoryRecord) {
        add(.record(record))
    }

    private func add(_ event: Event) {
        let now = Int64(clamping: time(nil))
        let isFirst = pending.withLock { pending in
            guard pending.events.count < Self.room else {
                pending.omitted +|= 1
                return false
            }
            pending.events.append((now, event))
            return pending.events.count == 1
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.flush() }
    }

    /// Writes all events so far.
    func write() {
        queue.sync { flush() }
    }

    // MARK: Writing

    private func flush() {
        let taken = pending.withLock { pending in
            defer { pending = Pending() }
            return pending
        }
        var records = records(of: taken.events)
        if taken.omitted > 0, let last = taken.events.last {
            records.append(HistoryRecord(time: last.time, kind: .omitted, count: taken.omitted))
        }
        guard !records.isEmpty else { return }
        do {
            try file.append(records)
        } catch {
            log.warning("the history cannot be written", metadata: ["error": "\(error)"])
        }
        program?.report(records)
    }

    private func records(of events: [(time: Int64, event: Event)]) -> [HistoryRecord] {
        let found = try? store.read { snapshot in
            events.flatMap { Self.records(of: $0.event, at: $0.time, snapshot) }
        }
        // Without the database there are no paths on the mount, but a full account is known all the
        // same.
        return found ?? events.flatMap { Self.records(of: $0.event, at: $0.time, nil) }
    }

    private static func records(
        of event: Event, at time: Int64, _ snapshot: Snapshot?
    ) -> [HistoryRecord] {
        switch event {
        case .record(let record): return [record]
        case .fetched(let inode):
            let record = try? snapshot?.fetched(inode, at: time)
            return [record].compactMap(\.self)
        case .activity(.done(let step)):
            return [record(of: step, at: time)].compactMap(\.self).map { record in
                var record = record
                record.path = record.path.map { snapshot?.shown($0) ?? $0 }
                record.from = record.from.map { snapshot?.shown($0) ?? $0 }
                return record
            }
        case .activity(.received(let changes)):
            return snapshot?.received(changes, limit: mostChanges, at: time) ?? []
        case .activity(.conflicts(let names, let changes)):
            return names.map { name in
                let path = snapshot?.place(named: name, in: changes) ?? "/\(name)"
                return HistoryRecord(time: time, kind: .conflict, path: path)
            }
        case .activity(.refused(let path, let problem)):
            return [
                HistoryRecord(
                    time: time, kind: .refused, path: snapshot?.shown(path) ?? path,
                    reason: problem)
            ]
        case .activity(.accountFull): return [HistoryRecord(time: time, kind: .full)]
        case .activity(.accessRefused(let reason)):
            return [HistoryRecord(time: time, kind: .loggedOut, reason: reason)]
        }
    }

    /// The record of a step; nil for those that no user sees.
    static func record(of step: UploadStep, at time: Int64) -> HistoryRecord? {
        guard let path = step.paths.first?.rawValue, !TemporaryName.occurs(in: path) else {
            return nil
        }
        switch step {
        case .settled, .waitFor, .waitForWriters: return nil
        case .makeFolder: return HistoryRecord(time: time, kind: .made, path: path)
        case .upload(let upload), .copy(_, let upload):
            return HistoryRecord(
                time: time, kind: .sent, path: path, bytes: upload.staged.size)
        case .move(let move):
            let source = move.source.rawValue
            return HistoryRecord(
                time: time, kind: .moved, path: path,
                from: TemporaryName.occurs(in: source) ? nil : source)
        case .setFacts:
            return HistoryRecord(
                time: time, kind: .sent, path: path, reason: "mode, times or attributes")
        case .deleteFile, .deleteFolder:
            return HistoryRecord(time: time, kind: .deleted, path: path)
        }
    }
}

// MARK: Paths

extension Snapshot {
    /// A path of the server as users see it on the mount. Names of nodes that are gone, as those of
    /// deleted files, stay as they are.
    fileprivate func shown(_ path: String) -> String {
        var parent: InodeID? = .root
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { bytes in
                let component = String(Substring(bytes))
                guard !component.isEmpty, let folder = parent else { return component }
                let node = try? child(folded: Folding.fold(component), of: folder)
                parent = node?.inode
                return node?.place?.name.text ?? component
            }
            .joined(separator: "/")
    }

    fileprivate func fetched(_ inode: InodeID, at time: Int64) throws -> HistoryRecord? {
        guard let node = try node(inode), let names = try localPath(of: inode) else { return nil }
        return HistoryRecord(
            time: time, kind: .fetched, path: MountPaths.path(names),
            bytes: node.kind == .file ? node.facts.size : nil)
    }

    /// The records of other clients' changes; those beyond the limit are counted.
    fileprivate func received(
        _ changes: [TreeChange], limit: Int, at time: Int64
    ) -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        // Names that differ only in composition are two names.
        var known: Set<[UInt8]> = []
        var omitted = 0
        for change in changes {
            guard records.count < limit else {
                omitted +|= 1
                continue
            }
            guard let record = try? record(of: change, at: time),
                known.insert(Array((record.path ?? "").utf8)).inserted
            else { continue }
            records.append(record)
        }
        if omitted > 0 {
            records.append(HistoryRecord(time: time, kind: .omitted, count: omitted))
        }
        return records
    }

    fileprivate func place(named name: String, in changes: [TreeChange]) -> String? {
        for case .entry(let parent, let other) in changes
        where other.string.utf8.elementsEqual(name.utf8) {
            guard let names = try? localPath(of: parent) else { continue }
            return "\(MountPaths.path(names))/\(other.text)"
        }
        return nil
    }

    /// The record of another client's change; nil for a change that users do not see.
    private func record(of change: TreeChange, at time: Int64) throws -> HistoryRecord? {
        switch change {
        case .entry(let parent, let name), .deletedEntry(let parent, _, let name):
            guard let names = try localPath(of: parent) else { return nil }
            let path = "\(MountPaths.path(names))/\(name.text)"
            guard let node = try child(name, of: parent) else {
                return HistoryRecord(time: time, kind: .removed, path: path)
            }
            return HistoryRecord(
                time: time, kind: .added, path: path,
                bytes: node.kind == .file ? node.facts.size : nil)
        case .content(let inode):
            guard let names = try localPath(of: inode), let node = try self.node(inode) else {
                return nil
            }
            return HistoryRecord(
                time: time, kind: .changed, path: MountPaths.path(names), bytes: node.facts.size)
        case .attributes, .listing: return nil
        }
    }
}
