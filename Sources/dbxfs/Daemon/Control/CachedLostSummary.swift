// The status of content that was put aside. The folder is read again only after a change, because
// the status is requested every few seconds.

import Core
import Glibc
import Mounting
import Staging
import Sync
import Synchronization

/// A cached summary of the folder of content that was put aside.
final class CachedLostSummary: Sendable {
    private let folder: LostAndFound
    /// The summary, and the folder's modification time. Held for memory only.
    private let known = Mutex<(changed: WallTime, summary: LostSummary)?>(nil)

    init(_ folder: LostAndFound) {
        self.folder = folder
    }

    /// The number of pieces, and their first paths.
    func summary() -> LostSummary {
        var status = stat()
        guard stat(folder.folder, &status) == 0 else { return LostSummary() }
        let changed = WallTime(
            seconds: Int64(clamping: status.st_mtim.tv_sec),
            nanoseconds: Int64(clamping: status.st_mtim.tv_nsec))
        if let known = known.withLock({ $0 }), known.changed == changed { return known.summary }
        let summary = folder.summary
        // A second change within a tick of the disk's clock does not change the time.
        let isSettled = WallTime.now().seconds(since: changed) > 1
        known.withLock { $0 = isSettled ? (changed, summary) : nil }
        return summary
    }
}

extension LostAndFound {
    /// The summary. Reads all notes.
    var summary: LostSummary { LostSummary(contents().map(\.path)) }
}
