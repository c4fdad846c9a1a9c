// The arguments that `mount` and the process behind it share, and what follows from them.

import ArgumentParser
import Fuse
import Glibc
import Mounting
import SystemPackage

/// `[SOURCE] MOUNTPOINT -o …`, as mount(8) passes them too.
struct MountArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "What to mount, and where: [ACCOUNT][:/FOLDER] and an empty directory.",
            discussion: "Without a source, all of the account 'default'.",
            valueName: "source> <mountpoint"))
    var places: [String]

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "Mount options, separated by commas; may be repeated.",
            discussion: """
                ro                   nothing can be changed
                allow_other          other users may enter
                allow_root           root may enter
                default_permissions  the kernel checks permission bits
                uid=N, gid=N         owner and group to show
                umask=, fmask=, dmask=
                                     permission bits to take away, in octal
                fsync=local|remote   when fsync(2) returns
                writeback_cache      the kernel gathers small writes
                cache_dir=PATH       where cached content lies
                cache_size=SIZE      how much of it is kept, such as 20G
                write_delay=TIME     time between a file's last change and its upload, such as 5s
                case=exact|fold      whether a name also finds what differs in case only
                root=home|team|ID    what paths start from: the person's folder, the team's whole
                                     space, or a team folder or shared folder by its number
                member=ID            the member (dbmid:…) as whom a team's token acts
                bwlimit_up=SIZE, bwlimit_down=SIZE
                                     bytes per second, such as 2M
                Options for mount(8) and systemd (_netdev, nofail, x-… and the like) are ignored.
                """,
            valueName: "options"))
    var options: [String] = []

    func validate() throws {
        guard (1...2).contains(places.count) else {
            throw ValidationError("Name [SOURCE] and MOUNTPOINT.")
        }
    }

    /// The arguments with which a process of this program gets the same mount.
    var forServing: [String] {
        ["serve"] + options.flatMap { ["-o", $0] } + ["--"] + places
    }
}

/// Everything that is known before anything is touched.
struct MountPlan: Sendable {
    let source: MountSource
    let settings: MountSettings
    let environment: Environment
    let folders: AccountFolders
    /// As the user wrote it, from the root on.
    let requestedMountpoint: String

    init(_ arguments: MountArguments) throws(CommandError) {
        let places = arguments.places
        source = places.count == 2 ? try MountSource(parsing: places[0]) : .standard
        settings = try MountSettings(parsing: arguments.options)
        environment = try Environment()
        folders = AccountFolders(
            source: source, settings: settings, environment: environment)
        requestedMountpoint = absolutePath(places[places.count - 1])
    }

    var controlFolder: ControlFolder { ControlFolder(path: environment.runtimeFolder) }

    /// Seconds that a mount whose process was killed gets to show that it is dead.
    private static let deathPatience = 3.0

    /// The mountpoint, checked, with what a dead process left there cleared away.
    ///
    /// Not for the process that serves a mount at this place already: it would wait for itself.
    func prepareMountpoint() throws(CommandError) -> String {
        let path = FilePath(requestedMountpoint)
        try clearDeadMount(at: RunningMount(at: requestedMountpoint))
        let mountpoint: FilePath
        do throws(Fuse.MountError) {
            try Mountpoint.detachStale(path)
            mountpoint = try Mountpoint(path).path
        } catch {
            if case .mountpointBusy(let path, _) = error { throw .alreadyMounted(path.string) }
            throw .mountRefused(error.description)
        }
        if MountTable.current().topMount(at: mountpoint) != nil, mountpoint != "/" {
            throw .alreadyMounted(mountpoint.string)
        }
        guard try isEmptyFolder(mountpoint.string) else {
            throw .mountpointNotEmpty(mountpoint.string)
        }
        return mountpoint.string
    }

    /// Detaches a mount of ours that nobody serves any more.
    ///
    /// Right after `kill -9` the kernel may not have noticed yet, and `stat` is answered from its cache
    /// for long after that; to open the folder, it must ask.
    private func clearDeadMount(at mount: RunningMount) throws(CommandError) {
        guard mount.entry?.type == RunningMount.type,
            try ControlClient(folder: controlFolder).connect(to: mount.mountpoint) == nil
        else { return }
        let end = ContinuousClock.now + .seconds(Self.deathPatience)
        while ContinuousClock.now < end {
            let folder = open(mount.mountpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if folder < 0, errno == ENOTCONN || errno == ECONNABORTED {
                return try Detachment.detach(mount.mountpoint, isLazy: true)
            }
            close(folder)
            usleep(50_000)
        }
    }
}
