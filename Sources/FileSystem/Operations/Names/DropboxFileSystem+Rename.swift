// Renaming. The rules are Tree's; the server's step follows from a node's two places.

package import Core
import MetadataStore
import Sync
import Tree

extension DropboxFileSystem {
    /// Renames a node, atomically over an existing target too.
    package func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void> {
        answer { known in
            try self.refuseTrash(newName, in: newParent)
            let source = Place(parent: parent, name: try FileName(finding: name))
            let target = Place(parent: newParent, name: try FileName(creating: newName))
            try self.changeTree(known) { try $0.rename(source, to: target, mode) }
            self.sync.noteChange()
        }
    }
}
