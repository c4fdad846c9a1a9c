// Raises inotify events for the changes of other clients. The kernel makes these for calls of
// programs only, so a helper process makes calls on the mount that change nothing
// (`SignalCommand`). Not responsible for the calls, nor for the time of a batch (`SignalQueue`) and
// the signals in it (`SignalBatch`).

import Core
import Dispatch
import FileSystem
import Fuse
import Glibc
import LocalIO
import Logging
import MetadataStore
import Mounting
import Sync
import Synchronization
import SystemPackage
import Tree

/// Collects other clients' changes, and has a helper process raise events for those that programs
/// watch.
///
/// A process that calls its own mount can hang beyond SIGKILL, hence the helper. It is started for
/// each batch, only if there is a watch, and one at a time.
final class InotifySignals: SyncActivityObserving {
    /// Seconds for which changes gather.
    private static let delay = 0.2
    /// The time in which the kernel has to process the invalidations of a batch; else the batch
    /// waits.
    private static let patience = Duration.seconds(5)
    /// Seconds after which a helper that waits for the mount is killed.
    private static let limit = 60.0

    private struct State {
        var queue = SignalQueue()
        /// The helper of the batch, which may not have been started yet.
        var helper: ChildRun?
    }

    private let mountpoint: String
    private let gathersWrites: Bool
    /// Whether all is taken for watched that programs have looked at.
    private let takesAll: Bool
    private let session: MountSession
    private let invalidator: KernelInvalidator
    private let store: MetadataStore
    private let log: Logger
    private let queue = DispatchQueue(label: "dbxfs.signals")
    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Raises events on a mount; nil if they are not wanted, or cannot be raised because the kernel
    /// refuses calls that change.
    init?(
        _ settings: MountSettings, mountpoint: String, session: MountSession,
        invalidator: KernelInvalidator, store: MetadataStore, log: Logger
    ) {
        guard settings.inotify != .none, !settings.isReadOnly else { return nil }
        self.mountpoint = mountpoint
        gathersWrites = settings.gathersWrites
        takesAll = settings.inotify == .all
        self.session = session
        self.invalidator = invalidator
        self.store = store
        self.log = log
    }

    /// Notes changes of other clients.
    func note(_ activity: SyncActivity) {
        guard case .received(let changes) = activity else { return }
        if state.withLock({ $0.queue.add(changes) }) { schedule() }
    }

    /// Raises no more events: a helper would keep the mount from being unmounted.
    func stop() { interrupt { $0.end() } }

    /// Ends the helper while the mount is about to be unmounted, or goes on, with the batch of that
    /// helper first.
    func hold(_ isHeld: Bool) {
        if isHeld { return interrupt { $0.hold() } }
        if state.withLock({ $0.queue.release() }) { schedule() }
    }

    /// Changes the queue such that no events may be raised, and ends the helper of the batch.
    private func interrupt(_ change: (inout SignalQueue) -> Void) {
        let helper = state.withLock { state in
            change(&state.queue)
            // Not the one of a later batch, which may be raised.
            return state.helper
        }
        helper?.end(by: SIGKILL)
    }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.raiseNext() }
    }

    // MARK: A batch

    private func raiseNext() {
        let taken = state.withLock { state -> (batch: GatheredChanges, helper: ChildRun)? in
            guard let batch = state.queue.take() else { return nil }
            let helper = ChildRun()
            state.helper = helper
            return (batch, helper)
        }
        guard let (batch, helper) = taken else { return }
        let outcome = raise(batch, by: helper)
        let isMore = state.withLock { state in
            state.helper = nil
            return state.queue.finish(outcome)
        }
        if isMore { schedule() }
    }

    private func raise(_ batch: GatheredChanges, by helper: ChildRun) -> SignalQueue.Outcome {
        // Else a watcher that is told would read what the kernel has of before.
        guard session.settle(within: Self.patience) else { return .postponed }
        // The session's own device: another filesystem may be mounted above this one.
        let mount = MountTable.current().topMount(at: FilePath(mountpoint))
        guard let device = session.device, mount?.minor == device, mount?.isFuse == true else {
            return .raised
        }
        let signals = signals(for: batch, onDevice: device)
        guard !signals.isEmpty else { return .raised }
        return run(helper, signals, device: device) ? .raised : .incomplete
    }

    private func signals(
        for changes: GatheredChanges, onDevice device: UInt32
    ) -> [InotifySignal] {
        let watched = takesAll ? [] : InotifyWatches.inodes(onDevice: device)
        if !takesAll, watched.isEmpty { return [] }
        let found = try? store.read { snapshot in
            var batch = SignalBatch(snapshot: snapshot) { [invalidator, takesAll] inode in
                takesAll ? invalidator.isCached(inode) : watched.contains(inode.rawValue)
            }
            try batch.add(changes)
            return batch.signals
        }
        return found ?? []
    }

    /// Runs the helper to its end; false if it may not have raised all events.
    private func run(_ helper: ChildRun, _ signals: [InotifySignal], device: UInt32) -> Bool {
        var arguments = [InotifySignal.command, mountpoint, "--device", String(device)]
        if gathersWrites { arguments.append("--writeback-cache") }
        do throws(ChildProcessError) {
            let hasSucceeded = try HelperInput.withFile(InotifySignal.encode(signals)) {
                (list) throws(ChildProcessError) in
                // Not by the path of the program, which an upgrade has replaced.
                try helper.start(
                    "/proc/self/exe", arguments, descriptors: [0: list], isDetached: true)
                    && self.hasSucceeded(helper)
            }
            if hasSucceeded == nil { log.debug("no memory for inotify events") }
            return hasSucceeded ?? false
        } catch {
            log.warning("\(error.message)")
            return false
        }
    }

    /// Waits until the helper has ended, also if that takes long after it was killed: there is one
    /// at a time.
    private func hasSucceeded(_ helper: ChildRun) -> Bool {
        if helper.wait(seconds: Self.limit) == nil {
            log.notice("the process that raises inotify events hangs; it is killed")
            helper.end(by: SIGKILL)
        }
        return helper.wait() == 0
    }
}
