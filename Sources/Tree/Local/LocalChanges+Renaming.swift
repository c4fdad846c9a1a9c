// Renaming. The server's step is not decided here: it follows from a node's local place and its
// remote one.

package import Core
package import MetadataStore
import Staging

extension LocalChanges {
    /// Renames a node, atomically over an existing target too.
    package mutating func rename(
        _ source: Place, to target: Place, _ mode: RenameMode
    ) throws {
        let folder = try transaction.folder(source.parent)
        let newFolder = try transaction.folder(target.parent)
        let node = try transaction.child(
            source.name, of: folder, known, folding: context.rules.foldsCase)
        if let place = node.place, !place.name.isShown(as: source.name) {
            effects.otherNames.append(place)
        }
        if mode == .exchange {
            try requireWritable(folder)
        } else {
            try requireRemovable(node, from: folder)
        }
        try requireWritable(newFolder)
        if source == target { return }
        var occupant = try occupant(of: target.name, in: newFolder)
        if occupant?.inode == node.inode {
            // Only the spelling changes.
            occupant = nil
        }
        let target = try resolvedTarget(target, in: newFolder, for: node, over: occupant, mode)
        try requireOutside(node, newFolder)
        switch (mode, occupant) {
        case (.exchange, nil): throw TreeError.noEntry
        case (.exchange, let occupant?): try exchange(node, in: folder, occupant, in: newFolder)
        case (.noReplace, .some): throw TreeError.exists
        case (.noReplace, nil), (.replace, nil):
            let isRespelled = node.place?.isSameThere(as: target) ?? false
            let isLocal = try isLocal(
                node, named: target.name, in: newFolder, insteadOf: isRespelled ? node : nil)
            try move(node, to: target, isLocal: isLocal)
        case (.replace, let occupant?): try replace(occupant, by: node, at: target, in: newFolder)
        }
        try transaction.touch(folder.inode, at: now)
        try transaction.touch(newFolder.inode, at: now)
        if let moved = try transaction.node(node.inode) {
            try noteChanged(moved)
            try transaction.shareName(of: moved, by: context.rules.posix)
        }
    }

    /// The target of a rename with the name that the node gets there: the one of the node that is
    /// there, or one with the alias that it needs.
    private mutating func resolvedTarget(
        _ target: Place, in folder: Node, for node: Node, over occupant: Node?, _ mode: RenameMode
    ) throws -> Place {
        var resolved = target
        if let occupant, let place = occupant.place {
            if !place.name.isShown(as: target.name) {
                guard context.rules.foldsCase else {
                    throw mode == .exchange ? TreeError.noEntry : TreeError.exists
                }
                // The replaced node's spelling stays; the kernel has cached the other one.
                effects.otherNames.append(target)
            }
            // With the alias of the replaced node, if it has one and that is still needed.
            resolved = place
            if mode == .replace {
                resolved.name = try transaction.name(of: place, takenBy: node)
            }
        } else if mode != .exchange {
            try requireStorable(target.name)
            resolved.name = try transaction.name(
                shownAs: target.name, in: folder.inode, for: node.inode)
        }
        return resolved
    }

    // MARK: The three kinds

    private mutating func replace(
        _ occupant: Node, by node: Node, at target: Place, in folder: Node
    ) throws {
        switch (node.kind, occupant.kind) {
        case (.folder, .folder): try requireEmpty(occupant)
        case (.folder, _): throw TreeError.notADirectory
        case (_, .folder): throw TreeError.isADirectory
        // An atomic save would make other bytes the document's, perhaps those of its own export.
        case (_, _): if occupant.isCloudDocument { throw TreeError.unsupported }
        }
        let isLocal = try isLocal(
            node, named: target.name, in: folder, insteadOf: occupant)
        try inheritSafety(of: occupant, by: node)
        try transaction.move(occupant.inode, to: nil)
        try noteChanged(occupant)
        try move(node, to: target, isLocal: isLocal)
        try transaction.handOverPin(from: occupant.inode, to: node.inode)
        if !isLocal, node.kind == .file, node.remote == .absent, node.staged != nil,
            occupant.kind == .file, occupant.remote != .absent
        {
            // An atomic save: the content becomes the next revision of the file that it replaces,
            // which keeps its history and its links.
            try transaction.handOverRemote(from: occupant.inode, to: node.inode)
        }
        try settleUnlinked(occupant.inode)
    }

    /// A power cut after an atomic save leaves the replaced content or the new one. Unless the new
    /// one is flushed at once, flushed content that it replaces is its fallback until it is.
    private func inheritSafety(of occupant: Node, by node: Node) throws {
        guard let new = node.staged, !new.isFlushed else { return }
        if try mustBeFlushed(node, over: occupant) {
            try context.staging.file(of: node)?.inheritPromise(in: transaction)
        } else if occupant.staged?.isFlushed == true {
            try transaction.handOverAsFallback(from: occupant.inode, to: node.inode)
        }
    }

