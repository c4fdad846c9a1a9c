// The helper that umount(8) runs for a filesystem of type `dbxfs` or `fuse.dbxfs`: at shutdown,
// systemd waits for it before it stops the network, so the queue can still be uploaded.

import ArgumentParser
import Fuse
import Glibc
import Mounting

/// `/sbin/umount.fuse.dbxfs TARGET [-flnrv] [-N NAMESPACE] [-t TYPE]`, see umount(8), "External
/// helpers".
struct UnmountHelper: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "umount.dbxfs",
        abstract: "Unmount a Dropbox account, for umount(8).",
        version: ProductVersion.current)

    /// Timeout in seconds for the queue after the detach. systemd gives up on umount(8) after 90.
    private static let drainTimeout = 60.0

    @Argument(help: "Where it is mounted.")
    var mountpoint: String

    @Flag(name: .customShort("f"), help: "Let calls that wait for an answer fail.")
    var force = false

    @Flag(name: .customShort("l"), help: "Detach it although it is in use, and wait for nothing.")
    var lazy = false

    @Flag(name: .customShort("n"), help: "Do not write /etc/mtab; it is never written.")
    var noTable = false

    @Flag(name: .customShort("r"), help: "Mount read-only if it is in use; ignored.")
    var readOnly = false

    @Flag(name: .customShort("v"), help: "Say what was done.")
    var verbose = false

    @OptionGroup var namespace: MountNamespace

    @Option(name: .customShort("t"), help: "The type of the filesystem; ignored.")
    var type: String?

    func run() throws {
        try namespace.enter()
        let mount = RunningMount(at: mountpoint)
        guard let entry = mount.entry else { throw CommandError.nothingToUnmount(mountpoint) }
        guard entry.type == RunningMount.type else {
            throw CommandError.notOurs(path: mount.mountpoint, type: entry.type)
        }
        let environment = Self.environment
        let connection = environment.flatMap { try? mount.connect($0) }
        if let connection {
            _ = try connection.ask(
                ControlRoutes.finish, TimedRequest(timeout: Self.drainTimeout),
                about: mount.mountpoint)
        }
        try Detachment.detach(mount.mountpoint, isLazy: lazy, isForced: force)
        if !lazy, let environment, let connection,
            let outcome = try? mount.outcomeOfDetaching(connection, environment),
            outcome.remaining > 0
        {
            // Not a failure: it is unmounted, and no change is lost.
            Terminal.complain(
                CommandError.stillQueued(operations: outcome.remaining, reason: outcome.reason)
                    .message)
        }
        if verbose { Terminal.print("\(mountpoint) unmounted") }
    }

    /// Where the process of a mount is found. If it is another user's or dead, the mount is only
    /// detached: no error here may keep it from being unmounted.
    private static var environment: Environment? {
        // At shutdown there is no HOME; with one, root's own mounts are searched, too.
        (try? Environment.ofRunningMounts()) ?? (try? Environment(leniently: .system))
    }
}
