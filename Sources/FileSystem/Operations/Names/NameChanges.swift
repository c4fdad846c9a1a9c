// Renaming and removing: rename(2), unlink(2), rmdir(2). The rules are Tree's; the server's step
// follows from a node's two places.

import Core
import MetadataStore
import Sync
import Tree

/// Changes and removes names.
final class NameChanges: Sendable {
    private let tree: LocalTree
    private let attempts: StoreAttempts
    private let sync: any Syncing
    private let options: FileSystemOptions

    init(tree: LocalTree, attempts: StoreAttempts, sync: any Syncing, options: FileSystemOptions) {
        self.tree = tree
        self.attempts = attempts
        self.sync = sync
        self.options = options
    }

    /// Renames a node, atomically over an existing target too.
    func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void> {
        attempts.answer { known in
            try self.options.refuseTrash(newName, in: newParent)
            let source = Place(parent: parent, name: try FileName(finding: name))
            let target = Place(parent: newParent, name: try FileName(creating: newName))
            try self.tree.change(known) { try $0.rename(source, to: target, mode) }
            self.sync.noteChange()
        }
    }

    /// Removes the name of a file or link. Open handles keep its content.
    func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        attempts.answer { known in
            let name = try FileName(finding: name)
            try self.tree.change(known, space: .release) {
                try $0.removeFile(name, in: parent)
            }
            self.sync.noteChange()
        }
    }

    /// Removes an empty folder. Sync lists it once more before it deletes the server's folder.
    func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        attempts.answer { known in
            let name = try FileName(finding: name)
            try self.tree.change(known, space: .release) {
                try $0.removeFolder(name, in: parent)
            }
            self.sync.noteChange()
        }
    }
}
