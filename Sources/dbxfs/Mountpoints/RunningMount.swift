// Finds the mount for a path from the user, and the process behind it.

import CLinux
import Fuse
import Glibc
import LocalIO
import Mounting
import SystemPackage

/// A mount of this machine.
struct RunningMount {
    /// Mountpoint as an absolute path.
    let mountpoint: String
    /// The kernel's entry for it; nil if it is detached and its process still uploads.
    let entry: MountTable.Entry?
    /// The absolute path by which it was found, without links; that of the mountpoint if it was
    /// named itself.
    let path: String

    /// Seconds until a process that says nothing counts as one that hangs.
    static let statusTimeout = 10
    /// The process that told of this mount; nil if the mount was found by a path.
    let process: Int32?

    /// The mount at exactly this path.
    ///
    /// The path's last component is not accessed if the kernel's table has it: a mount that hangs
    /// would hang this process too.
    init(at path: String) {
        let absolute = FilePath(absolutePath(path))
        let table = MountTable.current()
        let parent = Self.partlyResolved(absolute.removingLastComponent().string, table)
        var place = FilePath(parent.path)
        if let name = absolute.lastComponent { place.append(name) }
        if table.topMount(at: place) == nil,
            let resolved = try? Self.resolved(absolute.string, table)
        {
            place = FilePath(resolved)
        }
        mountpoint = place.string
        self.path = mountpoint
        entry = table.mounted(at: place)
        process = nil
    }

    /// The mount of which its process tells, at its place of now: a folder above it may have been
    /// renamed since it was mounted.
    init(_ status: MountStatus, in table: MountTable) {
        process = status.pid
        if let device = status.device {
            let places = table.mounts(ofDevice: device).filter { $0.type == Self.type }
            entry =
                places.first { $0.path.string == status.mountpoint }
                ?? places.first { $0.root == "/" } ?? places.first
        } else {
            entry =
                status.state == .finishing
                ? nil : table.mounted(at: FilePath(status.mountpoint))
        }
        mountpoint = entry?.path.string ?? status.mountpoint
        path = mountpoint
    }

    /// The mount that contains a file or folder.
    init(containing path: String) throws(CommandError) {
        let table = MountTable.current()
        let place = try Self.resolved(path, table)
        guard let entry = table.mount(containing: FilePath(place)), entry.type == Self.type else {
            throw .notMounted(path)
        }
        mountpoint = entry.path.string
        self.path = place
        self.entry = entry
        process = nil
    }

    /// A mount that the kernel lists or a process serves.
    private init(mountpoint: String, _ entry: MountTable.Entry?) {
        self.mountpoint = mountpoint
        self.entry = entry
        path = mountpoint
        process = nil
    }

    /// Calls `body` for the mount that contains a path, or for all mounts of this user. Those that
    /// do not answer are named at once, because `body` may take any time, and are an error at the
    /// end.
    static func forEach(
        _ path: String?, _ environment: Environment, _ body: (RunningMount) throws -> Void
    ) throws {
        if let path { return try body(RunningMount(containing: path)) }
        let survey = MountSurvey(environment)
        survey.complain()
        let table = MountTable.current()
        for status in survey.answers { try body(RunningMount(status, in: table)) }
        try survey.refuseUnanswered()
        guard !survey.answers.isEmpty else { throw CommandError.nothingMounted }
    }

    /// The place within this mount of the path by which it was found; "" for the mountpoint.
    func place() throws(CommandError) -> String {
        guard let place = String(path.utf8.dropFirst(mountpoint.utf8.count)) else {
            throw .nothingThere(path)
        }
        // A bind mount may show a folder of the mount.
        guard let entry, entry.type == Self.type, entry.root != "/" else { return place }
        return "\(entry.root)\(place)"
    }

    /// The absolute path of one from the mount's root, as replies have it; nil if this is a bind
    /// mount of a folder that it is not in.
    func shown(_ path: String) -> String? {
        guard let root = attached?.root, root != "/" else { return "\(mountpoint)\(path)" }
        guard isPath(path, within: root) else { return nil }
        return String(path.utf8.dropFirst(root.utf8.count)).map { "\(mountpoint)\($0)" }
    }

    /// Tells the holders of locks that are its process: by that process's own word, because a bind
    /// mount is at another place, and a folder above may have been renamed.
    func isHolder() -> (AccountLock.Holder) -> Bool {
        let connection = (try? connect(Environment.ofRunningMounts())) ?? nil
        let process = connection?.status(timeout: Self.statusTimeout)?.pid
        return { holder in process.map { $0 == holder.pid } ?? (holder.mountpoint == mountpoint) }
    }

