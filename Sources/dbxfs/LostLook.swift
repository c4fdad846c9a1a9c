// What a mount says of content that was put aside. The folder is read again only when something in it has
// changed: the status is asked for every few seconds.

import Core
import Glibc
import Mounting
import Staging
import Sync
import Synchronization

/// A look at the folder of content that was put aside.
final class LostLook: Sendable {
    private let folder: LostAndFound
    /// What was read, and when the folder had been changed last. Held for memory only.
    private let known = Mutex<(changed: Timestamp, summary: LostSummary)?>(nil)

    init(_ folder: LostAndFound) {
        self.folder = folder
    }

    /// How much is there.
    func summary() -> LostSummary {
        var status = stat()
        guard stat(folder.folder, &status) == 0 else { return LostSummary() }
        let changed = Timestamp(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
        if let known = known.withLock({ $0 }), known.changed == changed { return known.summary }
        let summary = folder.summary
        // Of two changes within a tick of the disk's clock, the second one does not show in the time.
        let isSettled = Timestamp.now().seconds(since: changed) > 1
        known.withLock { $0 = isSettled ? (changed, summary) : nil }
        return summary
    }
}

extension LostAndFound {
    /// How much is there. Reads all notes.
    var summary: LostSummary { LostSummary(contents().map(\.path)) }
}
