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
    /// Seconds for which changes gather.
    private static let delay = 0.2
    /// The time in which the kernel has to process the invalidations of a batch; else the batch waits.
    private static let patience = Duration.seconds(5)
    /// Changes of which watchers are told one by one. Of more, their folders alone are told.
    private static let mostChanges = 20_000
    /// The time after which a helper that waits for the mount is killed.
    private static let limit = Duration.seconds(60)
    /// Microseconds between two checks of whether the helper has ended, at first and at most.
    private static let pauses: (first: UInt32, most: UInt32) = (2000, 1_000_000)

    private struct State {
        var changes: [TreeChange] = []
        /// The folders of names beyond those, and the nodes with other changes.
        var folders: Set<InodeID> = []
        var nodes: Set<InodeID> = []
        /// The batch is scheduled, or its helper runs.
        var isBusy = false
        var helper: ChildProcess?
        /// No helper may run now, but changes gather.
        var isHeld = false
        var hasEnded = false
    }

    private let mountpoint: String
    private let gathersWrites: Bool
    /// Whether all is taken for watched that programs have looked at.
    private let takesAll: Bool
    private let session: MountSession
    private let relay: KernelInvalidator
    private let store: MetadataStore
    private let log: Logger
    private let queue = DispatchQueue(label: "dbxfs.signals")
    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Raises events on a mount; nil if they are not wanted, or cannot be raised because the kernel refuses calls that change.
    init?(
        _ settings: MountSettings, mountpoint: String, session: MountSession,
        relay: KernelInvalidator, store: MetadataStore, log: Logger
    ) {
        guard settings.inotify != .none, !settings.isReadOnly else { return nil }
        self.mountpoint = mountpoint
        gathersWrites = settings.gathersWrites
        takesAll = settings.inotify == .all
        self.session = session
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
                case .content(let node), .attributes(let node): state.nodes.insert(node)
                case .listing: break
                }
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { schedule() }
    }

    /// Raises no more events: a helper would keep the mount from being unmounted.
    func stop() {
        state.withLock { state in
            let helper = state.helper
            state = State()
            state.hasEnded = true
            state.helper = helper
            // Under the lock, under which it is waited for, too: its number is still its own.
            if let helper { kill(helper.id, SIGKILL) }
        }
    }

    /// Ends the helper while the mount is about to be unmounted, or goes on.
    func hold(_ isHeld: Bool) {
        state.withLock { state in
            state.isHeld = isHeld
            if isHeld, let helper = state.helper { kill(helper.id, SIGKILL) }
        }
    }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.raise() }
    }

    // MARK: A batch

    private func raise() {
        // Else a watcher that is told would read what the kernel has of before.
        guard !state.withLock({ $0.isHeld }), session.settle(within: Self.patience) else {
            return goOn()
        }
        let batch = state.withLock { state in
            defer { (state.changes, state.folders, state.nodes) = ([], [], []) }
            return state
        }
        // The session's own device: another filesystem may be mounted above this one.
        let mount = MountTable.current().topMount(at: FilePath(mountpoint))
        if let device = session.device, mount?.minor == device, mount?.isFuse == true {
            let signals = signals(for: batch, onDevice: device)
            if !signals.isEmpty { run(signals, device: device) }
        }
        goOn()
    }

    private func goOn() {
        let isMore = state.withLock { state in
            state.isBusy =
                !(state.changes.isEmpty && state.folders.isEmpty && state.nodes.isEmpty)
            return state.isBusy
        }
        if isMore { schedule() }
    }

    private func signals(for state: State, onDevice device: UInt32) -> [InotifySignal] {
        let watched = takesAll ? [] : InotifyWatches.inodes(onDevice: device)
        if !takesAll, watched.isEmpty { return [] }
        let found = try? store.read { snapshot in
            var batch = SignalBatch(snapshot: snapshot) { [relay, takesAll] inode in
                takesAll ? relay.isCached(inode) : watched.contains(inode.rawValue)
            }
            for change in state.changes { try batch.add(change) }
            for node in state.nodes.sorted() {
                if let folder = try snapshot.node(node)?.place?.parent {
                    batch.add(namesIn: folder)
                }
            }
            for folder in state.folders.sorted() { batch.add(namesIn: folder) }
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
            // Not by the path of the program, which an upgrade has replaced.
            let helper = try ChildProcess.start(
                "/proc/self/exe", arguments,
                descriptors: [0: FileDescriptor(rawValue: list)], isDetached: true)
            wait(for: helper)
        } catch {
            log.warning("\(error.message)")
        }
    }

    /// Waits until the helper has ended, also if that takes long after it was killed: there is one at a time.
    private func wait(for helper: ChildProcess) {
        state.withLock { state in
            state.helper = helper
            if state.hasEnded || state.isHeld { kill(helper.id, SIGKILL) }
        }
        let deadline = ContinuousClock.now.advanced(by: Self.limit)
        var (pause, isKilled) = (Self.pauses.first, false)
        while true {
            let isRunning = state.withLock { state in
                guard helper.wait(seconds: 0) == nil else {
                    state.helper = nil
                    return false
                }
                return true
            }
            guard isRunning else { return }
            if !isKilled, ContinuousClock.now > deadline {
                log.notice("the process that raises inotify events hangs; it is killed")
                // SIGKILL does not end a process that waits for a hung mount.
                kill(helper.id, SIGKILL)
                isKilled = true
            }
            usleep(pause)
            pause = min(pause *| 2, Self.pauses.most)
        }
    }
}

/// The signals for changes, as far as programs watch their nodes or the folders of these.
private struct SignalBatch {
    private let snapshot: Snapshot
    private let isWatched: (InodeID) -> Bool
    private var nodes: [InotifySignal] = []
    private var folders: [InodeID] = []
    /// The places of nodes' signals.
    private var places: [InodeID: Int] = [:]
    private var toldFolders: Set<InodeID> = []

    init(snapshot: Snapshot, isWatched: @escaping (InodeID) -> Bool) {
        self.snapshot = snapshot
        self.isWatched = isWatched
    }

    /// In the order of the changes; folders come last, after the files in them.
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
        if isWatched(folder), toldFolders.insert(folder).inserted { folders.append(folder) }
    }

    private mutating func tell(_ change: InotifySignal.Change, _ node: Node) throws {
        if let place = places[node.inode] {
            // New content is told with the attributes.
            if change == .content { nodes[place].change = .content }
            return
        }
        guard isWatched(node.inode) || node.place.map({ isWatched($0.parent) }) ?? false,
            let path = try path(of: node.inode)
        else { return }
        places[node.inode] = nodes.count
        nodes.append(InotifySignal(change, at: path))
    }

    private func path(of inode: InodeID) throws -> [UInt8]? {
        try snapshot.localPath(of: inode).map { names in
            Array(names.map(\.shown).joined(separator: [UInt8(ascii: "/")]))
        }
    }
}
