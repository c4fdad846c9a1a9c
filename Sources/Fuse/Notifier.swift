// The threads that tell the kernel what to forget. Never called in a request's path: callers only
// queue, and go on.

import CFuse
public import Core
import Dispatch
public import FileSystem
import Synchronization

/// Sends invalidations to the kernel, from threads of its own.
///
/// Made before the session, so that the filesystem can be given it; what arrives before the session
/// is mounted is dropped, since the kernel has nothing to forget yet.
public final class Notifier: KernelInvalidating {
    /// Sends one notification; blocks as long as the kernel does. 0 or -errno.
    typealias Transmission = @Sendable (Notification) -> CInt

    private struct State {
        var queue = NotificationQueue()
        var isAttached = false
        var threads = 0
    }

    /// Held for changes of the queue only, never while the kernel is told.
    private let state = Mutex(State())
    /// Counts reasons to look at the queue.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled by each thread that ends.
    private let ended = DispatchSemaphore(value: 0)
    /// More than one, because the kernel may keep one waiting for a folder's lock; few, because each
    /// waits for another folder.
    private static let threadCount = 4

    /// Starts detached.
    public init() {}

    /// Forget what a name led to.
    public func invalidateEntry(_ name: FileName, in parent: InodeID) {
        add(.entry(name, parent: parent))
    }

    /// Forget a deleted name, and tell inotify watchers.
    public func invalidateDeletedEntry(
        _ name: FileName, of child: InodeID, in parent: InodeID
    ) {
        add(.deletion(name, child: child, parent: parent))
    }

    /// Forget an inode's attributes or also its content.
    public func invalidateInode(_ inode: InodeID, content: Bool) {
        add(.inode(inode, content: content))
    }

    /// Forget a folder's listing.
    public func invalidateListing(of folder: InodeID) {
        add(.listing(folder))
    }

    private func add(_ notification: Notification) {
        let isAttached = state.withLock { state in
            if state.isAttached {
                state.queue.add(notification, now: .now)
            }
            return state.isAttached
        }
        if isAttached {
            work.signal()
        }
    }

    // MARK: Session's side

    /// Starts sending.
    ///
    /// - Parameter holds: For how long waiting operations have held inodes.
    func attach(
        holds: @escaping @Sendable () -> [InodeID: Duration],
        transmit: @escaping Transmission
    ) {
        state.withLock { state in
            state.isAttached = true
            state.threads = Self.threadCount
        }
        for _ in 0..<Self.threadCount {
            startThread(named: "fuse-notify") { [self] in
                send(holds: holds, transmit: transmit)
                state.withLock { $0.threads -= 1 }
                ended.signal()
            }
        }
    }

    /// Drops what is queued and waits for the threads; false if the kernel still holds one of them
    /// after `limit`, in which case what `transmit` uses must not be freed.
    func detach(waiting limit: Duration) -> Bool {
        let threads = state.withLock { state in
            state.isAttached = false
            state.queue.removeAll()
            return state.threads
        }
        (0..<threads).forEach { _ in work.signal() }
        return ended.wait(atMost: limit) { state.withLock { $0.threads == 0 } }
    }

    private func send(
        holds: () -> [InodeID: Duration], transmit: Transmission
    ) {
        while true {
            let held = holds()
            let step = state.withLock { state in
                state.isAttached ? state.queue.next(now: .now, holds: held) : nil
            }
            switch step {
            case .send(let notification):
                // Failures need no answer: the kernel does not know the name or the inode (ENOENT),
                // a mount or a file below it is in the way (EBUSY, ENOTEMPTY), or the end is near.
                _ = transmit(notification)
                state.withLock { $0.queue.finished(notification) }
                // Another thread may have held back one for the same inodes.
                work.signal()
            case .retry(let delay):
                _ = work.wait(timeout: .now() + .nanoseconds(delay.wholeNanoseconds))
            case .idle:
                work.wait()
            case nil:
                return
            }
        }
    }
}

/// Where notifications go.
// Sendable because libfuse allows notifications from any thread, and the session is freed only after
// the notifier has been detached.
struct NotificationTarget: @unchecked Sendable {
    let session: OpaquePointer

    /// Tells the kernel. 0 or -errno.
    func transmit(_ notification: Notification) -> CInt {
        switch notification {
        case .entry(let name, let parent):
            withBytes(of: name) { bytes, count in
                fuse_lowlevel_notify_inval_entry(session, parent.rawValue, bytes, count)
            }
        case .deletion(let name, let child, let parent):
            withBytes(of: name) { bytes, count in
                fuse_lowlevel_notify_delete(
                    session, parent.rawValue, child.rawValue, bytes, count)
            }
        case .inode(let inode, let content):
            // A negative offset spares the pages; 0 and length 0 means all of them.
            fuse_lowlevel_notify_inval_inode(session, inode.rawValue, content ? 0 : -1, 0)
        case .listing(let folder):
            transmit(listingOf: folder)
        }
    }

    /// A listing is put into the kernel's cache when its answer has arrived, so an answer from before the
    /// change may come there after the cache was dropped. Who reads a folder holds its lock until then:
    /// to forget a name in it, even one that no file can have, waits for that.
    private func transmit(listingOf folder: InodeID) -> CInt {
        _ = fuse_lowlevel_notify_inval_entry(session, folder.rawValue, ".", 1)
        return fuse_lowlevel_notify_inval_inode(session, folder.rawValue, 0, 0)
    }

    private func withBytes(
        of name: FileName, _ body: (UnsafePointer<CChar>, Int) -> CInt
    ) -> CInt {
        name.string.withCString { body($0, name.string.utf8.count) }
    }
}
