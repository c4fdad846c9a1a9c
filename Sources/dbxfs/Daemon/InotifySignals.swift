// Raises inotify events for the changes of other clients. The kernel makes these for calls of programs only, so a helper process
// makes calls on the mount that change nothing (`SignalCommand`). Not responsible for the calls.

import CLinux
import Core
import Dispatch
import FileSystem
import Fuse
import Glibc
import LocalIO
import Logging
import MetadataStore
import Mounting
import Saturating
import Synchronization
import SystemPackage
import Tree

/// Collects other clients' changes, and has a helper process raise events for those that programs watch.
///
/// A process that calls its own mount can hang beyond SIGKILL, hence the helper. It is started for each batch, only if there is a
/// watch, and one at a time.
final class InotifySignals: Sendable {
    /// Seconds for which changes gather, and the kernel processes the invalidations of the first one.
    private static let delay = 0.2
    /// Changes of which watchers are told one by one. Of more, their folders alone are told.
    private static let mostChanges = 20_000
    /// Seconds after which a helper that waits for the mount is killed.
    private static let limit = 60.0

    private struct State {
        var changes: [TreeChange] = []
        /// The folders of names beyond those.
        var folders: Set<InodeID> = []
        /// The batch is scheduled, or its helper runs.
        var isBusy = false
        var hasEnded = false
    }

    private let mountpoint: String
    private let gathersWrites: Bool
    /// Whether all is taken for watched that programs have looked at.
    private let takesAll: Bool
    private let relay: KernelInvalidator
    private let store: MetadataStore
    private let log: Logger
    private let queue = DispatchQueue(label: "dbxfs.signals")
    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Raises events on a mount; nil if they are not wanted, or cannot be raised because the kernel refuses calls that change.
    init?(
        _ settings: MountSettings, mountpoint: String, relay: KernelInvalidator,
        store: MetadataStore, log: Logger
    ) {
        guard settings.inotify != .none, !settings.isReadOnly else { return nil }
        self.mountpoint = mountpoint
        gathersWrites = settings.gathersWrites
        takesAll = settings.inotify == .all
        self.relay = relay
        self.store = store
        self.log = log
    }

    /// Notes changes of other clients.
    func note(_ changes: [TreeChange]) {
        let isFirst = state.withLock { state in
            guard !state.hasEnded else { return false }
            let room = Self.mostChanges -| state.changes.count
            state.changes.append(contentsOf: changes.prefix(room))
            for change in changes.dropFirst(room) {
                switch change {
                case .entry(let folder, _), .deletedEntry(let folder, _, _):
                    state.folders.insert(folder)
                case .content, .attributes, .listing: break
                }
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { schedule() }
    }

    /// Raises no more events.
    func stop() {
        state.withLock { state in
            state = State()
            state.hasEnded = true
        }
    }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.raise() }
    }

    // MARK: A batch

    private func raise() {
        let (changes, folders) = state.withLock { state in
            defer { (state.changes, state.folders) = ([], []) }
            return (state.changes, state.folders)
        }
        let mount = MountTable.current().topMount(at: FilePath(mountpoint))
        if let mount, mount.isFuse {
            let signals = signals(for: changes, folders, onDevice: mount.minor)
            if !signals.isEmpty { run(signals, device: mount.minor) }
        }
        let goesOn = state.withLock { state in
            state.isBusy = !state.changes.isEmpty || !state.folders.isEmpty
            return state.isBusy
        }
        if goesOn { schedule() }
    }

    private func signals(
        for changes: [TreeChange], _ folders: Set<InodeID>, onDevice device: UInt32
    ) -> [InotifySignal] {
        let watched = takesAll ? [] : InotifyWatches.inodes(onDevice: device)
        if !takesAll, watched.isEmpty { return [] }
        let found = try? store.read { snapshot in
            var batch = SignalBatch(snapshot: snapshot) { [relay, takesAll] inode in
                takesAll ? relay.isCached(inode) : watched.contains(inode.rawValue)
            }
            for change in changes { try batch.add(change) }
            for folder in folders.sorted() { batch.add(namesIn: folder) }
            return batch.signals
        }
        return found ?? []
    }

    /// Runs the helper to its end. It gets the paths by a file, since other users can see arguments and a pipe could block.
    private func run(_ signals: [InotifySignal], device: UInt32) {
        let list = clinux_memory_file("dbxfs-signals")
        guard list >= 0 else { return log.debug("no memory for inotify events") }
        defer { close(list) }
        let bytes = InotifySignal.encode(signals)
        guard bytes.withUnsafeBytes({ FileBytes.write($0, at: 0, to: list) }) == bytes.count else {
            return log.debug("no memory for inotify events")
        }
        var arguments = [InotifySignal.command, mountpoint, "--device", String(device)]
        if gathersWrites { arguments.append("--writeback-cache") }
        do throws(ChildProcessError) {
            let child = try ChildProcess.start(
                ChildProcess.ownPath, arguments,
                descriptors: [0: FileDescriptor(rawValue: list)], isDetached: true)
            guard child.wait(seconds: Self.limit) == nil else { return }
            log.notice("the process that raises inotify events hangs; it is killed")
            // SIGKILL does not end a process that waits for a hung mount.
            kill(child.id, SIGKILL)
            WorkerThread.start { _ = child.wait() }
        } catch {
            log.warning("\(error.message)")
        }
    }
}

/// The signals for changes, as far as programs watch their nodes or the folders of these.
private struct SignalBatch {
    private let snapshot: Snapshot
    private let isWatched: (InodeID) -> Bool
    private var nodes: [InotifySignal] = []
    private var folders: [InodeID] = []
    private var told: Set<InodeID> = []

    init(snapshot: Snapshot, isWatched: @escaping (InodeID) -> Bool) {
        self.snapshot = snapshot
        self.isWatched = isWatched
    }

    /// In the order of the changes; folders come last, when what is new in them has been told.
    var signals: [InotifySignal] {
        let names = folders.compactMap { folder in
            (try? path(of: folder)).flatMap { $0 }.map { InotifySignal(.names, at: $0) }
        }
        return [nodes, names].flatMap(\.self)
    }

    mutating func add(_ change: TreeChange) throws {
        switch change {
        case .entry(let parent, let name), .deletedEntry(let parent, _, let name):
            guard isWatched(parent) else { return }
            if let node = try snapshot.child(name, of: parent), node.kind == .file {
                try tell(.content, node)
            }
            add(namesIn: parent)
        case .content(let inode):
            if let node = try snapshot.node(inode) { try tell(.content, node) }
        case .attributes(let inode):
            if let node = try snapshot.node(inode) { try tell(.attributes, node) }
        case .listing: break
        }
    }

    mutating func add(namesIn folder: InodeID) {
        if isWatched(folder), told.insert(folder).inserted { folders.append(folder) }
    }

    private mutating func tell(_ change: InotifySignal.Change, _ node: Node) throws {
        guard isWatched(node.inode) || node.place.map({ isWatched($0.parent) }) ?? false,
            told.insert(node.inode).inserted, let path = try path(of: node.inode)
        else { return }
        nodes.append(InotifySignal(change, at: path))
    }

    private func path(of inode: InodeID) throws -> [UInt8]? {
        try snapshot.localPath(of: inode).map { names in
            Array(names.map(\.shown).joined(separator: [UInt8(ascii: "/")]))
        }
    }
}