    /// Whether unflushed content is flushed before it replaces a node.
    private func mustBeFlushed(_ node: Node, over occupant: Node) throws -> Bool {
        // A file and a link are never revisions of each other. The link is deleted, so without the
        // node's content nothing would have the name.
        if occupant.kind == .symbolicLink { return true }
        // If the edit were lost, the node would have its content on the server, and the occupant is
        // deleted.
        if node.remote != .absent, occupant.kind == .file { return true }
        // If the edit were lost, the node would have its fallback, an earlier content of its own,
        // which has not replaced the occupant.
        if occupant.kind == .file, try transaction.fallback(of: node.inode) != nil { return true }
        guard let old = occupant.staged else { return false }
        // An fsync has promised the replaced content, or only this machine has it.
        if old.promised > 0 || occupant.remote == .absent && old.flushed > 0 { return true }
        if try transaction.fallback(of: occupant.inode) != nil { return true }
        // Handles on the replaced file may write to its content, which is no fallback then.
        return old.isFlushed
            && context.openFiles.isOpen(occupant.inode, in: transaction)
    }

    private func exchange(
        _ first: Node, in folder: Node, _ second: Node, in newFolder: Node
    ) throws {
        try requireOutside(second, folder)
        guard let one = first.place, let other = second.place,
            try isLocal(first, named: other.name, in: newFolder, insteadOf: second)
                == first.flags.contains(.localOnly),
            try isLocal(second, named: one.name, in: folder, insteadOf: first)
                == second.flags.contains(.localOnly)
        else { throw TreeError.invalidArgument }
        try transaction.exchange(first.inode, second.inode)
        try noteChanged(second)
        try transaction.shareName(
            of: transaction.existing(second.inode), by: context.rules.posix)
    }

    // MARK: Moving between what is synced and what is local

    private func isLocal(
        _ node: Node, named name: FileName, in folder: Node, insteadOf occupant: Node? = nil
    ) throws -> Bool {
        let isLocal = try isLocal(name, in: folder, isFolder: node.kind == .folder)
        if keepsHere(node) && node.flags.contains(.localOnly) { return true }
        // A file that the server has under an ignored name stays synced: an atomic save, or another
        // spelling, must not delete it.
        let isOnServer = occupant.map { !$0.flags.contains(.localOnly) } ?? false
        return isLocal && !(isOnServer && NamePolicy(name) != .localOnly)
    }

    private func move(_ node: Node, to target: Place, isLocal: Bool) throws {
        switch (node.flags.contains(.localOnly), isLocal) {
        case (true, true), (false, false):
            try transaction.move(node.inode, to: target)
        case (true, false):
            try transaction.move(node.inode, to: target)
            try makeSynced(node)
        case (false, true):
            try moveOutOfSync(node, to: target)
        }
    }

    /// Makes a synced file or link local-only; the server gets a deletion. If another file takes a
    /// file's old place before that is sent, as in editors that save through such names, it becomes
    /// the next revision.
    private func moveOutOfSync(_ node: Node, to target: Place) throws {
        // At this error mv(1) copies the folder's contents, which fetches them, and deletes the
        // original.
        guard node.kind != .folder else { throw TreeError.crossDevice }
        if node.kind == .file { try requireContent(of: node) }
        try transaction.move(node.inode, to: target)
        if node.remote != .absent { try transaction.leaveTombstone(of: node) }
        try transaction.makeLocalOnly(node.inode)
    }

    /// Throws unless all content of a file is here.
    private func requireContent(of node: Node) throws {
        guard let staged = try context.staging.file(of: node), staged.retired == nil,
            staged.missingRanges.isEmpty
        else {
            // Once the server has deleted the file, only this machine has its bytes.
            throw ContentNeeded(inode: node.inode)
        }
        // Flushed for the same reason.
        try staged.inheritPromise(in: transaction)
    }

    // MARK: Parts

    /// Throws if a node would be moved into itself, or a shared folder into another one, which
    /// Dropbox does not allow.
    private func requireOutside(_ node: Node, _ folder: Node) throws {
        guard node.kind == .folder else { return }
        var current: Node? = folder
        while let ancestor = current {
            if ancestor.inode == node.inode { throw TreeError.invalidArgument }
            if node.facts.sharedFolderID != nil && ancestor.facts.sharedFolderID != nil
                && node.place?.parent != folder.inode
            {
                throw TreeError.notPermitted
            }
            current = try ancestor.place.flatMap { try transaction.node($0.parent) }
        }
    }
}
