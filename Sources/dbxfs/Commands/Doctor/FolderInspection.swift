// Collects the facts about dbxfs's folders. A disk that does not respond is given up after a
// timeout.

import BlockCache
import Blocking
import Fuse
import Glibc
import LocalIO
import Mounting
import SystemPackage

enum FolderInspection {
    /// Seconds for one folder, whose disk may hang.
    private static let timeout = 5.0

    static func facts(
        _ environment: Environment, accounts: [String]
    ) throws(CommandError) -> [FolderFacts] {
        let caches = try environment.cacheFolders(of: accounts)
        let folders: [(FolderFacts.Role, String)] =
            [(.state, environment.stateFolder)] + caches.map { (.cache, $0) }
            + [(.runtime, environment.runtimeFolder)]
        return folders.map { role, path in
            let condition = WorkerThread.within(seconds: timeout) {
                Self.condition(of: path, role)
            }
            return FolderFacts(role: role, path: path, condition: condition ?? .silent)
        }
    }

    private static func condition(
        of path: String, _ role: FolderFacts.Role
    ) -> FolderFacts.Condition {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            return code == ENOENT ? missing(path) : .unusable(Errno(rawValue: code).description)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .unusable("not a directory") }
        guard status.st_uid == geteuid() else { return .foreign }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return .unusable(Errno(rawValue: errno).description)
        }
        guard var filesystem = filesystem(at: path) else {
            return .unusable(Errno(rawValue: errno).description)
        }
        filesystem.mode = UInt32(clamping: status.st_mode & 0o7777)
        if role == .cache, let abilities = try? FilesystemAbilities(probing: path) {
            filesystem.isSparse = abilities.isSparse
            filesystem.isDirect = abilities.isDirect
        }
        return .usable(filesystem)
    }

    /// Whether a folder can be created, judged by its nearest existing parent.
    private static func missing(_ path: String) -> FolderFacts.Condition {
        var parent = FilePath(path)
        var status = stat()
        repeat {
            guard parent.removeLastComponent() else { break }
        } while stat(parent.string, &status) != 0 && errno == ENOENT
        guard access(parent.string, W_OK | X_OK) == 0,
            let filesystem = filesystem(at: parent.string)
        else { return .cannotBeMade(in: parent.string) }
        return .willBeMade(filesystem)
    }

    private static func filesystem(at path: String) -> FolderFacts.Filesystem? {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return nil }
        let mount = MountTable.current().mount(containing: FilePath(resolvedPath(path)))
        return .init(
            type: mount?.type ?? "an unknown filesystem",
            freeBytes: spaceBytes(
                blocks: UInt64(clamping: space.f_bavail), size: UInt64(clamping: space.f_frsize)),
            // Some filesystems allocate inodes on demand, and report 0.
            freeFiles: space.f_files > 0 ? Int64(clamping: space.f_favail) : nil)
    }
}
