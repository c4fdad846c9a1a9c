// The helper that mount(8) runs for a filesystem of type `dbxfs` or `fuse.dbxfs`: its command line
// and exit codes. It mounts as `dbxfs mount` does.

import ArgumentParser
import CLinux
import Glibc
import Mounting
import SystemPackage

/// `/sbin/mount.dbxfs SOURCE TARGET [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE]`, see mount(8),
/// "External helpers".
struct MountHelper: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount.dbxfs",
        abstract: "Mount a Dropbox account, for mount(8).",
        version: ProductVersion.current)

    @Argument(help: "What to mount: [ACCOUNT][:/FOLDER].")
    var source: String

    @Argument(help: "An empty directory.")
    var mountpoint: String

    @Flag(name: .customShort("s"), help: "Leave out unknown options instead of failing.")
    var sloppy = false

    @Flag(name: .customShort("f"), help: "Do everything but mount.")
    var fake = false

    @Flag(name: .customShort("n"), help: "Do not write /etc/mtab; it is never written.")
    var noTable = false

    @Flag(name: .customShort("v"), help: "Say what was done.")
    var verbose = false

    @OptionGroup var namespace: MountNamespace

    @Option(name: .customShort("o"), help: "Mount options, as for dbxfs mount.")
    var options: [String] = []

    @Option(name: .customShort("t"), help: "The type that mount(8) was asked for; ignored.")
    var type: String?

    func run() throws {
        try namespace.enter()
        try refuseRemount()
        let arguments = MountArguments(
            source: source, mountpoint: mountpoint, options: options, toleratesUnknown: sloppy)
        let plan = try MountPlan(arguments)
        if !fake { try plan.launch(arguments) }
        if verbose {
            Terminal.print("\(source) \(fake ? "would be" : "is") mounted on \(mountpoint)")
        }
    }

    /// mount(8) hands `-o remount` to the helper, with the options of fstab.
    private func refuseRemount() throws(CommandError) {
        let names = options.flatMap { $0.split(separator: ",") }
        guard names.contains("remount") else { return }
        throw .system(
            "a mount is not made anew by remount: `dbxfs set` changes its options, and `mount -i -o remount,ro` or "
                + "`remount,rw` whether it is read-only")
    }
}

/// The mount namespace for mount(8) and umount(8).
struct MountNamespace: ParsableArguments {
    @Option(
        name: .customShort("N"),
        help: ArgumentHelp("Work in another namespace of mounts.", valueName: "namespace"))
    var path: String?

    /// Enters the namespace. Must run before a second thread does: setns(2) refuses threads that
    /// share their working directory.
    func enter() throws(CommandError) {
        guard let path else { return }
        do {
            let namespace = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            defer { try? namespace.close() }
            guard setns(namespace.rawValue, CLINUX_MOUNT_NAMESPACE) == 0 else {
                throw Errno(rawValue: errno)
            }
        } catch {
            throw .system("\(path) cannot be entered: \(error)")
        }
    }
}
