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
    /// An inode's attributes, and with `content` its pages.
    case inode(InodeID, content: Bool)
    /// A folder's cached listing, also the one that is being read at this moment.
    case listing(InodeID)

    /// The inodes whose locks or pages the kernel takes for it.
    var inodes: [InodeID] {
        switch self {
        case .entry(_, let parent): [parent]
        case .deletion(_, let child, let parent): [parent, child]
        case .inode(let inode, content: true), .listing(let inode): [inode]
        // Attributes are marked stale without taking anything.
        case .inode(_, content: false): []
        }
    }
}

/// Notifications, each at most once: those about one folder or file in the order of their arrival, and
/// folders by turns.
///
/// Choosing costs no more when many wait: a batch of news may bring 100,000 for one folder.
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

    /// What waits, by the folder or file that it is about.
    private var lanes: [InodeID: Deque<Waiting>] = [:]
    /// The keys of `lanes`, the next one first.
    private var turns: Deque<InodeID> = []
    /// What could not go when it was its lane's turn, because of another inode that it needs. There are
    /// about as many as operations that wait.
    private var setAside: [Waiting] = []
    /// What needs nothing.
    private var free: Deque<Notification> = []
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
    var isEmpty: Bool { queued.isEmpty && underWay.isEmpty }

    /// Adds a notification unless an equal one waits already. One under way does not count: it may
    /// have passed the point at which it drops what has changed since.
    mutating func add(_ notification: Notification, now: ContinuousClock.Instant) {
        guard queued.insert(notification).inserted else { return }
        guard let lane = notification.inodes.first else { return free.append(notification) }
        if lanes[lane] == nil { turns.append(lane) }
        lanes[lane, default: []].append(Waiting(notification: notification, arrival: now))
    }

    /// Forgets what has not been sent.
    mutating func removeAll() {
        let underWay = underWay
        self = NotificationQueue()
        self.underWay = underWay
    }

    /// Chooses the next notification that nothing holds back.
    ///
    /// - Parameter holds: For how long the oldest waiting operation has held each inode that is held.
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

    /// Takes note that the kernel has dealt with one.
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
            // Two for one folder would only block two threads where one is enough.
            guard !busy.contains(inode) else { return false }
            guard let hold = holds[inode] else { return true }
            return hold < NotificationQueue.patience
                && now - candidate.arrival >= NotificationQueue.patience
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

    /// The first one of a lane that can go. What cannot, although the lane can, is set aside.
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
