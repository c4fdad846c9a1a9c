// Chooses the next notification for the kernel. A pure state machine; Notifier runs it.
//
// To handle a notification, the kernel takes locks that requests hold until they are answered. One
// about a name waits for every request in that folder, and blocks new lookups in the folder while
// it waits. One about pages waits for reads of that file. No signal ends these waits. So a
// notification is held back while an operation that waits for the network holds a lock that the
// notification needs.

import Core
import DequeModule

/// An invalidation of the kernel's caches.
enum Notification: Hashable, Sendable {
    /// A name's directory entry.
    case entry(FileName, parent: InodeID)
    /// A deleted name; inotify watchers are notified.
    case deletion(FileName, child: InodeID, parent: InodeID)
    /// An inode's attributes, and with `content` its pages.
    case inode(InodeID, content: Bool)
    /// A folder's cached listing, including one being read at this moment.
    case listing(InodeID)

    /// The inodes whose locks or pages the kernel takes for it.
    var inodes: [InodeID] {
        switch self {
        case .entry(_, let parent): [parent]
        case .deletion(_, let child, let parent): [parent, child]
        case .inode(let inode, content: true), .listing(let inode): [inode]
        // Attributes are marked stale without a lock.
        case .inode(_, content: false): []
        }
    }
}

/// Pending notifications without duplicates: those about one folder or file in the order of their
/// arrival, and folders round robin.
///
/// The cost of choosing does not depend on their number: a batch of deltas may bring 100,000 for
/// one folder.
struct NotificationQueue {
    /// Holders older than this count as stuck, and are waited for until they end. Younger ones are
    /// waited for at most this long: a busy folder always has some, and they end soon.
    static let holdTimeout: Duration = .seconds(1)
    /// When to retry notifications that were held back.
    static let retryInterval: Duration = .milliseconds(50)

    private struct Waiting {
        let notification: Notification
        let arrival: ContinuousClock.Instant
    }

    /// Pending notifications, by the folder or file that they are about.
    private var lanes: [InodeID: Deque<Waiting>] = [:]
    /// The keys of `lanes`, the next one first.
    private var turns: Deque<InodeID> = []
    /// Notifications whose lane was free, but not another inode that they need. There are about as
    /// many as waiting operations.
    private var setAside: [Waiting] = []
    /// Notifications that take no locks.
    private var free: Deque<Notification> = []
    private var queued: Set<Notification> = []
    private var underWay: [Notification] = []

    /// The next action of the notifier.
    enum Step: Hashable, Sendable {
        /// Send this one, then report it with `finished`.
        case send(Notification)
        /// All are held back; ask again after this time, or when one has finished.
        case retry(after: Duration)
        /// The queue is empty.
        case idle
    }

    /// Whether no notification is pending or in flight.
    var isEmpty: Bool { queued.isEmpty && underWay.isEmpty }

    /// Adds a notification unless an equal one is pending. One in flight does not count: it may
    /// have passed the point at which it drops later changes.
    mutating func add(_ notification: Notification, now: ContinuousClock.Instant) {
        guard queued.insert(notification).inserted else { return }
        guard let lane = notification.inodes.first else { return free.append(notification) }
        if lanes[lane] == nil { turns.append(lane) }
        lanes[lane, default: []].append(Waiting(notification: notification, arrival: now))
    }

    /// Drops all pending notifications.
    mutating func removeAll() {
        let underWay = underWay
        self = NotificationQueue()
        self.underWay = underWay
    }

    /// Chooses the next notification that is not held back.
    ///
    /// - Parameter holds: How long the oldest waiting operation has held each inode that is held.
    mutating func next(
        now: ContinuousClock.Instant, holds: [InodeID: Duration]
    ) -> Step {
        guard let notification = take(Moment(now: now, holds: holds, busy: busy)) else {
            return queued.isEmpty ? .idle : .retry(after: Self.retryInterval)
        }
        queued.remove(notification)
        underWay.append(notification)
        return .send(notification)
    }

    /// Records that the kernel has processed a notification.
    mutating func finished(_ notification: Notification) {
        if let index = underWay.firstIndex(of: notification) {
            underWay.remove(at: index)
        }
    }

    // MARK: Choosing

    private struct Moment {
        let now: ContinuousClock.Instant
        let holds: [InodeID: Duration]
        let busy: Set<InodeID>

        func isFree(_ inode: InodeID, for candidate: Waiting) -> Bool {
            // A second one for the same folder would only block a second thread.
            guard !busy.contains(inode) else { return false }
            guard let hold = holds[inode] else { return true }
            // An operation that has held it for a second is stuck: wait for its end. A younger one
            // ends soon: go ahead once the notification itself is a second old.
            let limit = NotificationQueue.holdTimeout
            let isStuck = hold >= limit
            let isOverdue = candidate.arrival.duration(to: now) >= limit
            return !isStuck && isOverdue
        }

        func isFree(for candidate: Waiting) -> Bool {
            candidate.notification.inodes.allSatisfy { isFree($0, for: candidate) }
        }
    }

    private var busy: Set<InodeID> { Set(underWay.flatMap(\.inodes)) }

    private mutating func take(_ moment: Moment) -> Notification? {
        if let notification = free.popFirst() {
            return notification
        }
        if let index = setAside.firstIndex(where: moment.isFree) {
            return setAside.remove(at: index).notification
        }
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { break }
            let notification = take(from: lane, moment)
            if lanes[lane] != nil { turns.append(lane) }
            if let notification { return notification }
        }
        return nil
    }

    /// The first sendable notification of a lane. Those blocked by another inode only are set
    /// aside.
    private mutating func take(from lane: InodeID, _ moment: Moment) -> Notification? {
        while let head = lanes[lane]?.first, moment.isFree(lane, for: head) {
            lanes[lane]?.removeFirst()
            if lanes[lane]?.isEmpty ?? true { lanes[lane] = nil }
            if moment.isFree(for: head) { return head.notification }
            setAside.append(head)
        }
        return nil
    }
}
