// Finds the mount for a path from the user, and the process behind it.

import CLinux
import Fuse
import LocalIO
import Mounting
import SystemPackage

/// A mount of this machine.
struct RunningMount {
    /// Mountpoint as an absolute path.
    let mountpoint: String
    /// The kernel's entry for it; nil if it is detached and its process still uploads.
    let entry: MountTable.Entry?

    /// The mount at exactly this path.
    ///
    /// The path's last component is not accessed if the kernel's table has it: a mount that hangs
    /// would hang this process too.
    init(at path: String) {
        let absolute = FilePath(absolutePath(path))
        let table = MountTable.current()
        var place = FilePath(resolvedPath(absolute.removingLastComponent().string))
        if let name = absolute.lastComponent { place.append(name) }
        if table.topMount(at: place) == nil {
            place = FilePath(resolvedPath(absolute.string))
        }
        mountpoint = place.string
        entry = table.mounted(at: place)
    }

    /// The mount that contains a file or folder.
    init(containing path: String) throws(CommandError) {
        let place = FilePath(resolvedPath(path))
        guard let entry = MountTable.current().mount(containing: place),
            entry.type == Self.type
        else { throw .notMounted(path) }
        mountpoint = entry.path.string
        self.entry = entry
    }

    /// The mount that contains a path, or all mounts of this user.
    static func named(
        _ path: String?, _ environment: Environment
    ) throws(CommandError) -> [RunningMount] {
        if let path { return [try RunningMount(containing: path)] }
        let client = ControlClient(folders: environment.controlFolders)
        let mounts = client.allMounts().map { RunningMount(at: $0.mountpoint) }
        guard !mounts.isEmpty else { throw .nothingMounted }
        return mounts
    }

    /// The path within this mount; "" for the mountpoint.
    func place(of path: String) throws(CommandError) -> String {
        let place = String(resolvedPath(path).utf8.dropFirst(mountpoint.utf8.count))
        guard let place else { throw .nothingThere(path) }
        return place
    }

    /// The path on Dropbox, below the folder that is mounted. It differs from `path` where a name has an alias. The mount is
    /// asked, so no process that serves it may call this.
    func remotePlace(of path: String) throws(CommandError) -> String {
        var value = [UInt8](repeating: 0, count: Self.longestAttribute)
        let count = getxattr(path, "user.dropbox.path", &value, value.count)
        // Dropbox does not have it yet, or it is the mountpoint.
        guard count > 0 else { return try place(of: path) }
        return String(decoding: value.prefix(count), as: UTF8.self)
    }

    /// Bytes of the longest value of an extended attribute (`XATTR_SIZE_MAX`).
    private static let longestAttribute = 65_536

    /// The type under which the kernel lists dbxfs.
    static let type = "fuse.dbxfs"

    /// A connection to its process; nil if none listens.
    func connect(_ environment: Environment) throws(CommandError) -> ControlConnection? {
        try ControlClient(folders: environment.controlFolders)
            .connect(to: mountpoint)
    }

    /// A connection to its process, or an error.
    func connectOrFail(_ environment: Environment) throws(CommandError) -> ControlConnection {
        if let connection = try connect(environment) { return connection }
        guard let entry else { throw .notMounted(mountpoint) }
        guard entry.type == Self.type else {
            throw .notOurs(path: mountpoint, type: entry.type)
        }
        throw .noControl(path: mountpoint, detail: "nobody listens")
    }
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
