// The life of a mount: mounted, served, stopped. Requests are Bridge's affair, signals the CLI's.

import CFuse
import Dispatch
public import FileSystem
import Glibc
public import Logging
import Synchronization
public import SystemPackage

/// A mounted filesystem.
///
/// ```swift
/// let notifier = Notifier()
/// let fileSystem = MyFileSystem(kernel: notifier)
/// let session = try Session.mount(
///     fileSystem, at: "/mnt/dropbox", options: MountOptions(source: "dropbox"),
///     notifier: notifier, log: log)
/// async let served: Void = session.run()
/// try await session.waitUntilReady()
/// // …until the user unmounts, or until session.stop()
/// try await served
/// ```
///
/// The process must not use paths below its own mountpoint: it would wait for itself, and not even
/// SIGKILL ends that.
public final class Session: Sendable {
    /// For how long `stop` lets programs that have files open go on using them.
    public static let defaultGrace: Duration = .seconds(2)
    /// For how long the end waits for cancelled operations and for the kernel. What is left then is
    /// abandoned with the process.
    private static let endLimit: Duration = .seconds(10)

    private enum Phase {
        case mounted
        case serving(pthread_t)
        case ended
    }

    private let bridge: Bridge
    private let connection: Connection
    private let notifier: Notifier
    private let options: MountOptions
    private let log: Logger
    private let readiness = Readiness()
    /// Held for changes of phase and for ending the loop, whose thread and session it keeps alive.
    private let phase = Mutex(Phase.mounted)
    /// Entered while there is something to free.
    private let alive = DispatchGroup()

    /// Mounts a filesystem. Nothing is answered before `run`, so nobody may look at the mount yet.
    ///
    /// Blocks for as long as `fusermount3` takes. Throws what is wrong and what helps.
    public static func mount(
        _ fileSystem: any FileSystemOperations, at path: FilePath, options: MountOptions,
        notifier: Notifier, log: Logger
    ) throws(MountError) -> Session {
        let mountpoint = try Mountpoint(path)
        let bridge = Bridge(fileSystem: fileSystem, log: log)
        let connection = try Connection.mount(bridge, at: mountpoint, options: options)
        return Session(bridge, connection, notifier, options, log)
    }

    private init(
        _ bridge: Bridge, _ connection: Connection, _ notifier: Notifier, _ options: MountOptions,
        _ log: Logger
    ) {
        self.bridge = bridge
        self.connection = connection
        self.notifier = notifier
        self.options = options
        self.log = log
        alive.enter()
    }

    /// The mountpoint's canonical path.
    public var mountpoint: FilePath { connection.mountpoint.path }

    /// How often the kernel asked for what, by FUSE's names: `lookup`, `readdirplus` ….
    public var calls: [String: UInt64] { bridge.calls.totals }

    // MARK: Serving

    /// Serves requests until somebody unmounts the filesystem or `stop` is called.
    ///
    /// When it returns, every operation has ended, no more notifications are sent, and the mount is
    /// gone. Throws if the connection failed or the session was run or stopped before.
    public func run() async throws(SessionError) {
        let result: Result<Void, SessionError> = await withCheckedContinuation { continuation in
            startThread(named: "fuse-session") { [self] in
                continuation.resume(returning: serve())
            }
        }
        try result.get()
    }

    /// Waits until the kernel has accepted the connection; from then on the mount works.
    ///
    /// Throws `SessionError.endedBeforeReady` if the session ended without having got there.
    public func waitUntilReady() async throws(SessionError) {
        guard await readiness.wait() else { throw .endedBeforeReady }
    }

    /// The loop's thread from beginning to end.
    private func serve() -> Result<Void, SessionError> {
        let isFirst = phase.withLock { phase in
            guard case .mounted = phase else { return false }
            phase = .serving(pthread_self())
            return true
        }
        guard isFirst else { return .failure(.alreadyRun) }
        cfuse_install_wake_handler()
        bridge.whenInitialized { [weak self] in self?.becomeReady() }
        notifier.attach(
            holds: { [bridge] in bridge.pending.holds(now: .now) },
            transmit: connection.notificationTarget.transmit)
        let result = Result { () throws(SessionError) in
            try connection.serve(
                threads: options.maximumThreads, clonesDevice: options.clonesDevice)
        }
        phase.withLock { $0 = .ended }
        readiness.decide(false)
        end()
        return result
    }

