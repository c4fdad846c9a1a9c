// Losses of content that its owner takes for cached: the folder was deleted, or pinned bytes are
// damaged. Not responsible for fetching it again.

import ContentHashing
import Synchronization

extension DiskBlockCache {
    /// Wraps the function in a struct: as the value of a generic type, it gets two more wrappers at
    /// each access.
    struct LossObserver {
        var body: (@Sendable () -> Void)?
    }

    /// Sets the function that is called after pinned content may have been lost. Any thread calls
    /// it, under no lock of the cache.
    package func observeLosses(_ body: @escaping @Sendable () -> Void) {
        lossObserver.withLock { $0.body = body }
    }

    /// Tells the observer of a loss.
    func noteLoss() {
        lossObserver.withLock { $0.body }?()
    }
}
