import Core
import Dispatch
import Synchronization
import Testing

@testable import Fuse

@Suite("notifier")
struct NotifierTests {
    /// Stands for the kernel: records its notifications, and can hold on to one folder's
    /// notifications.
    private final class Kernel: Sendable {
        let told = Mutex<[Fuse.Notification]>([])
        let arrived = DispatchSemaphore(value: 0)
        /// Signalled when a notification has come that is held.
        let entered = DispatchSemaphore(value: 0)
        let held = DispatchSemaphore(value: 0)
        let heldFolder: InodeID?

        init(holding folder: InodeID? = nil) {
            heldFolder = folder
        }

        func transmit(_ notification: Fuse.Notification) -> CInt {
            if let heldFolder, notification.inodes.contains(heldFolder) {
                entered.signal()
                held.wait()
            }
            told.withLock { $0.append(notification) }
            arrived.signal()
            return 0
        }

        func waitForArrivals(_ count: Int) async -> [Fuse.Notification] {
            await onOwnThread { (0..<count).forEach { _ in self.arrived.wait() } }
            return told.withLock { $0 }
        }
    }

    private static func detach(_ notifier: Notifier, waiting: Duration) async -> Bool {
        await onOwnThread { notifier.detach(waiting: waiting) }
    }

    @Test("what arrives before there is a session is dropped")
    func beforeSession() async throws {
        let notifier = Notifier()
        let kernel = Kernel()
        notifier.invalidateInode(InodeID(3), content: true)
        notifier.attach(holds: { [:] }, transmit: kernel.transmit)
        notifier.invalidateInode(InodeID(4), content: true)
        #expect(await kernel.waitForArrivals(1) == [.inode(InodeID(4), content: true)])
        #expect(await Self.detach(notifier, waiting: .seconds(60)))
    }

    @Test("a wait for the kernel ends with the last notification, or with the session")
    func settles() async throws {
        let notifier = Notifier()
        #expect(notifier.settle(within: .seconds(60)))
        let kernel = Kernel(holding: InodeID(5))
        notifier.attach(holds: { [:] }, transmit: kernel.transmit)
        notifier.invalidateInode(InodeID(5), content: true)
        #expect(await onOwnThread { !notifier.settle(within: .milliseconds(1)) })
        kernel.held.signal()
        #expect(await onOwnThread { notifier.settle(within: .seconds(60)) })
        #expect(kernel.told.withLock { $0.count } == 1)
        notifier.invalidateInode(InodeID(5), content: true)
        // One that no thread has taken yet would be dropped by the end.
        await onOwnThread { (0..<2).forEach { _ in kernel.entered.wait() } }
        async let waited = onOwnThread { notifier.settle(within: .seconds(60)) }
        #expect(!(await Self.detach(notifier, waiting: .milliseconds(1))))
        #expect(await waited)
        kernel.held.signal()
    }

    @Test("a notification that the kernel holds on to stops no other folder's, and no end")
    func blocked() async throws {
        let notifier = Notifier()
        let kernel = Kernel(holding: InodeID(3))
        notifier.attach(holds: { [:] }, transmit: kernel.transmit)
        for name in ["a", "b", "c", "d", "e", "f"] {
            notifier.invalidateEntry(try FileName(name), in: InodeID(3))
        }
        for inode in 10..<30 {
            notifier.invalidateEntry(try FileName("x"), in: InodeID(UInt64(inode)))
        }
        #expect(await kernel.waitForArrivals(20).allSatisfy { $0.inodes != [InodeID(3)] })
        #expect(await Self.detach(notifier, waiting: .milliseconds(1)) == false)
        #expect(await Self.detach(notifier, waiting: .milliseconds(1)) == false)
        kernel.held.signal()
        #expect(await Self.detach(notifier, waiting: .seconds(60)))
    }

    @Test("a held notification is sent when the operation that holds it has ended")
    func held() async throws {
        let notifier = Notifier()
        let kernel = Kernel()
        let pending = PendingOperations()
        let operation = Operation(.lookup, inodes: [.root])
        let token = try #require(pending.enter(operation, processID: 1))
        notifier.attach(holds: { pending.holds(now: .now) }, transmit: kernel.transmit)
        notifier.invalidateEntry(try FileName("x"), in: .root)
        notifier.invalidateInode(InodeID(5), content: false)
        #expect(await kernel.waitForArrivals(1) == [.inode(InodeID(5), content: false)])
        pending.leave(token)
        #expect(await kernel.waitForArrivals(1).count == 2)
        #expect(await Self.detach(notifier, waiting: .seconds(60)))
    }
}
