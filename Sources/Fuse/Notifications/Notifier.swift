// The threads that send invalidations to the kernel. Never on a request's path: callers only
// enqueue.

import CFuse
package import Core
import Dispatch
import FileSystem
import Saturating
import Synchronization

/// Sends invalidations to the kernel, from dedicated threads.
///
/// Made before the session, so that the filesystem can receive it; notifications before the mount
/// are dropped, since the kernel has nothing cached yet.
package final class Notifier: KernelInvalidating {
    /// Sends one notification; blocks as long as the kernel does. Returns 0 or -errno.
    typealias Transmission = @Sendable (Notification) -> CInt

    private struct State {
        var queue = NotificationQueue()
        var isAttached = false
        var threads = 0
        /// Signalled when the kernel has processed all notifications, or the session ends.
        var waiters: [DispatchSemaphore] = []

        mutating func wakeWaiters() {
            for waiter in waiters { waiter.signal() }
            waiters = []
        }
    }

    /// Held for changes of the queue only, never while the kernel is called.
    private let state = Mutex(State())
    /// Signalled for each reason to check the queue.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled by each thread that ends.
    private let ended = DispatchSemaphore(value: 0)
    /// More than one, because the kernel may block one on a folder's lock; few, because each blocks
    /// on a different folder.
    private static let threadCount = 4

    /// Starts without a session.
    package init() {}

    /// Invalidates the directory entry of a name.
    package func invalidateEntry(_ name: FileName, in parent: InodeID) {
        add(.entry(name, parent: parent))
    }

    /// Invalidates a deleted name, and notifies inotify watchers.
    package func invalidateDeletedEntry(
        _ name: FileName, of child: InodeID, in parent: InodeID
    ) {
        add(.deletion(name, child: child, parent: parent))
    }

    /// Invalidates an inode's attributes, and with `content` its pages.
    package func invalidateInode(_ inode: InodeID, content: Bool) {
        add(.inode(inode, content: content))
    }

    /// Invalidates a folder's cached listing.
    package func invalidateListing(of folder: InodeID) {
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

    /// Waits until the kernel has processed all notifications; false if it has not within `limit`.
    /// With a short one for threads that serve a request: the kernel may wait for that.
    package func settle(within limit: Duration) -> Bool {
        let settled = DispatchSemaphore(value: 0)
        let isSettled = state.withLock { state in
            if !state.isAttached || state.queue.isEmpty { return true }
            state.waiters.append(settled)
            return false
        }
        return isSettled
            || settled.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .success
    }

    // MARK: Session's side

    /// Attaches the session and starts the threads.
    ///
    /// - Parameter holds: How long waiting operations have held inodes.
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
                state.withLock { $0.threads -|= 1 }
                ended.signal()
            }
        }
    }

    /// Drops pending notifications and waits for the threads; false if one is still blocked in the
    /// kernel after `limit`, in which case the resources of `transmit` must not be freed.
    func detach(waiting limit: Duration) -> Bool {
        let threads = state.withLock { state in
            state.isAttached = false
            state.queue.removeAll()
            state.wakeWaiters()
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
                // Failures are ignored: the kernel does not know the name or the inode (ENOENT), a
                // mount or a file below it prevents it (EBUSY, ENOTEMPTY), or the session is
                // ending.
                _ = transmit(notification)
                state.withLock { state in
                    state.queue.finished(notification)
                    if state.queue.isEmpty { state.wakeWaiters() }
                }
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

/// Sendable because libfuse allows notifications from any thread, and the session is freed only
/// after the notifier has been detached.
struct NotificationTarget: @unchecked Sendable {
    let session: OpaquePointer

    /// Sends the notification to the kernel. Returns 0 or -errno.
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
            // A negative offset skips the pages; offset and length 0 invalidate all of them.
            fuse_lowlevel_notify_inval_inode(session, inode.rawValue, content ? 0 : -1, 0)
        case .listing(let folder):
            transmit(listingOf: folder)
        }
    }

    /// The kernel caches a listing when its reply has arrived, so a reply from before the change
    /// may be cached after an invalidation. The reader of a folder holds its lock until then:
    /// invalidating a name in it, even one that no file can have, waits for that lock.
    private func transmit(listingOf folder: InodeID) -> CInt {
        _ = fuse_lowlevel_notify_inval_entry(session, folder.rawValue, ".", 1)
        return fuse_lowlevel_notify_inval_inode(session, folder.rawValue, 0, 0)
    }

    private func withBytes(
        of name: FileName, _ body: (UnsafePointer<CChar>, Int) -> CInt
    ) -> CInt {
        let bytes = name.shown.map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // Never nil, because there is a NUL at least.
            buffer.baseAddress.map { body($0, bytes.count -| 1) } ?? 0
        }
    }
}
