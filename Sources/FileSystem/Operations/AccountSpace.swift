// The answer of `statfs(2)`.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Sync

/// The space of the account, as programs see it.
final class AccountSpace: Sendable {
    /// 1 TiB, before the first answer.
    private static let unknownSpace: Int64 = 1 << 40

    private let store: MetadataStore
    private let sync: any Syncing
    private let clock: any SyncClock
    private let work: LocalWork

    init(store: MetadataStore, sync: any Syncing, clock: any SyncClock, work: LocalWork) {
        self.store = store
        self.sync = sync
        self.clock = clock
        self.work = work
    }

    /// The account's space from the last answer of the server; sends no request.
    func usage() -> SpaceUsage {
        var entries = 0
        do {
            entries = try store.nodeCount(at: clock.now())
        } catch {
            _ = work.failure(error)
        }
        guard let space = sync.space else {
            // Unknown so far. Programs that check for free space before they write must not be
            // refused.
            return SpaceUsage(
                totalBytes: Self.unknownSpace, freeBytes: Self.unknownSpace,
                entryCount: UInt64(clamping: entries))
        }
        let total = max(space.allocated, space.used, 0)
        // Some bytes may be free although the server refuses every file.
        let free = sync.isQuotaExceeded ? 0 : max(0, total -| max(space.used, 0))
        return SpaceUsage(totalBytes: total, freeBytes: free, entryCount: UInt64(clamping: entries))
    }
}
