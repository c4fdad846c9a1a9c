// Which notification goes to the kernel next. A pure state machine; Notifier runs it.
//
// A notification takes the locks of the kernel that requests hold until they are answered: one about
// a name waits for every request in that folder, and while it waits it keeps new lookups in the folder
// waiting too. One about pages waits for reads of that file. None of these waits can be killed. So a
// notification is held back while an operation that waits on the network holds what it needs.

import Core
import DequeModule

/// Something for the kernel to forget.
enum Notification: Hashable, Sendable {
    /// What a name led to.
    case entry(FileName, parent: InodeID)
    /// A name that was deleted; inotify watchers are told.
    case deletion(FileName, child: InodeID, parent: InodeID)
    /// An inode's attributes, and with `content` its pages or cached listing.
    case inode(InodeID, content: Bool)

    /// The inodes whose locks or pages the kernel takes for it.
    var inodes: [InodeID] {
        switch self {
        case .entry(_, let parent): [parent]
        case .deletion(_, let child, let parent): [parent, child]
        case .inode(let inode, content: true): [inode]
        // Attributes are marked stale without taking anything.
        case .inode(_, content: false): []
        }
    }
}

/// Notifications in the order of their arrival, each at most once.
struct NotificationQueue {
    /// Holders older than this are taken to be stuck, and are waited for as long as they last. Younger
    /// ones are waited for this long: a busy folder always has some, and they pass.
    static let patience: Duration = .seconds(1)
    /// When to look again at what was held back.
    static let retryInterval: Duration = .milliseconds(50)

    private struct Waiting {
        let notification: Notification
        let arrival: ContinuousClock.Instant
    }

    private var waiting: Deque<Waiting> = []
    private var queued: Set<Notification> = []
    private var underWay: [Notification] = []

    /// What to do next.
    enum Step: Hashable, Sendable {
        /// Send this one, then report it with `finished`.
        case send(Notification)
        /// Everything is held back; ask again after this time, or when one has finished.
        case retry(after: Duration)
        /// Nothing is waiting.
        case idle
    }

    /// Whether nothing waits and nothing is under way.
    var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    /// Adds a notification unless an equal one waits already. One under way does not count: it may
    /// have passed the point at which it drops what has changed since.
    mutating func add(_ notification: Notification, now: ContinuousClock.Instant) {
        if queued.insert(notification).inserted {
            waiting.append(Waiting(notification: notification, arrival: now))
        }
    }

    /// Forgets what has not been sent.
    mutating func removeAll() {
        waiting = []
        queued = []
    }

    /// Chooses the oldest notification that nothing holds back.
    ///
    /// - Parameter holds: For how long the oldest waiting operation has held each inode that is held.
    mutating func next(
        now: ContinuousClock.Instant, holds: [InodeID: Duration]
    ) -> Step {
        let busy = Set(underWay.flatMap(\.inodes))
        let index = waiting.firstIndex { candidate in
            let inodes = candidate.notification.inodes
            // Two for one folder would only block two threads where one is enough.
            guard !inodes.contains(where: busy.contains) else { return false }
            guard let hold = inodes.compactMap({ holds[$0] }).max() else { return true }
            return hold < Self.patience && now - candidate.arrival >= Self.patience
        }
        guard let index else {
            return waiting.isEmpty ? .idle : .retry(after: Self.retryInterval)
        }
        let notification = waiting.remove(at: index).notification
        queued.remove(notification)
        underWay.append(notification)
        return .send(notification)
    }

    /// Takes note that the kernel has dealt with one.
    mutating func finished(_ notification: Notification) {
        if let index = underWay.firstIndex(of: notification) {
            underWay.remove(at: index)
        }
    }
}
