// The lifecycle of the process behind a mount: prepare, mount, report to the starter, serve, drain,
// end. The mount's parts are in `Mount.swift`.

import Blocking
import Glibc
import Logging
import Mounting
import SystemPackage

/// One process that serves one mount.
struct MountProcess {
    /// Where readiness is reported, and where the log goes.
    enum Mode {
        /// Both to the terminal.
        case foreground
        /// To the process that started this one, and to the account's log file.
        case background
    }

    /// Timeout in seconds for the queue after another process has detached the mount, or after
    /// SIGTERM. Shorter than the 90 s after which systemd kills a service that does not request
    /// more.
    private static let standardDrainLimit = 60.0
    /// Seconds to wait for a process that has lost its mount and still uploads.
    private static let lockTimeout = 15.0

    private let plan: MountPlan
    private let mode: Mode

    init(_ plan: MountPlan, mode: Mode) {
        self.plan = plan
        self.mode = mode
    }

    /// Serves until the mount has ended. Throws the error that prevented it, or the rest of the
    /// queue.
    func run() throws(CommandError) {
        ProcessSettings.holdTerminationSignals()
        let notifier = ServiceNotifier.takeFromEnvironment()
        ProcessSettings.adjustLimits()
        ProcessSettings.returnLargeBuffers()
        let found = try Credentials.find(
            environment: plan.environment, account: plan.source.account,
            login: plan.folders.login, tokenFile: plan.folders.token)
        Environment.forgetToken()
        let mountpoint = try plan.prepareMountpoint()
        try plan.folders.checkApart(from: mountpoint)
        try plan.folders.make()
        let locks = try ProcessSettings.endingOnTermination { () throws(CommandError) in
            try lockFolders(for: mountpoint)
        }
        let unused = UnusedFolders(plan.folders)
        let sink = try makeSink()
        let log = makeLog(sink)
        try ProcessSettings.giveUpCapabilities()
        let credentials = try ProcessSettings.endingOnTermination { () throws(CommandError) in
            try found.unlocked(keyringCaller)
        }
        sink.hide(credentials.secret)
        let (plan, notice) = plan.suited(to: credentials)
        let outcome = try withExtendedLifetime(locks) { () throws(CommandError) in
            do throws(CommandError) {
                let mount = try Mount(
                    plan, mountpoint: mountpoint, credentials: credentials, sink: sink, log: log)
                return try serve(mount, at: mountpoint, notifier, notice: notice, log: log)
            } catch {
                if UnusedFolders.areLeft(by: error) { unused.remove() }
                throw error
            }
        }
        if outcome.remaining > 0 {
            throw .stillQueued(operations: outcome.remaining, reason: outcome.reason)
        }
    }

    // MARK: Preparing

    /// In the background, the command that started this process has asked the user.
    private var keyringCaller: Keyring.Caller {
        switch mode {
        case .foreground: isatty(STDIN_FILENO) == 1 ? .asking : .background
        case .background: .background
        }
    }

    /// Locks the state folder and, because state folders may share it, the cache folder.
    private func lockFolders(for mountpoint: String) throws(CommandError) -> [AccountLock] {
        let holder = AccountLock.Holder(mountpoint: mountpoint)
        let client = ControlClient(folder: plan.controlFolder)
        func isEnding(_ holder: AccountLock.Holder?) -> Bool {
            // A process without a mountpoint, not yet or no longer, may be about to end.
            guard let holder else { return true }
            let connection = try? client.connect(to: holder.mountpoint, process: holder.pid)
            // Another account may be mounted there by now.
            if RunningMount(at: holder.mountpoint).entry != nil,
                connection?.status(timeout: 10)?.state != .finishing
            {
                return false
            }
            connection?.hurry()
            return true
        }
        var locks: [AccountLock] = []
        for folder in [plan.folders.state, plan.folders.cache] {
            locks.append(
                try AccountLock(
                    folder: folder, holder: holder, timeout: Self.lockTimeout, isEnding: isEnding)
            )
        }
        return locks
    }

