// The prerequisites of dbxfs's folders. Facts in, findings out.

/// One of the folders in which dbxfs keeps files.
package struct FolderFacts: Hashable, Sendable {
    /// The purpose of a folder.
    package enum Role: String, Hashable, Sendable {
        /// Queue, tree and logins.
        case state
        /// Content that can be fetched again.
        case cache
        /// The sockets of running mounts.
        case runtime
    }

    /// The state of a folder.
    package enum Condition: Hashable, Sendable {
        /// It exists and is usable.
        case usable(Filesystem)
        /// It does not exist; the first mount creates it.
        case willBeMade(Filesystem)
        /// It does not exist, and cannot be created in this one.
        case cannotBeMade(in: String)
        /// It belongs to another user.
        case foreign
        /// It is unusable, for this reason.
        case unusable(String)
        /// The disk did not respond in time.
        case silent
    }

    /// The filesystem below a folder.
    package struct Filesystem: Hashable, Sendable {
        /// Its type in /proc/mounts, such as `ext4`.
        package var type: String
        /// Bytes that this user may still write.
        package var freeBytes: Int64
        /// Inodes that this user may still create; nil if the filesystem has no such limit.
        package var freeFiles: Int64?
        /// Permission bits of the folder, if it exists.
        package var mode: UInt32?
        /// Whether it supports sparse files; nil if that was not tested.
        package var isSparse: Bool?
        /// Whether it supports O_DIRECT; nil if that was not tested.
        package var isDirect: Bool?

        /// Creates a filesystem of which only the space is known.
        package init(type: String, freeBytes: Int64, freeFiles: Int64?) {
            self.type = type
            self.freeBytes = freeBytes
            self.freeFiles = freeFiles
        }
    }

    /// The purpose of the folder.
    package var role: Role
    /// Path of the folder.
    package var path: String
    /// The state of the folder.
    package var condition: Condition

    /// Memberwise and without defaults.
    package init(role: Role, path: String, condition: Condition) {
        self.role = role
        self.path = path
        self.condition = condition
    }

    // Space that the database alone may need for a while, and space for a few large files.
    private static let tooFewBytes: Int64 = 64 << 20
    private static let fewBytes: Int64 = 1 << 30
    private static let tooFewFiles: Int64 = 1000
    private static let fewFiles: Int64 = 10_000

    /// The problems and warnings, or one line if there are none.
    package var findings: [Finding] {
        switch condition {
        case .usable(let filesystem), .willBeMade(let filesystem):
            let found = [privacy(filesystem), space(filesystem), abilities(filesystem)]
                .flatMap(\.self)
            let isGood = !found.contains { $0.level == .warning || $0.level == .problem }
            return (isGood ? [finding(.ok, summary(filesystem))] : []) + found
        case .cannotBeMade(let parent):
            return [finding(.problem, "it cannot be made in \(parent): \(elsewhere)")]
        case .foreign:
            return [finding(.problem, CommandError.folderNotPrivate(path).message)]
        case .unusable(let reason):
            return [finding(.problem, "it cannot be used (\(reason)): \(elsewhere)")]
        case .silent:
            return [finding(.problem, "its disk does not answer: look at that first")]
        }
    }

    private var elsewhere: String {
        let setting =
            switch role {
            case .state: "DBXFS_STATE_DIR"
            case .cache: "DBXFS_CACHE_DIR or cache_dir"
            case .runtime: "DBXFS_RUNTIME_DIR"
            }
        return "make it usable, or set \(setting) to a place that you can write to"
    }

    private func finding(_ level: Finding.Level, _ text: String) -> Finding {
        Finding(role.rawValue + "-folder", about: path, level, text)
    }

    private func summary(_ filesystem: Filesystem) -> String {
        let missing = if case .willBeMade = condition { "made by the first mount, " } else { "" }
        return "\(missing)\(Terminal.size(filesystem.freeBytes)) free on \(filesystem.type)"
    }

    private func privacy(_ filesystem: Filesystem) -> [Finding] {
        guard let mode = filesystem.mode, mode & 0o077 != 0 else { return [] }
        guard mode & 0o022 == 0 else {
            return [finding(.problem, "other users can write to it: chmod 700 \(path)")]
        }
        // Mounts create private folders in it.
        return [finding(.note, "other users can see the names in it: chmod 700 \(path)")]
    }

    private func space(_ filesystem: Filesystem) -> [Finding] {
        guard role != .runtime else { return [] }
        var found: [Finding] = []
        if filesystem.freeBytes < Self.fewBytes {
            found.append(
                finding(
                    filesystem.freeBytes < Self.tooFewBytes ? .problem : .warning,
                    "only \(Terminal.size(filesystem.freeBytes)) are free: free some space, or "
                        + "writes fail with \"No space left on device\""))
        }
        if let free = filesystem.freeFiles, free < Self.fewFiles {
            found.append(
                finding(
                    free < Self.tooFewFiles ? .problem : .warning,
                    "only \(free) more files fit there (df -i): remove some"))
        }
        return found
    }

    /// Network filesystems: SQLite's shared memory does not work there, and locks may not.
    private static let networks: Set = [
        "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "glusterfs", "fuse.sshfs",
    ]

    private func abilities(_ filesystem: Filesystem) -> [Finding] {
        var found: [Finding] = []
        if role == .state {
            if Self.networks.contains(filesystem.type) {
                found.append(
                    finding(
                        .warning,
                        "\(filesystem.type) is no place for a database: set DBXFS_STATE_DIR to a "
                            + "local disk"))
            } else if filesystem.type == "tmpfs" {
                found.append(
                    finding(
                        .warning,
                        "it is in memory, and what is queued is lost with the power: set "
                            + "DBXFS_STATE_DIR to a disk"))
            }
        }
        if filesystem.isSparse == false {
            found.append(
                finding(
                    .warning,
                    "\(filesystem.type) has no sparse files: a large file of which a little is read "
                        + "takes all of its size; put it on another filesystem"))
        }
        if filesystem.isDirect == false {
            found.append(
                finding(
                    .note,
                    "\(filesystem.type) cannot be read directly (O_DIRECT): what is read takes "
                        + "memory twice"))
        }
        return found
    }
}
