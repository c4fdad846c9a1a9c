// Renaming. The server's step is not decided here: Sync compares a node's local place with its
// remote one.

public import Core
import MetadataStore
import Staging
import Sync

extension DropboxFileSystem {
    /// Renames a node, atomically over an existing target too.
    public func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void> {
        answer { known in
            let source = Place(parent: parent, name: try FileName(finding: name))
            let target = Place(parent: newParent, name: try FileName(creating: newName))
            let done = try self.update { transaction in
                var renaming = Renaming(filesystem: self, transaction: transaction, known: known)
                try renaming.rename(source, to: target, mode)
                return renaming
            }
            done.discarded.forEach(self.staging.removeFile)
            done.otherNames.forEach(self.relay.forgetName)
            self.sync.noteChange()
        }
    }
}

/// One rename within its transaction.
struct Renaming {
    let filesystem: DropboxFileSystem
    let transaction: Transaction
    let known: KnownFolders
    /// Staging files to remove after the commit.
    private(set) var discarded: [Int64] = []
    /// Names to invalidate in the kernel besides source and target.
    private(set) var otherNames: [Place] = []

    init(filesystem: DropboxFileSystem, transaction: Transaction, known: KnownFolders) {
        self.filesystem = filesystem
        self.transaction = transaction
        self.known = known
    }

    mutating func rename(_ source: Place, to target: Place, _ mode: RenameMode) throws {
        let folder = try transaction.folder(source.parent)
        let newFolder = try transaction.folder(target.parent)
        let isFolding = filesystem.options.foldsCase
        let node = try transaction.child(source.name, of: folder, known, folding: isFolding)
        if let place = node.place, place != source { otherNames.append(place) }
        try filesystem.requireWritable(folder)
        try filesystem.requireWritable(newFolder)
        if source == target { return }
        var occupant = try transaction.occupant(of: target.name, in: newFolder, known)
        if occupant?.inode == node.inode {
            // Only the spelling changes.
            occupant = nil
        }
        var target = target
        if isFolding, let place = occupant?.place, place != target {
            // The replaced node's spelling stays; the kernel has cached the other one.
            otherNames.append(target)
            target = place
        }
        if let occupant, occupant.place?.name != target.name {
            throw mode == .exchange ? FileSystemError.noEntry : FileSystemError.exists
        }
        try requireOutside(node, newFolder)
        switch (mode, occupant) {
        case (.exchange, nil): throw FileSystemError.noEntry
        case (.exchange, let occupant?): try exchange(node, in: folder, occupant, in: newFolder)
        case (.noReplace, .some): throw FileSystemError.exists
        case (.noReplace, nil), (.replace, nil): try move(node, to: target, in: newFolder)
        case (.replace, let occupant?): try replace(occupant, by: node, at: target, in: newFolder)
        }
        let now = filesystem.clock.date()
        try transaction.touch(folder.inode, at: now)
        try transaction.touch(newFolder.inode, at: now)
        if let moved = try transaction.node(node.inode) {
            try filesystem.noteChanged(moved, at: now, transaction)
        }
    }

    // MARK: The three kinds

    private mutating func replace(
        _ occupant: Node, by node: Node, at target: Place, in folder: Node
    ) throws {
        switch (node.kind, occupant.kind) {
        case (.folder, .folder): try filesystem.requireEmpty(occupant, known, transaction)
        case (.folder, _): throw FileSystemError.notADirectory
        case (_, .folder): throw FileSystemError.isADirectory
        case (_, _): break
        }
        let isLocal = try isLocal(
            node, named: target.name, in: folder, insteadOf: occupant)
        try inheritSafety(of: occupant, by: node)
        try transaction.move(occupant.inode, to: nil)
        try filesystem.noteChanged(occupant, at: filesystem.clock.date(), transaction)
        try move(node, to: target, isLocal: isLocal)
        try transaction.handOverPin(from: occupant.inode, to: node.inode)
        if !isLocal, node.kind == .file, node.remote == .absent, node.staged != nil,
            occupant.kind == .file, occupant.remote != .absent
        {
            // An atomic save: the content becomes the next revision of the file that it replaces,
            // which keeps its history and its links.
            try transaction.handOverRemote(from: occupant.inode, to: node.inode)
        }
        if let file = try filesystem.settleUnlinked(occupant.inode, transaction) {
            discarded.append(file)
        }
    }

