// `dbxfs unmount`: uploads the queue, detaches the mount, and waits for the end of its process.

import ArgumentParser
import Fuse
import Mounting
import Saturating

struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount",
        abstract: "Wait until everything queued is on Dropbox, and unmount.",
        discussion: """
            With --timeout, unmounts when the time is over whatever is queued, and exits with 3 if \
            something is: it stays queued and is sent by the next mount.
            """,
        aliases: ["umount"])

    /// Seconds until a process that says nothing counts as one that hangs.
    private static let statusTimeout = 10

    @Argument(
        help: "Where it is mounted; may be left out if there is one mount only.",
        completion: .directory)
    var mountpoint: String?

    @Flag(help: "Detach it although it is in use; who is inside may finish.")
    var lazy = false

    @OptionGroup var timeout: TimeoutOption

    func run() throws {
        let mount = try mount()
        guard let connection = try connection(to: mount) else { return }
        do {
            try unmount(mount, connection)
        } catch CommandError.processGone {
            // It has ended while this command waited for it.
            guard let entry = mount.attached, Mountpoint.isStale(entry.path) else {
                throw CommandError.processGone(mount.mountpoint)
            }
            try detach(mount, "is gone")
        }
    }

    private func unmount(_ mount: RunningMount, _ connection: ControlConnection) throws {
        let deadline = Deadline(after: timeout.seconds)
        let before = try connection.synchronize(mount.mountpoint, timeout: timeout.seconds)
        // Changes written between the queue's end and the detach get the rest of the time, or
        // almost none if the queue could not be emptied.
        let rest = before.remaining > 0 ? 0 : deadline.secondsLeft
        _ = try connection.ask(
            ControlRoutes.finish, TimedRequest(timeout: rest), about: mount.mountpoint)
        if mount.attached != nil {
            try Detachment.detach(mount.mountpoint, isLazy: lazy)
        }
        let environment = try Environment.ofRunningMounts()
        let outcome =
            try mount.outcomeOfDetaching(connection, environment, isLazy: lazy)
            ?? queue(of: mount, connection, environment, timeout: rest)
        if outcome.remaining > 0 {
            throw CommandError.stillQueued(
                operations: outcome.remaining, reason: before.reason ?? outcome.reason)
        }
    }

    /// The outcome of waiting for changes until the detach, of a mount that goes on; that of its
    /// end if that comes first.
    private func queue(
        of mount: RunningMount, _ connection: ControlConnection, _ environment: Environment,
        timeout: Double?
    ) throws(CommandError) -> DrainOutcome {
        do throws(CommandError) {
            guard let second = try mount.connect(environment) else {
                throw .processGone(mount.mountpoint)
            }
            return try second.synchronize(mount.mountpoint, timeout: timeout)
        } catch {
            guard case .processGone = error,
                case .outcome(let outcome) = try connection.next(
                    ControlRoutes.finish, about: mount.mountpoint)
            else { throw error }
            return outcome
        }
    }

    private func mount() throws(CommandError) -> RunningMount {
        let environment = try Environment.ofRunningMounts()
        guard let mountpoint else { return try RunningMount.only(environment) }
        let mount = RunningMount(at: mountpoint)
        guard mount.entry == nil,
            let status = try mount.connect(environment)?.status(timeout: Self.statusTimeout)
        else { return mount }
        return RunningMount(status, in: .current())
    }

    /// A connection to the mount's process; nil if it was gone, or hung with `--lazy`, and the
    /// mount was detached.
    private func connection(to mount: RunningMount) throws(CommandError) -> ControlConnection? {
        let found: ControlConnection?
        do throws(CommandError) {
            found = try mount.connect(Environment.ofRunningMounts())
        } catch {
            guard lazy, mount.attached != nil else { throw error }
            try detach(mount, "does not answer")
            return nil
        }
        if let connection = found {
            if connection.status(timeout: Self.statusTimeout) != nil {
                // The queue may take any time.
                connection.setReceiveTimeout(seconds: 0)
                return connection
            }
            guard lazy, mount.attached != nil else {
                throw .noControl(path: mount.mountpoint, detail: CommandError.silence)
            }
            try detach(mount, "does not answer")
            return nil
        }
        guard let entry = mount.entry else {
            throw .nothingToUnmount(mountpoint ?? mount.mountpoint)
        }
        guard entry.type == RunningMount.type else {
            throw .notOurs(path: mount.mountpoint, type: entry.type)
        }
        if mount.isRoots { throw .rootsMount(mount.mountpoint) }
        guard lazy || Mountpoint.isStale(entry.path) else {
            throw .noControl(path: mount.mountpoint, detail: "no process listens on its socket")
        }
        try detach(mount, "is gone")
        return nil
    }

    /// Detaches a mount whose process cannot tell of its queue: the disk tells.
    private func detach(_ mount: RunningMount, _ fate: String) throws(CommandError) {
        try Detachment.detach(mount.mountpoint, isLazy: true)
        Terminal.complain(
            "the process behind \(mount.mountpoint) \(fate): detached without waiting; what is queued stays queued, "
                + "and `dbxfs mount` sends it")
        try refuseQueue(of: mount)
    }

    /// Throws if changes of a detached mount are queued, or if that cannot be read. SQLite allows
    /// readers beside a process that hangs.
    private func refuseQueue(of mount: RunningMount) throws(CommandError) {
        let account = mount.entry.flatMap { try? MountSource(parsing: $0.source) }?.account
        // Root unmounts system mounts, too.
        let environments = [
            try Environment.ofRunningMounts(), try? Environment(leniently: .system),
        ].compactMap(\.self)
        let folders = Set(
            environments.flatMap { environment in
                account.map {
                    AccountFolders.states(
                        of: $0, lastMountedAt: mount.mountpoint, environment: environment)
                } ?? []
            })
        let queues = folders.map { AccountSurvey.pending(in: $0)?.operations }
        let operations = queues.reduce(0) { $0 +| ($1 ?? 0) }
        if operations > 0 { throw .stillQueued(operations: operations, reason: nil) }
        guard !queues.isEmpty, queues.allSatisfy({ $0 != nil }) else {
            throw .queueUnknown(mount.mountpoint)
        }
    }
}