    private func becomeReady() {
        if !raiseReadAhead() {
            log.debug("the kernel's readahead stays as it is; only root may raise it")
        }
        log.debug(
            "mounted",
            metadata: [
                "mountpoint": "\(mountpoint)",
                "dropsPrivilegeBits": "\(connection.dropsPrivilegeBits)",
            ])
        readiness.decide(true)
    }

    /// The kernel offers no more than 128 KiB when the connection opens; sysfs takes more after that.
    private func raiseReadAhead() -> Bool {
        let path = FilePath("/sys/class/bdi/0:\(connection.device)/read_ahead_kb")
        guard let file = try? FileDescriptor.open(path, .writeOnly) else { return false }
        defer { try? file.close() }
        return (try? file.writeAll("\(options.readAheadKiB)".utf8)) != nil
    }

    // MARK: Stopping

    /// Unmounts and ends the session, and returns when all is freed.
    ///
    /// The mount disappears from the tree at once. Programs that have files open there may use them
    /// for `grace`; then operations that wait on the network are cancelled, and what is still open
    /// fails with `ENOTCONN`. Stopping twice, or after the end, does nothing more.
    public func stop(grace: Duration = Session.defaultGrace) async {
        await withCheckedContinuation { continuation in
            startThread(named: "fuse-stop") { [self] in
                stopBlocking(grace: grace)
                continuation.resume()
            }
        }
    }

    private func stopBlocking(grace: Duration) {
        let wasServing = phase.withLock { phase in
            defer {
                if case .mounted = phase { phase = .ended }
            }
            if case .mounted = phase { return false }
            return true
        }
        guard wasServing else {
            detach()
            readiness.decide(false)
            end()
            return
        }
        // On a thread of its own: it writes dirty pages through the filesystem, which may take long.
        startThread(named: "fuse-detach") { [self] in detach() }
        if alive.wait(for: grace) { return }
        log.notice("programs still use the mount; ending it", metadata: ["path": "\(mountpoint)"])
        // While requests are still answered, because a notification under way waits for answers.
        _ = bridge.pending.cancelAll(waiting: Self.endLimit)
        _ = notifier.detach(waiting: Self.endLimit)
        repeat {
            endLoop()
        } while !alive.wait(for: .milliseconds(10))
    }

    /// The loop's thread waits for its workers, and looks at the exit flag when a signal wakes it. A
    /// signal that comes before it waits is lost, so that it has to be sent until it works. The loop
    /// may end by itself at any time, and what the flag lies in is freed then.
    private func endLoop() {
        phase.withLock { phase in
            guard case .serving(let thread) = phase else { return }
            connection.exit()
            pthread_kill(thread, cfuse_wake_signal())
        }
    }

    private func detach() {
        guard connection.isMounted else { return }
        do {
            try connection.mountpoint.detach()
        } catch {
            log.error("\(error)")
        }
    }

    /// Ends what the loop has left, and frees the session if nothing can use it any more.
    private func end() {
        // An aborted connection leaves its mount behind, and every access to it fails.
        detach()
        let allEnded = bridge.pending.cancelAll(waiting: Self.endLimit)
        bridge.pending.close()
        let notifierEnded = notifier.detach(waiting: Self.endLimit)
        if !allEnded {
            log.error("operations did not end when cancelled; their answers are dropped")
        }
        if notifierEnded {
            connection.free()
        } else {
            log.error("the kernel holds on to a notification; the connection ends with the process")
        }
        alive.leave()
    }
}

extension DispatchGroup {
    /// Waits for at most so long; false if that was not enough.
    fileprivate func wait(for limit: Duration) -> Bool {
        wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .success
    }
}
