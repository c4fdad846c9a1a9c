// The answer of `statfs(2)`.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Sync
import Synchronization

extension DropboxFileSystem {
    /// The account's space from the last answer of the server; sends no request.
    package func spaceUsage() -> SpaceUsage {
        let entries = entryCount.value(at: clock.now()) {
            do {
                return try store.read { try $0.nodeCount() }
            } catch {
                _ = failure(error)
                return 0
            }
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

    /// 1 TiB, before the first answer.
    private static let unknownSpace: Int64 = 1 << 40
}

/// The number of files and folders, counted at most once a minute, because SQLite scans an index
/// for it.
final class EntryCount: Sendable {
    private struct Counted {
        var value = 0
        var until = WallTime.distantPast
    }

    private static let lifetime: Int64 = 60_000_000_000

    /// Held for an assignment; no other lock is taken under it.
    private let counted = Mutex(Counted())

    func value(at now: WallTime, _ count: () -> Int) -> Int {
        let known = counted.withLock { $0 }
        if now < known.until { return known.value }
        let value = count()
        counted.withLock {
            $0 = Counted(
                value: value, until: now.adding(nanoseconds: Self.lifetime))
        }
        return value
    }
}