    private func makeSink() throws(CommandError) -> LogSink {
        switch mode {
        case .foreground: return LogSink()
        case .background:
            // A working directory would keep its filesystem from being unmounted.
            defer { chdir("/") }
            return try LogSink(path: plan.folders.log)
        }
    }

    private func makeLog(_ sink: LogSink) -> Logger {
        sink.setLevel(plan.environment.logLevel)
        LoggingSystem.bootstrap { LineLogHandler(label: $0, sink: sink) }
        return Logger(label: "dbxfs")
    }

    // MARK: Serving

    /// The parts that run beside a mount while it is served.
    private struct Companions {
        let ending: MountEnding
        let server: ControlServer
        let usersServer: ControlServer?
        let metrics: MetricsServer?
        let desktop: DesktopWatch?
        let supervision: ServiceSupervision?
    }

    /// Returns the rest of the queue.
    private func serve(
        _ mount: Mount, at mountpoint: String, _ notifier: ServiceNotifier?,
        notice: String?, log: Logger
    ) throws(CommandError) -> DrainOutcome {
        let companions = try begin(mount, at: mountpoint, notifier, notice: notice, log: log)
        mount.session.waitForEnd()
        return end(mount, at: mountpoint, companions, log)
    }

    /// Mounts, and reports that to the starter.
    private func begin(
        _ mount: Mount, at mountpoint: String, _ notifier: ServiceNotifier?,
        notice loginNotice: String?, log: Logger
    ) throws(CommandError) -> Companions {
        let supervision = notifier.map { notifier in
            ServiceSupervision(notifier) { mount.control.backlog().report }
        }
        let ending = MountEnding(standardLimit: Self.standardDrainLimit) { mount.holdSignals($0) }
        let server: ControlServer
        let usersServer: ControlServer?
        let notice: String?
        let metrics: MetricsServer?
        do throws(CommandError) {
            metrics = try metricsServer(of: mount, at: mountpoint)
        } catch {
            mount.close()
            throw error
        }
        do throws(CommandError) {
            notice = try ProcessSettings.endingOnTermination { () throws(CommandError) in
                try mount.prepare()
            }
            (server, usersServer) = try plan.controlFolder.holding(
                mountpoint, timeout: Self.lockTimeout
            ) { () throws(CommandError) in
                try attach(mount, at: mountpoint, ending, log)
            }
        } catch {
            metrics?.stop()
            mount.close()
            throw error
        }
        metrics?.start()
        endOnSignals(mount, ending, supervision, log)
        log.notice("mounted", metadata: ["mountpoint": "\(mountpoint)"])
        let desktop = desktop(of: mount, log)
        let notices = [loginNotice, notice, desktop.notice].compactMap(\.self)
        announce(notices.isEmpty ? nil : notices.joined(separator: "; "), mount)
        supervision?.ready()
        return Companions(
            ending: ending, server: server, usersServer: usersServer, metrics: metrics,
            desktop: desktop.watch, supervision: supervision)
    }

    /// Sends the queue after the unmount, and ends all parts. Returns the rest of the queue.
    private func end(
        _ mount: Mount, at mountpoint: String, _ companions: Companions, _ log: Logger
    ) -> DrainOutcome {
        let ending = companions.ending
        mount.stopSignals()
        companions.desktop?.stop()
        companions.supervision?.stop()
        log.notice("unmounted", metadata: ["mountpoint": "\(mountpoint)"])
        // A client may come later, and wait for less time.
        let outcome = Drain(limit: ending.limit)
            .run(
                mount.control, isHurried: ending.isHurried,
                limitSince: { ending.limit(since: $0) }, report: { _ in true })
        companions.supervision?.end()
        // Local-only content exists nowhere else and is never uploaded.
        let isEverythingSent = outcome.remaining == 0 && !mount.keepsFiles
        // The numbers of closed parts would be wrong.
        companions.metrics?.stop()
        mount.close()
        log.notice("ended", metadata: ["queued": "\(outcome.remaining)"])
        // Before the unmounting command is told of the end, and may check the mark.
        plan.folders.noteEverythingSent(isEverythingSent)
        ending.end(outcome)
        companions.usersServer?.stop()
        companions.server.stop()
        return outcome
    }

