// Users' changes of the tree: one transaction each, then the effects that wait for its commit. Not
// responsible for the rules, which are Tree's (`LocalChanges`).

import Core
import MetadataStore
import Staging
import Sync
import Tree

/// The tree as users change it.
final class LocalTree: Sendable {
    private let store: MetadataStore
    private let staging: StagingArea
    private let sync: any Syncing
    private let invalidator: KernelInvalidator
    private let context: LocalContext
    private let clock: any SyncClock
    private let work: LocalWork

    init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing,
        invalidator: KernelInvalidator, context: LocalContext, clock: any SyncClock, work: LocalWork
    ) {
        self.store = store
        self.staging = staging
        self.sync = sync
        self.invalidator = invalidator
        self.context = context
        self.clock = clock
        self.work = work
    }

    /// Changes the tree for a user in one transaction, and carries out the effects after it. Sync
    /// decides when the changes are due. On a full disk, `space` decides whether it may.
    func change<Value>(
        _ known: KnownFolders = KnownFolders(isTreeComplete: false),
        space: SpaceReserve.Use = .change,
        _ body: (inout LocalChanges) throws -> Value
    ) throws -> Value {
        if let reserve = store.reserve, !reserve.admits(space) { throw FileSystemError.noSpace }
        let (value, effects) = try store.change(due: { self.sync.due(for: $0) }) { transaction in
            var changes = LocalChanges(
                transaction, context: context, known: known, now: clock.date())
            let value = try body(&changes)
            return (value, changes.effects)
        }
        effects.freedFiles.forEach(staging.removeFile)
        effects.otherNames.forEach(invalidator.forgetName)
        if let returned = effects.returned {
            sync.noteReturn(of: returned)
            invalidator.treeDidChange(returned.changes)
        }
        return value
    }

    /// Removes the unreachable parts of unlinked inodes: the content when the last handle is
    /// closed, the inode when the kernel has forgotten it too.
    func end(_ inodes: [InodeID]) {
        do {
            try change(space: .release) { changes in
                for inode in inodes { try changes.dropIfUnlinked(inode) }
            }
        } catch is MetadataStore.Closed {
            // The store removes them at its next start.
        } catch {
            // The store removes these at its next start, too.
            _ = work.failure(error)
        }
    }
}