    /// The path with symbolic links resolved as far as that accesses no mount of dbxfs.
    private static func partlyResolved(_ path: String, _ table: MountTable) -> PartlyResolvedPath {
        resolvedPath(path) { table.topMount(at: FilePath($0))?.type == type }
    }

    /// The path with symbolic links resolved. The process of a mount on the way is asked first: if
    /// it hangs, a lookup would hang this process, too, and beyond SIGKILL. The path below a mount
    /// whose process cannot be asked is kept as written.
    private static func resolved(
        _ path: String, _ table: MountTable
    ) throws(CommandError) -> String {
        let found = partlyResolved(path, table)
        if let folder = found.folder {
            let mount = RunningMount(mountpoint: folder, table.mounted(at: FilePath(folder)))
            let folders = try Environment.ofRunningMounts().askedFolders
            // By its device, also at a bind mount and after a folder above was renamed.
            guard let connection = try mount.connect(among: folders) else { return found.path }
            // A process that refuses this user's requests does answer.
            guard connection.status(timeout: statusTimeout) != nil || connection.isAbandoned else {
                throw mount.silence
            }
        }
        return resolvedPath(path)
    }

    /// The path on Dropbox, below the folder that is mounted, of the path by which it was found.
    /// The two differ where a name has an alias. The mount is asked, so no process that serves it
    /// may call this.
    func remotePlace() throws(CommandError) -> String {
        var value = [UInt8](repeating: 0, count: Self.longestAttribute)
        let count = getxattr(path, "user.dropbox.path", &value, value.count)
        // Dropbox does not have it yet, or it is the mountpoint.
        guard count > 0 else { return try place() }
        return String(decoding: value.prefix(count), as: UTF8.self)
    }

    /// Bytes of the longest value of an extended attribute (`XATTR_SIZE_MAX`).
    private static let longestAttribute = 65_536

    /// The type under which the kernel lists dbxfs.
    static let type = MountOptions.type

    /// A connection to its process; nil if none listens.
    func connect(_ environment: Environment) throws(CommandError) -> ControlConnection? {
        try connect(among: environment.controlFolders)
    }

    private func connect(
        among folders: [ControlFolder]
    ) throws(CommandError) -> ControlConnection? {
        let client = ControlClient(folders: folders)
        if entry == nil, let process {
            return try client.connect(to: mountpoint, process: process)
        }
        return try client.connect(to: mountpoint, device: device)
    }

    /// The kernel's entry if it is a mount of dbxfs: a process that still uploads may have another
    /// filesystem at its former place.
    var attached: MountTable.Entry? { entry.flatMap { $0.type == Self.type ? $0 : nil } }

    /// The device of a mount of dbxfs.
    var device: String? { attached?.device }

    /// A connection to its process, which is root's if that serves this user, or an error.
    func connectOrFail(_ environment: Environment) throws(CommandError) -> ControlConnection {
        if let connection = try connect(among: environment.askedFolders) { return connection }
        guard let entry else { throw .notMounted(mountpoint) }
        guard entry.type == Self.type else {
            throw .notOurs(path: mountpoint, type: entry.type)
        }
        if isRoots { throw .rootsMount(mountpoint) }
        if Mountpoint.isStale(entry.path) { throw .processGone(mountpoint) }
        throw .noControl(path: mountpoint, detail: "no process listens on its socket")
    }

    /// The error of a process that was reached and does not tell its status.
    var silence: CommandError {
        isRoots
            ? .rootsMount(mountpoint) : .noControl(path: mountpoint, detail: CommandError.silence)
    }

    /// Whether root has made it, and this user is another.
    var isRoots: Bool { geteuid() != 0 && entry?.userID == 0 }
}

extension MountTable {
    /// The mount at exactly this path, except autofs, which is only a trigger.
    func mounted(at place: FilePath) -> Entry? {
        topMount(at: place).flatMap { $0.type == "autofs" ? nil : $0 }
    }
}

extension ControlConnection {
    /// Waits until the queue is uploaded, and shows the progress.
    func synchronize(_ mountpoint: String, timeout: Double?) throws(CommandError) -> DrainOutcome {
        var line = Terminal.ProgressLine()
        var progress = DrainLine()
        defer { line.clear() }
        var reply = try ask(
            ControlRoutes.sync, TimedRequest(timeout: timeout), about: mountpoint)
        while true {
            switch reply {
            case .outcome(let outcome): return outcome
            case .progress(let backlog): line.show(progress.text(backlog, mountpoint))
            }
            reply = try next(ControlRoutes.sync, about: mountpoint)
        }
    }
}