    /// If the replaced content survives a power cut and only this machine has it, the new content
    /// is flushed first. Otherwise a cut after an atomic save would leave neither.
    private func inheritSafety(of occupant: Node, by node: Node) throws {
        guard let old = occupant.staged, node.staged != nil else { return }
        let isPromised = old.promised > 0
        let isOnlyHere = occupant.remote == .absent && old.flushed > 0
        let hasFallback = try transaction.fallback(of: occupant.inode) != nil
        guard isPromised || isOnlyHere || hasFallback else { return }
        try filesystem.staging.file(of: node)?.inheritPromise(in: transaction)
    }

    private mutating func move(_ node: Node, to target: Place, in folder: Node) throws {
        try move(node, to: target, isLocal: try isLocal(node, named: target.name, in: folder))
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
        else { throw FileSystemError.invalidArgument }
        try transaction.exchange(first.inode, second.inode)
        try filesystem.noteChanged(second, at: filesystem.clock.date(), transaction)
    }

    // MARK: Moving between what is synced and what is local

    private func isLocal(
        _ node: Node, named name: FileName, in folder: Node, insteadOf occupant: Node? = nil
    ) throws -> Bool {
        let isLocal = try filesystem.isLocal(
            name, in: folder, isFolder: node.kind == .folder, transaction)
        // A symbolic link is local-only wherever it is.
        if node.kind == .symbolicLink && node.flags.contains(.localOnly) { return true }
        // A file that the server has under an ignored name stays synced: an atomic save must not
        // delete it.
        let isOnServer = occupant.map { !$0.flags.contains(.localOnly) } ?? false
        return isLocal && !(isOnServer && NamePolicy(name) == .synced)
    }

    private func move(_ node: Node, to target: Place, isLocal: Bool) throws {
        switch (node.flags.contains(.localOnly), isLocal) {
        case (true, true), (false, false):
            try transaction.move(node.inode, to: target)
        case (true, false):
            try transaction.move(node.inode, to: target)
            try filesystem.publish(node, transaction)
        case (false, true):
            try withdraw(node, to: target)
        }
    }

    /// Makes a synced file local-only; the server gets a deletion. If another file takes its old
    /// place before that is sent, as in editors that save through such names, it becomes the next
    /// revision.
    private func withdraw(_ node: Node, to target: Place) throws {
        // At this error mv(1) copies the folder's contents, which fetches them, and deletes the
        // original.
        guard node.kind == .file, let old = node.place else { throw FileSystemError.crossDevice }
        guard let staged = try filesystem.staging.file(of: node), staged.retired == nil,
            staged.missingRanges.isEmpty
        else {
            // Once the server has deleted the file, only this machine has its bytes.
            throw ContentNeeded(inode: node.inode)
        }
        // Flushed for the same reason.
        try staged.inheritPromise(in: transaction)
        try transaction.move(node.inode, to: target)
        if node.remote != .absent {
            let tombstone = try transaction.insert(.file, at: old, local: LocalFacts())
            try transaction.handOverRemote(from: node.inode, to: tombstone)
            try transaction.move(tombstone, to: nil)
        }
        try transaction.withdraw(node.inode)
    }

    // MARK: Parts

    /// Throws if a node would be moved into itself, or a shared folder into another one, which
    /// Dropbox does not allow.
    private func requireOutside(_ node: Node, _ folder: Node) throws {
        guard node.kind == .folder else { return }
        var current: Node? = folder
        while let step = current {
            if step.inode == node.inode { throw FileSystemError.invalidArgument }
            if node.facts.sharedFolderID != nil && step.facts.sharedFolderID != nil
                && node.place?.parent != folder.inode
            {
                throw FileSystemError.notPermitted
            }
            current = try step.place.flatMap { try transaction.node($0.parent) }
        }
    }
}
