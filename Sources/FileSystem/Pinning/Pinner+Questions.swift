// The users' requests about pins: setting, ending and progress.

import Blocking
import BlockCache
import ContentHashing
package import Core
import MetadataStore
import RemoteStore
import Saturating
import Synchronization

/// The state of all pins.
package struct PinSummary: Sendable {
    /// A content that is being fetched.
    package struct Fetch: Hashable, Sendable {
        /// A file with this content.
        package var inode: InodeID
        /// Its size in bytes.
        package var bytes: Int64
        /// Bytes that are cached already.
        package var fetched: Int64
    }

    /// Totals over all pins.
    package var totals: PinTotals
    /// The contents being fetched.
    package var fetches: [Fetch]
    /// The last error; nil after a successful fetch.
    package var problem: String?
    /// Whether no missing content can be fetched for now.
    package var isStuck: Bool
    /// Whether pinned content exceeds the cache limit.
    package var exceedsCache: Bool
}

extension Pinner {
    /// Pins nodes or ends their pins, and returns when the cache is updated.
    ///
    /// Throws when the local database does.
    package func setPins(_ isPinned: Bool, of inodes: [InodeID]) async throws {
        try await store.write { transaction in
            for inode in inodes { try transaction.setPin(isPinned, of: inode) }
        }
        let store = store
        try await disk.run { try store.synchronize() }
        await withCheckedContinuation { requestLook($0) }
    }

    /// Checks the disk for all pinned contents again.
    package func checkAgain() {
        state.withLock { $0.work.forgetPresent() }
        requestLook()
    }

    /// The totals and the state of all pins. Returns at once.
    package var summary: PinSummary {
        // Small contents occupy more than their bytes; of missing contents only the bytes are
        // known.
        let (limit, taken) = (cache.limit, cache.pinnedBytes)
        return state.withLock { state in
            let work = state.work
            let fetches = work.running.map { wanted, kept in
                PinSummary.Fetch(
                    inode: wanted.inode, bytes: wanted.content.size, fetched: kept)
            }
            return PinSummary(
                totals: work.totals, fetches: fetches, problem: work.problem,
                isStuck: work.isStuck, exceedsCache: max(work.totals.contentBytes, taken) > limit)
        }
    }

    /// The totals of nodes and their subtrees, with the cached bytes of unfinished files. Blocks on
    /// the local disk.
    ///
    /// Throws when the local database does.
    package func totals(below roots: [InodeID]) throws -> PinTotals {
        let known = state.withLock { $0.work.known }
        let scan = try store.read { snapshot in
            var scan = PinScan(known: known)
            try snapshot.forEachPinnedFile(below: roots) { scan.add($0) }
            return scan
        }
        var totals = scan.totals
        state.withLock { state in
            for item in scan.unknown {
                totals.presentBytes +|= state.work.keptBytes(of: item.content.hash)
            }
        }
        return totals
    }
}
