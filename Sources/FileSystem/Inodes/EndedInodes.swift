// Unlinked inodes that the kernel has forgotten, whose rows are removed many at once: `rm -rf`
// forgets thousands, one after the other. No process can reach them, and the next start removes
// those that a crash leaves. Not responsible for the rows.

package import Blocking
import Core
import Synchronization

/// Collects inodes for a moment.
package final class EndedInodes: Sendable {
    /// Inodes that are handed out at once, at most: users' changes wait for the end of their
    /// transaction.
    private static let most = 128

    private let delay: Double
    private let queue: any BackgroundQueue
    /// Lock: a leaf, held for memory only.
    private let waiting = Mutex<(inodes: [InodeID], isScheduled: Bool)>(([], false))

    /// Hands inodes out `delay` seconds after the first; with 0, each at once, on the caller's
    /// thread.
    package init(delay: Double, queue: any BackgroundQueue = ThreadQueue(label: "dbxfs.ended")) {
        self.delay = delay
        self.queue = queue
    }

    /// Adds an inode, which `remove` gets with others.
    func add(_ inode: InodeID, _ remove: @escaping @Sendable ([InodeID]) -> Void) {
        guard delay > 0 else { return remove([inode]) }
        let isFirst = waiting.withLock { waiting in
            defer { waiting.isScheduled = true }
            waiting.inodes.append(inode)
            return !waiting.isScheduled
        }
        guard isFirst else { return }
        queue.run(after: delay) { [weak self] in self?.handOut(to: remove) }
    }

    private func handOut(to remove: ([InodeID]) -> Void) {
        var inodes = waiting.withLock { waiting in
            defer { waiting = ([], false) }
            return waiting.inodes[...]
        }
        while !inodes.isEmpty {
            remove(Array(inodes.prefix(Self.most)))
            inodes = inodes.dropFirst(Self.most)
        }
    }
}
