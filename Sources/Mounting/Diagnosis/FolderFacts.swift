// What dbxfs needs of the folders that it keeps files in. Facts in, findings out.

/// One of the folders in which dbxfs keeps files.
public struct FolderFacts: Hashable, Sendable {
    /// What it is for.
    public enum Role: String, Hashable, Sendable {
        /// Queue, tree, logins.
        case state
        /// Content that can be fetched again.
        case cache
        /// Sockets.
        case runtime
    }

    /// How it is.
    public enum Condition: Hashable, Sendable {
        /// It can be used.
        case usable(Filesystem)
        /// It is not there, and the first mount makes it.
        case willBeMade(Filesystem)
        /// It is not there, and cannot be made in this one.
        case cannotBeMade(in: String)
        /// It is another user's.
        case foreign
        /// It cannot be used, for this reason.
        case unusable(String)
        /// The disk did not answer in time.
        case silent
    }

    /// What it lies on.
    public struct Filesystem: Hashable, Sendable {
        /// As the kernel calls it, such as `ext4`.
        public var type: String
        /// Bytes that this user may still write.
        public var freeBytes: Int64
        /// Files that this user may still make; nil where there is no such number.
        public var freeFiles: Int64?
        /// Permission bits of the folder, if it is there.
        public var mode: UInt32?
        /// Whether what is not written takes no space; nil when that was not tried.
        public var isSparse: Bool?
        /// Whether files can be read past the page cache; nil when that was not tried.
        public var isDirect: Bool?

        /// Nothing but the space on it is known yet.
        public init(type: String, freeBytes: Int64, freeFiles: Int64?) {
            self.type = type
            self.freeBytes = freeBytes
            self.freeFiles = freeFiles
        }
    }

    /// What it is for.
    public var role: Role
    /// Where it is.
    public var path: String
    /// How it is.
    public var condition: Condition

    /// Names every field.
    public init(role: Role, path: String, condition: Condition) {
        self.role = role
        self.path = path
        self.condition = condition
    }

    // What the database alone may want for a while, and what a few large files would take.
    private static let tooFewBytes: Int64 = 64 << 20
    private static let fewBytes: Int64 = 1 << 30
    private static let tooFewFiles: Int64 = 1000
    private static let fewFiles: Int64 = 10_000

    /// What there is to say: what is bad, or one line that it is good.
    public var findings: [Finding] {
        switch condition {
        case .usable(let filesystem), .willBeMade(let filesystem):
            let found = privacy(filesystem) + space(filesystem) + abilities(filesystem)
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
        // Mounts make the folders in it private.
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

    /// Over a network, SQLite's shared memory does not work, and locks may not.
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
