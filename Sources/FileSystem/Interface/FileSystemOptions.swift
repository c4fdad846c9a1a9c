// A user's choices about a mount that the operations need. `Mounting` parses them.

package import Core
package import Tree

/// How the filesystem presents itself.
package struct FileSystemOptions: Hashable, Sendable {
    /// Owner of every node whose owner was not set.
    package var userID: UInt32
    /// Group of every node whose group was not set.
    package var groupID: UInt32
    /// Permission bits cleared in files, which otherwise have 0666.
    package var fileMask: UInt16 = 0o022
    /// Permission bits cleared in folders, which otherwise have 0777.
    package var folderMask: UInt16 = 0o022
    /// Refuses all changes through this mount.
    package var isReadOnly = false
    /// `fsync` waits until the content is uploaded.
    package var synchronizesRemotely = false
    /// `writeback_cache`: the kernel gathers writes, and keeps the sizes of files itself.
    package var gathersWrites = false
    /// A lookup ignores case and composition.
    package var foldsCase = false
    /// Names are refused that Dropbox refuses, or takes for a sibling's. Else it gets an alias of
    /// them.
    package var refusesNames = false
    /// Patterns for names that stay local-only.
    package var ignored = IgnoreRules()
    /// Programs that get cached content only: an open that would fetch fails.
    package var cachedOnly = ProgramNames([])
    /// Folders for trash cannot be made, so that file managers offer to delete instead.
    package var refusesTrash = false
    /// The path of the mount's root in the account, where patterns begin.
    package var rootPath: [FileName] = []
    /// Modes, times and attributes are kept on Dropbox, for other machines.
    package var sharesPosix = false

    /// Bytes of names that all folders together keep between two reads.
    package var listingBytes = 32 << 20

    /// Creates options with the defaults.
    package init(userID: UInt32, groupID: UInt32) {
        self.userID = userID
        self.groupID = groupID
    }

    /// How modes, times and attributes are shared.
    package var posix: PosixRules {
        PosixRules(
            isShared: sharesPosix, filePermissions: defaultPermissions(of: .regular),
            folderPermissions: defaultPermissions(of: .directory))
    }

    /// Permission bits of a node whose permissions were not set.
    func defaultPermissions(of kind: FileKind) -> UInt16 {
        switch kind {
        case .directory: 0o777 & ~folderMask
        case .regular, .fifo, .socket: 0o666 & ~fileMask
        case .symbolicLink: 0o777
        }
    }
}
