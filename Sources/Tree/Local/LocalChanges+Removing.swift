// Removed names, and what remains of a node without one.

package import Core
import MetadataStore
import Staging

extension LocalChanges {
    /// Removes the name of a file or link. Open handles keep its content.
    package mutating func removeFile(_ name: FileName, in parent: InodeID) throws {
        try remove(name, in: parent) { node in
            if node.kind == .folder { throw TreeError.isADirectory }
        }
    }

    /// Removes an empty folder. Sync lists it once more before it deletes the server's folder.
    package mutating func removeFolder(_ name: FileName, in parent: InodeID) throws {
        let changes = self
        try remove(name, in: parent) { node in
            if node.kind != .folder { throw TreeError.notADirectory }
            try changes.requireEmpty(node)
            let (references, inode) = (changes.context.references, node.inode)
            changes.transaction.afterCommit { references.noteDead(inode) }
        }
    }

    private mutating func remove(
        _ name: FileName, in parent: InodeID, _ check: (Node) throws -> Void
    ) throws {
        let folder = try transaction.folder(parent)
        let node = try transaction.child(name, of: folder, known, folding: context.rules.foldsCase)
        try requireRemovable(node, from: folder)
        try check(node)
        if let place = node.place, !place.name.isShown(as: name) {
            effects.otherNames.append(place)
        }
        let rest = try transaction.delete(node, from: folder, at: now)
        try transaction.touch(folder.inode, at: now)
        try dropUnreachable(rest)
    }

    /// Throws unless a folder may be removed: it must be empty, and no mount point of a shared
    /// folder, because deleting that means leaving the shared folder.
    func requireEmpty(_ folder: Node) throws {
        if try transaction.hasChildren(folder.inode) { throw TreeError.notEmpty }
        try known.requireListing(of: folder)
        if folder.facts.sharedFolderID != nil { throw TreeError.busy }
    }

    // MARK: Without a name

    /// Decides what remains of a node that just lost its name: a deletion for the server, content
    /// for open handles, or nothing.
    mutating func settleUnlinked(_ inode: InodeID) throws {
        if let node = try transaction.node(inode) { try dropUnreachable(node) }
    }

    /// Removes the unreachable parts of a node without a name. If the server has the node, its
    /// content goes when the last handle is closed. Any other node goes as a whole, when the kernel
    /// has forgotten it, too.
    package mutating func dropIfUnlinked(_ inode: InodeID) throws {
        guard let node = try transaction.node(inode), node.place == nil, inode != .root else {
            return
        }
        try dropUnreachable(node)
    }

    private mutating func dropUnreachable(_ node: Node) throws {
        // Marked before the commit, so that a concurrent forget waits for this transaction.
        let isKnown = context.references.noteUnlinked(node.inode)
        if context.openFiles.isOpen(node.inode, in: transaction) { return }
        if node.remote == .absent {
            // All of it goes when the kernel has forgotten the inode, which it does at once if
            // nothing refers to it.
            if isKnown { return }
            try transaction.remove(node.inode)
        } else if node.staged != nil {
            try transaction.removeStaged(of: node.inode)
        }
        if let file = node.staged?.file { effects.freedFiles.append(file) }
    }
}
