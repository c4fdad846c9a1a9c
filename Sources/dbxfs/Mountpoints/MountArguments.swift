// The arguments that `mount` and the serving process share, and the plan made of them.

import ArgumentParser
import Core
import FileSystem
import Fuse
import Glibc
import LocalIO
import Mounting
import Saturating
import SystemPackage
import Tree

/// `[SOURCE] MOUNTPOINT -o …`, as mount(8) passes them too.
struct MountArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "What to mount, and where: [ACCOUNT][:/FOLDER] and an empty directory.",
            discussion: "Without a source, all of the account 'default'.",
            valueName: "source> <mountpoint"),
        completion: .directory)
    var places: [String] = []

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "Mount options, separated by commas; may be repeated.",
            discussion: MountOption.help
                + "Options for mount(8) and systemd (_netdev, nofail, x-… and the like) are ignored.",
            valueName: "options"), completion: .mountOptions)
    var options: [String] = []

    @Option(
        help: ArgumentHelp(
            "Mount this account where the configuration file says.",
            discussion: """
                Else at ~/Dropbox for the account 'default', and at ~/Dropbox-NAME for others. The \
                directory is made if it is missing.
                """,
            valueName: "name"), completion: .accounts)
    var account: String?

    @Flag(help: "Use the folders of system mounts: /etc/dbxfs, /var/lib/dbxfs, /var/cache/dbxfs.")
    var system = false

    /// Ignores unknown options, for `mount -s`.
    @Flag(name: .customShort("s"), help: .hidden)
    var toleratesUnknown = false

    init() {}

    /// The arguments of the mount helper.
    init(source: String, mountpoint: String, options: [String], toleratesUnknown: Bool) {
        places = [source, mountpoint]
        self.options = options
        account = nil
        // With root's rights the system's folders, also with another HOME: the same folders at boot
        // and afterwards.
        system = geteuid() == 0
        self.toleratesUnknown = toleratesUnknown
    }

    mutating func validate() throws {
        // `dbxfs mount` alone: the account without a name, where it belongs.
        if account == nil, places.isEmpty { account = MountSource.standard.account }
        if account != nil {
            guard places.isEmpty else {
                throw ValidationError("--account NAME stands for SOURCE and MOUNTPOINT")
            }
        } else {
            guard (1...2).contains(places.count) else {
                throw ValidationError("name [SOURCE] and MOUNTPOINT, --account NAME, or nothing")
            }
        }
    }

    /// Writes the source with a colon.
    mutating func showAsRemote() throws(CommandError) {
        guard places.count == 2 else { return }
        places[0] = try MountSource(parsing: places[0]).shown
    }

    /// The arguments with which a process of this program serves the same mount.
    var forServing: [String] {
        ["serve"] + options.flatMap { ["-o", $0] } + (account.map { ["--account", $0] } ?? [])
            + (system ? ["--system"] : []) + (toleratesUnknown ? ["-s"] : []) + ["--"] + places
    }
}

/// The plan of a mount, made before any file is changed.
struct MountPlan: Sendable {
    let source: MountSource
    /// The mount's source in the kernel's list: as an fstab line has it, because mount(8) takes the
    /// line for mounted if it finds the same there. Everywhere else with a colon, by which df(1)
    /// and others recognise remote disks.
    let shownSource: String
    private(set) var settings: MountSettings
    /// Patterns for local-only names.
    let ignored: IgnoreRules
    let environment: Environment
    let folders: AccountFolders
    /// As the user wrote it, made absolute.
    let requestedMountpoint: String
    /// Whether a missing mountpoint is created, because the command line does not name it.
    private let makesMountpoint: Bool

    init(_ arguments: MountArguments) throws(CommandError) {
        environment = try Environment(scope: arguments.system ? .system : .user)
        if let account = arguments.account {
            (source, requestedMountpoint) = try environment.standardPlace(of: account)
            shownSource = source.shown
        } else {
            let places = arguments.places
            source = places.count == 2 ? try MountSource(parsing: places[0]) : .standard
            shownSource = places.count == 2 ? places[0] : source.shown
            requestedMountpoint = absolutePath(places[places.count -| 1])
        }
        makesMountpoint = arguments.account != nil
        (settings, ignored) = try Self.values(
            of: source.account, environment, options: arguments.options,
            toleratesUnknown: arguments.toleratesUnknown)
        folders = AccountFolders(
            source: source, settings: settings, environment: environment)
    }