    /// Mounts, and returns the servers of commands, which are started. No other process of this
    /// user mounts there until it returns.
    private func attach(
        _ mount: Mount, at mountpoint: String, _ ending: MountEnding, _ log: Logger
    ) throws(CommandError) -> (ControlServer, ControlServer?) {
        // Since the first check, another process may have mounted there.
        try MountPlan.checkFree(FilePath(mountpoint))
        // Before the kernel lists the mount, so that its socket always exists then.
        let server = try ControlServer(
            folder: plan.controlFolder, mountpoint: mountpoint, service: mount.control,
            ending: ending, log: log)
        do throws(CommandError) {
            try mount.attach()
        } catch {
            server.stop()
            throw error
        }
        server.start()
        let usersServer = usersServer(of: mount, at: mountpoint, ending, log)
        usersServer?.start()
        return (server, usersServer)
    }

    /// Answers the user of the files of a mount that root made; nil if there is none. Without it,
    /// the mount works all the same.
    private func usersServer(
        of mount: Mount, at mountpoint: String, _ ending: MountEnding, _ log: Logger
    ) -> ControlServer? {
        let settings = plan.settings
        guard geteuid() == 0, settings.allowsOthers, let user = settings.user, user != 0 else {
            return nil
        }
        do throws(CommandError) {
            return try ControlServer(
                folder: plan.environment.servedFolder, mountpoint: mountpoint,
                service: mount.control, ending: ending, log: log, servedUser: ServedUser(user))
        } catch {
            log.warning("the user of the files cannot ask: \(error.message)")
            return nil
        }
    }

    /// Listens for scrapers; they get the text of `dbxfs status --metrics`.
    private func metricsServer(
        of mount: Mount, at mountpoint: String
    ) throws(CommandError) -> MetricsServer? {
        guard let address = plan.settings.metrics else { return nil }
        let control = mount.control
        return try MetricsServer(address, mountpoint: mountpoint, folder: plan.controlFolder) {
            StatusMetrics.text([control.status()])
        }
    }

    /// The plug-ins' sockets, if they are wanted and can be had; else a notice.
    private func desktop(
        of mount: Mount, _ log: Logger
    ) -> (watch: DesktopWatch?, notice: String?) {
        guard plan.settings.servesDesktop else { return (nil, nil) }
        do throws(CommandError) {
            guard let home = plan.environment.home else {
                throw .system("system mounts have no home")
            }
            return (try DesktopWatch(mount.control, home: home), nil)
        } catch {
            let notice = "file managers' plug-ins are not served: \(error.message)"
            log.warning("\(notice)")
            return (nil, notice)
        }
    }

    /// The first signal unmounts, the second one stops waiting for the queue.
    private func endOnSignals(
        _ mount: Mount, _ ending: MountEnding, _ supervision: ServiceSupervision?, _ log: Logger
    ) {
        let isFirst = Latch()
        ProcessSettings.onTermination { number in
            // Last, because its disk may hang.
            defer { log.notice("signal received", metadata: ["signal": "\(number)"]) }
            if isFirst.hasHappened { return ending.isHurried.set() }
            isFirst.set()
            ending.setLimit(Self.standardDrainLimit)
            supervision?.stop()
            mount.detach()
        }
    }

    private func announce(_ notice: String?, _ mount: Mount) {
        switch mode {
        case .foreground:
            if let notice { Terminal.complain(notice) }
        case .background:
            // Leaves the terminal and the process group of the mounting command.
            setsid()
            // The starting command has ended, perhaps by Ctrl-C, so the mount is not wanted.
            if !Readiness.report(.ready(notice: notice)) { mount.session.detach() }
        }
    }
}
