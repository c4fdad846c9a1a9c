import Core
import Testing

@testable import Fuse

@Suite("notification queue")
struct NotificationQueueTests {
    private let start = ContinuousClock.now
    private let folder = InodeID(7)

    private func entry(_ name: String, in parent: InodeID) throws -> Fuse.Notification {
        .entry(try FileName(name), parent: parent)
    }

    @Test("notifications are sent in the order of their arrival")
    func order() throws {
        var queue = NotificationQueue()
        let first = try entry("a", in: folder)
        let second = Notification.inode(InodeID(9), content: true)
        queue.add(first, now: start)
        queue.add(second, now: start)
        #expect(queue.next(now: start, holds: [:]) == .send(first))
        #expect(queue.next(now: start, holds: [:]) == .send(second))
        #expect(queue.next(now: start, holds: [:]) == .idle)
    }

    @Test("an equal one that waits already is enough, but not one under way")
    func coalescing() throws {
        var queue = NotificationQueue()
        let notification = Notification.inode(folder, content: true)
        queue.add(notification, now: start)
        queue.add(notification, now: start)
        #expect(queue.next(now: start, holds: [:]) == .send(notification))
        queue.add(notification, now: start)
        queue.finished(notification)
        #expect(queue.next(now: start, holds: [:]) == .send(notification))
        queue.finished(notification)
        #expect(queue.isEmpty)
    }

    @Test("names that Unicode calls equal are two names")
    func unicode() throws {
        var queue = NotificationQueue()
        queue.add(try entry("e\u{301}", in: folder), now: start)
        queue.add(try entry("\u{e9}", in: InodeID(8)), now: start)
        queue.add(try entry("\u{e9}", in: folder), now: start)
        _ = queue.next(now: start, holds: [:])
        _ = queue.next(now: start, holds: [:])
        queue.finished(try entry("e\u{301}", in: folder))
        #expect(queue.next(now: start, holds: [:]) == .send(try entry("\u{e9}", in: folder)))
    }

    @Test("two for one folder are not under way together")
    func oneForEachFolder() throws {
        var queue = NotificationQueue()
        let first = try entry("a", in: folder)
        let second = try entry("b", in: folder)
        let elsewhere = try entry("a", in: InodeID(8))
        for notification in [first, second, elsewhere] { queue.add(notification, now: start) }
        #expect(queue.next(now: start, holds: [:]) == .send(first))
        #expect(queue.next(now: start, holds: [:]) == .send(elsewhere))
        #expect(
            queue.next(now: start, holds: [:]) == .retry(after: NotificationQueue.retryInterval))
        queue.finished(first)
        #expect(queue.next(now: start, holds: [:]) == .send(second))
    }

    @Test("a waiting operation holds back what its inode takes part in, and nothing else")
    func holds() throws {
        var queue = NotificationQueue()
        let deletion = Notification.deletion(try FileName("a"), child: folder, parent: .root)
        let content = Notification.inode(folder, content: true)
        let attributes = Notification.inode(folder, content: false)
        let elsewhere = try entry("a", in: InodeID(8))
        for notification in [deletion, content, attributes, elsewhere] {
            queue.add(notification, now: start)
        }
        let holds: [InodeID: Duration] = [folder: .milliseconds(1)]
        #expect(queue.next(now: start, holds: holds) == .send(attributes))
        #expect(queue.next(now: start, holds: holds) == .send(elsewhere))
        guard case .retry = queue.next(now: start, holds: holds) else {
            Issue.record("what needs the inode was not held back")
            return
        }
        #expect(queue.next(now: start, holds: [:]) == .send(deletion))
    }

    @Test("short operations that never cease delay a notification for a second")
    func patience() throws {
        var queue = NotificationQueue()
        let notification = try entry("a", in: folder)
        queue.add(notification, now: start)
        let holds: [InodeID: Duration] = [folder: .milliseconds(200)]
        let early = queue.next(now: start + .milliseconds(999), holds: holds)
        #expect(early == .retry(after: NotificationQueue.retryInterval))
        #expect(queue.next(now: start + .seconds(1), holds: holds) == .send(notification))
    }

    @Test("an operation that is stuck delays a notification until it ends")
    func stuck() throws {
        var queue = NotificationQueue()
        let notification = try entry("a", in: folder)
        queue.add(notification, now: start)
        let later = start + .seconds(3600)
        let held = queue.next(now: later, holds: [folder: .seconds(3600)])
        #expect(held == .retry(after: NotificationQueue.retryInterval))
        #expect(queue.next(now: later, holds: [:]) == .send(notification))
    }

    @Test("an unsent notification can be dropped, and added again")
    func removal() throws {
        var queue = NotificationQueue()
        let notification = try entry("a", in: folder)
        queue.add(notification, now: start)
        queue.removeAll()
        #expect(queue.next(now: start, holds: [:]) == .idle)
        queue.add(notification, now: start)
        #expect(queue.next(now: start, holds: [:]) == .send(notification))
    }

    @Test("a deletion that waits for its child does not hold up others in the folder")
    func setAside() throws {
        var queue = NotificationQueue()
        let child = InodeID(9)
        let deletion = Notification.deletion(try FileName("a"), child: child, parent: folder)
        let other = try entry("b", in: folder)
        queue.add(deletion, now: start)
        queue.add(other, now: start)
        let holds: [InodeID: Duration] = [child: .seconds(10)]
        #expect(queue.next(now: start, holds: holds) == .send(other))
        queue.finished(other)
        guard case .retry = queue.next(now: start, holds: holds) else {
            Issue.record("what needs the child was not held back")
            return
        }
        #expect(queue.next(now: start, holds: [:]) == .send(deletion))
        queue.finished(deletion)
        #expect(queue.isEmpty)
    }

    @Test(
        "100,000 for one folder are sent in their order, as fast as a few, while it is busy or not")
    func many() throws {
        var queue = NotificationQueue()
        let all = try (0..<100_000).map { try entry("\($0)", in: folder) }
        for notification in all { queue.add(notification, now: start) }
        var sent: [Fuse.Notification] = []
        while case .send(let notification) = queue.next(now: start, holds: [:]) {
            sent.append(notification)
            // As the other threads ask while this one notifies.
            for _ in 0..<3 {
                if case .send = queue.next(now: start, holds: [:]) { Issue.record("two at once") }
            }
            queue.finished(notification)
        }
        #expect(sent == all)
    }
}
