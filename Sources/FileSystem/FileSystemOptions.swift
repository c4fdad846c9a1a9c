// What a user chooses about a mount that operations must know. How options are written on a command
// line is the affair of `Mounting`.

public import Core

/// How the filesystem presents itself and when it passes changes on.
public struct FileSystemOptions: Hashable, Sendable {
    /// Owner of everything whose owner nobody set.
    public var userID: UInt32
    /// Group of everything whose group nobody set.
    public var groupID: UInt32
    /// Permission bits taken from files, which otherwise have 0666.
    public var fileMask: UInt16 = 0o022
    /// Permission bits taken from folders, which otherwise have 0777.
    public var folderMask: UInt16 = 0o022
    /// Nothing can be changed through this mount.
    public var isReadOnly = false
    /// `fsync` waits until the content is on the server.
    public var synchronizesRemotely = false
    /// The kernel gathers writes before it passes them on, and keeps the sizes of files for itself.
    public var gathersWrites = false
    /// A name also finds what differs from it in case or composition only.
    public var foldsCase = false
    /// What stays on this machine.
    public var ignored = IgnoreRules()
    /// Where the mount's root is in the account, from the top folder on: patterns begin there.
    public var rootPath: [FileName] = []
    /// How long after a change it may be sent at first, so that changes which follow each other become one: a
    /// temporary file that is renamed over its target never reaches the server.
    public var writeDelay = WriteDelay()

    /// Starts from the defaults.
    public init(userID: UInt32, groupID: UInt32) {
        self.userID = userID
        self.groupID = groupID
    }

    /// Permission bits of a node whose permissions nobody set.
    func defaultPermissions(of kind: FileKind) -> UInt16 {
        switch kind {
        case .directory: 0o777 & ~folderMask
        case .regular: 0o666 & ~fileMask
        case .symbolicLink: 0o777
        }
    }
}
