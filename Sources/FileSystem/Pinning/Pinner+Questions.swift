// What users may ask of pins: to set and to end them, and how far they are.

import Blocking
import BlockCache
import ContentHashing
public import Core
import MetadataStore
import RemoteStore
import Synchronization

/// Everything that there is to say of all pins.
public struct PinSummary: Sendable {
    /// A content that is being fetched.
    public struct Fetch: Hashable, Sendable {
        /// A file that has it.
        public var inode: InodeID
        /// Its size in bytes.
        public var bytes: Int64
        /// How much of it is here.
        public var fetched: Int64
    }

    /// The sums.
    public var totals: PinTotals
    /// What is being fetched.
    public var fetches: [Fetch]
    /// What went wrong last; nil when something was fetched since.
    public var problem: String?
    /// Whether nothing of what is missing can be fetched for now.
    public var isStuck: Bool
    /// Whether pinned content takes more than the cache may hold.
    public var exceedsCache: Bool
}

extension Pinner {
    /// Pins nodes, or ends their pins, and returns when the cache knows of it.
    ///
    /// Throws when the local database does.
    public func setPins(_ isPinned: Bool, of inodes: [InodeID]) async throws {
        try await store.write { transaction in
            for inode in inodes { try transaction.setPin(isPinned, of: inode) }
        }
        let store = store
        try await disk.run { try store.synchronize() }
        await withCheckedContinuation { requestLook($0) }
    }

    /// What was here may not be any more: everything is looked for again.
    public func checkAgain() {
        state.withLock { $0.work.forgetPresent() }
        requestLook()
    }

    /// The sums of all pins, and how it goes. Returns at once.
    public var summary: PinSummary {
        // Small contents take more than their bytes; what is still to come is known by its bytes only.
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

    /// The sums of some nodes and of what is below them, with what is here of unfinished files. Blocks on
    /// the local disk.
    ///
    /// Throws when the local database does.
    public func totals(below roots: [InodeID]) throws -> PinTotals {
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
