// One session with the kernel, from the mount to its end by any process. Not responsible for the
// parts behind it: `Mount` has them.

import Blocking
import FileSystem
import Fuse
import Logging
import Mounting
import Saturating
import Synchronization
import SystemPackage

/// The kernel's side of a mount.
final class MountSession: Sendable {
    private let mountpoint: String
    private let invalidator: KernelInvalidator
    private let log: Logger
    private let notifier = Notifier()
    /// Nil before the mount.
    private let session = Mutex<Session?>(nil)
    private let end = Latch()

    /// Prepares a session; `invalidator` gets the kernel when it is mounted.
    init(mountpoint: String, invalidator: KernelInvalidator, log: Logger) {
        self.mountpoint = mountpoint
        self.invalidator = invalidator
        self.log = log
    }

    /// Mounts, and returns when requests are served.
    func serve(_ fileSystem: DropboxFileSystem, _ options: MountOptions) throws(CommandError) {
        let session: Session
        do throws(Fuse.MountError) {
            session = try Session.mount(
                fileSystem, at: FilePath(mountpoint), options: options, notifier: notifier,
                log: Logger(label: "fuse"))
        } catch {
            throw .mountRefused(error.description)
        }
        self.session.withLock { $0 = session }
        invalidator.attach(notifier)
        let (end, log) = (end, log)
        Task.detached {
            do {
                try await session.run()
            } catch {
                log.error("\(error)")
            }
            end.set()
        }
        let isReady = WorkerThread.waiting {
            (try? await session.waitUntilReady()) != nil
        }
        guard isReady == true else {
            throw .mountRefused("the kernel ended the mount at \(mountpoint) before it was ready")
        }
    }

    /// Waits until the kernel knows of all changes so far, for a moment at most: a program that has
    /// waited for a command must see what the command did.
    func showChanges() {
        if !notifier.settle(within: .seconds(2)) {
            log.notice("the kernel has not processed all invalidations yet")
        }
    }

    /// Whether the kernel has processed all invalidations so far, or does within a time. Not for
    /// the path of a request.
    func settle(within limit: Duration) -> Bool { notifier.settle(within: limit) }

    /// The minor number of the mount's device; nil before the mount and after its end, and if the
    /// kernel did not list it.
    var device: UInt32? {
        guard !hasEnded, let device = session.withLock({ $0?.device }) else { return nil }
        return device == 0 ? nil : device
    }

    /// Unmounts, if it is mounted, and lets running requests finish for a moment. Returns at once.
    ///
    /// - Parameter writtenPaths: Tells the files of which the kernel may have changed pages, which
    ///   it would drop with the connection. It may block on the state's disk, for a moment at most.
    func detach(writingBack writtenPaths: @escaping @Sendable () -> [[UInt8]] = { [] }) {
        // After its end, the kernel may have given the device's number to another mount.
        guard !hasEnded, let session = session.withLock({ $0 }) else { return }
        let device = device
        WorkerThread.start { [mountpoint, log] in
            let paths = WorkerThread.within(seconds: Self.longestQuestion, writtenPaths) ?? []
            if let device, !paths.isEmpty {
                PageWriteback(mountpoint: mountpoint, device: device, log: log).run(for: paths)
            }
            Task.detached { await session.stop() }
        }
    }

    /// Seconds until the database counts as one that hangs, so that the mount ends without it.
    private static let longestQuestion = 5.0

    /// Number of requests from the kernel, by kind.
    var calls: [String: Int] {
        session.withLock { $0 }?.calls.mapValues { Int(clamping: $0) } ?? [:]
    }

    /// Whether the session has ended.
    var hasEnded: Bool { end.hasHappened }

    /// Blocks until the mount is detached by any process.
    func waitForEnd() {
        end.wait()
        invalidator.attach(nil)
    }

    /// Ends the session, if there was one, and returns when no request is being served.
    func close() {
        guard session.withLock({ $0 }) != nil, !hasEnded else { return }
        detach()
        end.wait()
    }
}
