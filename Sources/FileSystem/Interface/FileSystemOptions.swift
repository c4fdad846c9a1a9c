// A user's choices about a mount that the operations need. `Mounting` parses them.

public import Core
public import Tree

/// How the filesystem presents itself and when changes are sent.
public struct FileSystemOptions: Hashable, Sendable {
    /// Owner of every node whose owner was not set.
    public var userID: UInt32
    /// Group of every node whose group was not set.
    public var groupID: UInt32
    /// Permission bits cleared in files, which otherwise have 0666.
    public var fileMask: UInt16 = 0o022
    /// Permission bits cleared in folders, which otherwise have 0777.
    public var folderMask: UInt16 = 0o022
    /// Refuses all changes through this mount.
    public var isReadOnly = false
    /// `fsync` waits until the content is uploaded.
    public var synchronizesRemotely = false
    /// `writeback_cache`: the kernel gathers writes, and keeps the sizes of files itself.
    public var gathersWrites = false
    /// A lookup ignores case and composition.
    public var foldsCase = false
    /// Patterns for names that stay local-only.
    public var ignored = IgnoreRules()
    /// The path of the mount's root in the account, where patterns begin.
    public var rootPath: [FileName] = []
    /// How long a change waits before it may be sent, so that later changes join it: a temporary
    /// file that is renamed over its target never reaches the server.
    public var writeDelay = WriteDelay()

    /// Creates options with the defaults.
    public init(userID: UInt32, groupID: UInt32) {
        self.userID = userID
        self.groupID = groupID
    }

    /// Permission bits of a node whose permissions were not set.
    func defaultPermissions(of kind: FileKind) -> UInt16 {
        switch kind {
        case .directory: 0o777 & ~folderMask
        case .regular: 0o666 & ~fileMask
        case .symbolicLink: 0o777
        }
    }
}