    /// The values of an account's mounts in the configuration file and the command line. Throws if
    /// no mount can have such values.
    static func values(
        of account: String, _ environment: Environment, options: [String] = [],
        toleratesUnknown: Bool = false
    ) throws(CommandError) -> (settings: MountSettings, ignored: IgnoreRules) {
        let settings = try MountSettings(
            parsing: options, over: environment.options(of: account),
            toleratesUnknown: toleratesUnknown)
        if settings.securityContext != nil, geteuid() != 0 {
            throw .mountRefused("context= is for root's mounts: fusermount3 takes no label")
        }
        if let program = settings.eventProgram { try checkProgram(program) }
        return (settings, try IgnoreRules(environment.ignored(of: account)))
    }

    /// Throws if the program of `on_event` cannot be run: the first event may come after weeks.
    private static func checkProgram(_ path: String) throws(CommandError) {
        guard path != MountSettings.notifications else { return }
        var status = stat()
        let reason: String
        if stat(path, &status) != 0 || access(path, X_OK) != 0 {
            reason = Errno(rawValue: errno).description
        } else if status.st_mode & S_IFMT != S_IFREG {
            reason = "not a file"
        } else {
            return
        }
        throw .mountRefused("on_event=\(path) cannot be run: \(reason)")
    }

    var controlFolder: ControlFolder { ControlFolder(path: environment.runtimeFolder) }

    /// This plan for a login, and a notice if the login allows less than the user wants: changes
    /// that Dropbox would never take are refused at once.
    func suited(to credentials: Credentials) -> (plan: MountPlan, notice: String?) {
        guard credentials.isReadOnly, !settings.isReadOnly else { return (self, nil) }
        var plan = self
        plan.settings.isReadOnly = true
        let login = CommandError.login(source.account, environment.scope)
        return (
            plan,
            "mounted read-only, because the login may only read; to write, unmount and run: \(login)"
        )
    }

    /// Timeout in seconds for the kernel to notice that a mount's process was killed.
    private static let deathTimeout = 3.0

    /// The checked mountpoint, after detaching a dead mount there.
    ///
    /// Not for the process that serves a mount at this place already: it would wait for itself.
    func prepareMountpoint() throws(CommandError) -> String {
        let path = FilePath(requestedMountpoint)
        if makesMountpoint { mkdir(requestedMountpoint, 0o700) }
        try clearDeadMount(at: RunningMount(at: requestedMountpoint))
        let mountpoint: FilePath
        do throws(Fuse.MountError) {
            try Mountpoint.detachStale(path)
            mountpoint = try Mountpoint(path).path
        } catch {
            if case .mountpointBusy(let path, _) = error { throw .alreadyMounted(path.string) }
            throw .mountRefused(error.description)
        }
        try Self.checkFree(mountpoint)
        guard try isEmptyFolder(mountpoint.string) else {
            throw .mountpointNotEmpty(mountpoint.string)
        }
        return mountpoint.string
    }

    /// Throws if something is mounted at a canonical path.
    static func checkFree(_ mountpoint: FilePath) throws(CommandError) {
        if MountTable.current().mounted(at: mountpoint) != nil, mountpoint != "/" {
            throw .alreadyMounted(mountpoint.string)
        }
    }

    /// Detaches a mount of dbxfs whose process has ended.
    ///
    /// Right after `kill -9` the kernel may not have noticed yet.
    private func clearDeadMount(at mount: RunningMount) throws(CommandError) {
        guard mount.entry?.type == RunningMount.type,
            try ControlClient(folder: controlFolder).connect(to: mount.mountpoint) == nil
        else { return }
        let end = ContinuousClock.now.advanced(by: .seconds(Self.deathTimeout))
        while ContinuousClock.now < end {
            if Mountpoint.isStale(FilePath(mount.mountpoint)) {
                return try Detachment.detach(mount.mountpoint, isLazy: true)
            }
            usleep(50_000)
        }
    }
}

extension IgnoreRules {
    /// Reads patterns of the configuration file, later ones after earlier ones.
    fileprivate init(_ sources: [IgnorePatterns]) throws(CommandError) {
        self.init()
        for source in sources {
            do throws(Malformed) {
                try append(parsing: source.text)
            } catch {
                throw source.malformed(line: error.line, reason: error.reason)
            }
        }
    }
}
