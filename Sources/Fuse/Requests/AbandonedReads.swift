// Reads for which no process waits: the kernel reads ahead for a process, and goes on when that
// has ended. It keeps the pages locked until the answer, and cannot interrupt such a read; a
// process that truncates the file waits for these pages and cannot be killed. So a truncation ends
// those reads.

import Core
import Glibc
import LocalIO
import Saturating

extension PendingOperations {
    /// How often no reads are seen before a watch ends: the kernel sends those that it has queued
    /// when others are answered.
    private static let mostIdleLooks = 5

    /// Cancels the reads of a file whose processes have ended, or end while a truncation may wait
    /// for them. Does nothing if no reads are pending. Call it before the truncation is answered:
    /// the kernel waits for the pages after that.
    func endAbandonedReads(of inode: InodeID) {
        guard beginWatch(of: inode) else { return }
        Task {
            while look(at: inode) { try? await Task.sleep(for: Interruption.interval) }
        }
    }

    /// Cancels the abandoned reads that there are; true if there may be more.
    private func look(at inode: InodeID) -> Bool {
        let reads = reads(of: inode)
        for read in reads where Self.hasEnded(read.processID) { cancel(read.token) }
        return continueWatch(of: inode, isIdle: reads.isEmpty, mostIdleLooks: Self.mostIdleLooks)
    }

    /// Whether a process or thread has ended. One whose number is 0, in another PID namespace,
    /// counts as alive.
    private static func hasEnded(_ processID: Int32) -> Bool {
        guard processID > 0 else { return false }
        if kill(processID, 0) != 0 { return errno == ESRCH }
        // Its parent may not have asked for its exit status yet.
        guard let status = try? readText("/proc/\(processID)/status") else { return false }
        return status.contains("\nState:\tZ") || status.contains("\nState:\tX")
    }
}
