// The lifecycle of a mount: mounted, served, stopped. Bridge handles requests, the CLI signals.

import CFuse
import Dispatch
package import FileSystem
import Glibc
package import Logging
import Synchronization
package import SystemPackage

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
/// The process must not use paths below its own mountpoint: it would deadlock, and not even SIGKILL
/// ends that.
package final class Session: Sendable {
    /// How long `stop` lets programs with open files continue to use them.
    package static let defaultGrace: Duration = .seconds(2)
    /// How long the end waits for cancelled operations and for the kernel. Remaining ones are
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
    private let decision = MountDecision()
    /// Held for changes of phase and for ending the loop, whose thread and session it keeps alive.
    private let phase = Mutex(Phase.mounted)
    /// Entered while there are resources to free.
    private let alive = DispatchGroup()

    /// Mounts a filesystem. Requests are answered from `run` on, so the mount must not be accessed
    /// yet.
    ///
    /// Blocks for as long as `fusermount3` takes. Throws the cause with its remedy.
    package static func mount(
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
    package var mountpoint: FilePath { connection.mountpoint.path }

    /// The minor number of the mount's device, whose major number is 0.
    package var device: UInt32 { connection.device }

    /// The number of the kernel's requests by FUSE's names: `lookup`, `readdirplus` ….
    package var calls: [String: UInt64] { bridge.calls.totals }

    // MARK: Serving

    /// Serves requests until the filesystem is unmounted or `stop` is called.
    ///
    /// When it returns, every operation has ended, no more notifications are sent, and the mount is
    /// gone. Throws if the connection failed or the session was run or stopped before.
    package func run() async throws(SessionError) {
        let result: Result<Void, SessionError> = await withCheckedContinuation { continuation in
            startThread(named: "fuse-session") { [self] in
                continuation.resume(returning: serve())
            }
        }
        try result.get()
    }

    /// Waits until the kernel has accepted the connection; from then on the mount works.
    ///
    /// Throws `SessionError.endedBeforeReady` if the session ended before that.
    package func waitUntilReady() async throws(SessionError) {
        guard await decision.wait() else { throw .endedBeforeReady }
    }

    /// The body of the loop's thread.
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
        decision.decide(false)
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
        decision.decide(true)
    }

    /// At INIT the kernel accepts no more than 128 KiB; sysfs accepts more after that.
    private func raiseReadAhead() -> Bool {
        let path = FilePath("/sys/class/bdi/0:\(connection.device)/read_ahead_kb")
        guard let file = try? FileDescriptor.open(path, .writeOnly) else { return false }
        defer { try? file.close() }
        return (try? file.writeAll("\(options.readAheadKiB)".utf8)) != nil
    }

    // MARK: Stopping

    /// Unmounts and ends the session, and returns when all resources are freed.
    ///
    /// The mount disappears from the tree at once. Programs with open files may use them for
    /// `grace`; then operations that wait for the network are cancelled, and files still open fail
    /// with `ENOTCONN`. Stopping twice, or after the end, has no effect.
    package func stop(grace: Duration = Session.defaultGrace) async {
        await withCheckedContinuation { continuation in
            startThread(named: "fuse-stop") { [self] in
                stopBlocking(grace: grace)
                continuation.resume()
            }
        }
    }

    private func stopBlocking(grace: Duration) {
        let before = phase.withLock { phase in
            let before = phase
            if case .mounted = phase { phase = .ended }
            return before
        }
        switch before {
        case .mounted:
            detach()
            decision.decide(false)
            end()
            return
        case .serving:
            // On a separate thread: it writes back dirty pages through the filesystem, which may
            // take long.
            startThread(named: "fuse-detach") { [self] in detach() }
        case .ended:
            // The kernel may have given the device's number to another mount.
            break
        }
        if alive.wait(for: grace) { return }
        log.notice("programs still use the mount; ending it", metadata: ["path": "\(mountpoint)"])
        // While requests are still answered, because a notification in flight waits for replies.
        _ = bridge.pending.cancelAll(waiting: Self.endLimit)
        _ = notifier.detach(waiting: Self.endLimit)
        repeat {
            endLoop()
        } while !alive.wait(for: .milliseconds(10))
    }

    /// Has the loop's thread check the exit flag, which it does when a signal wakes it from waiting
    /// for its workers. A signal that comes before the thread waits is lost, so callers repeat this
    /// until the loop has ended. The loop may also end by itself, and then frees the memory of the
    /// flag; the lock excludes that during this call.
    private func endLoop() {
        phase.withLock { phase in
            guard case .serving(let thread) = phase else { return }
            connection.exit()
            pthread_kill(thread, cfuse_wake_signal())
        }
    }

    private func detach(onlyStale: Bool = false) {
        for place in connection.places where !onlyStale || Mountpoint.isStale(place.path) {
            do {
                try place.detach()
            } catch {
                log.error("\(error)")
            }
        }
    }

    /// Cleans up after the loop, and frees the session if it has no remaining users.
    private func end() {
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
        // An aborted connection leaves its mount behind, and every access to it fails. After an
        // unmount from outside, the kernel may have given the device's number to another mount,
        // which answers. Without a closed device, asking for an answer could wait for ever.
        detach(onlyStale: notifierEnded)
        alive.leave()
    }
}

extension DispatchGroup {
    /// Waits for at most `limit`; false on timeout.
    fileprivate func wait(for limit: Duration) -> Bool {
        wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .success
    }
}
