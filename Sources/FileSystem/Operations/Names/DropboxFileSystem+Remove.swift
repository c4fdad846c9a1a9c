// Removing names: unlink(2) and rmdir(2).

package import Core
import Sync
import Tree

extension DropboxFileSystem {
    /// Removes the name of a file or link. Open handles keep its content.
    package func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        answer { known in
            let name = try FileName(finding: name)
            try self.changeTree(known) { try $0.removeFile(name, in: parent) }
            self.sync.noteChange()
        }
    }

    /// Removes an empty folder. Sync lists it once more before it deletes the server's folder.
    package func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        answer { known in
            let name = try FileName(finding: name)
            try self.changeTree(known) { try $0.removeFolder(name, in: parent) }
            self.sync.noteChange()
        }
    }
}
