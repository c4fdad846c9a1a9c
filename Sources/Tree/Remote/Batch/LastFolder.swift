// The folder of the last entry, for the next one, which mostly is in the same.

import Core
import RemoteStore

/// The folder at the path that was looked up last; none after a folder may have moved.
struct LastFolder {
    private var folder: (path: String, inode: InodeID, isVisible: Bool)?

    /// Whether users see the folder. False if there is none.
    var isVisible: Bool { folder?.isVisible ?? false }

    /// The folder, if it is the one at this path.
    func inode(at path: RemotePath) -> InodeID? {
        guard let folder, folder.path.utf8.elementsEqual(path.rawValue.utf8) else { return nil }
        return folder.inode
    }

    mutating func note(_ inode: InodeID, at path: RemotePath, isVisible: Bool) {
        folder = (path.rawValue, inode, isVisible)
    }

    mutating func forget() { folder = nil }
}
