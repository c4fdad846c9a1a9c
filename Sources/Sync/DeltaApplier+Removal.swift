// What a deletion is of, and what goes with what the server has no more: files, and folders with all that is
// in them, however deep. What users wrote or moved there stays. Not responsible for telling the kernel.

import Core
import MetadataStore
import RemoteStore
import Staging

extension DeltaApplier {
    /// How many nodes one deletion may make this mount doubt.
    private static let mostDoubts = 16
    /// How many paths of one batch are looked at again: a batch of deletions of what was never known here is long.
    private static let mostDoubtedPaths = 2_000

    /// The server tells that nothing is at a path.
    mutating func applyDeletion(_ entry: RemoteEntry) throws {
        let path = entry.foldedPath.rawValue
        if let node = try transaction.remoteNode(foldedPath: path), node.inode != .root {
            try removeRemote(node)
        } else if isFeed, let node = try transaction.departedNode(foldedPath: path),
            // What lives in a moved folder is told again at its new place.
            node.facts.id.flatMap({ lastIndex[$0] }) == nil
        {
            try removeRemote(node)
        } else if isFeed {
            try doubt(path)
            unknownDeletions.append(path)
        }
    }

    /// The batch may have put folders there since that such a path leads through: what it leads to was in them when
    /// it was deleted, unless the batch tells of it.
    mutating func doubtUnknownDeletions() throws {
        for path in unknownDeletions.prefix(Self.mostDoubtedPaths) {
            guard let id = try transaction.remoteNode(foldedPath: path)?.facts.id,
                lastIndex[id] == nil
            else { continue }
            try transaction.noteUnconfirmed(id)
        }
        unknownDeletions = []
    }

    /// A deletion names a path that no node has. Another client may have moved a folder, and deleted something in it
    /// there, before this mount moved the same folder; no delta tells that place any more. So nodes in moved folders
    /// that the path's last names lead to are noted, to be looked up by their ids.
    private func doubt(_ path: String) throws {
        let nodes = try transaction.nodesInDepartedFolders(
            endingLike: path, limit: Self.mostDoubts)
        for id in nodes.compactMap(\.facts.id) where lastIndex[id] == nil {
            try transaction.noteUnconfirmed(id)
        }
    }

    /// A folder takes another identity. What is in it may have been in the one before, which others have deleted or
    /// moved: a delta that names its old place may not find it any more. A folder that was shared can change its
    /// identity, too, so what is in it stays, and is looked up by id unless the batch tells of it.
    func doubtChildren(of folder: Node) throws {
        let children = try transaction.remoteChildren(of: folder.inode)
        for id in children.compactMap(\.facts.id) where lastIndex[id] == nil {
            try transaction.noteUnconfirmed(id)
        }
    }

    /// A node on its way out: a folder goes after what is in it.
    private struct Removal {
        var node: Node
        /// Users have moved it, by itself or with a folder: it stays where they moved it.
        var isKept: Bool
        var isEmptied = false
    }

    /// The server has a node no more, nor anything below it that does not turn up again.
    ///
    /// The depth of folders is the server's to choose, so they wait in a list, not on the stack.
    mutating func removeRemote(_ node: Node) throws {
        var waiting = [Removal(node: node, isKept: false)]
        while var removal = waiting.popLast() {
            let node = removal.node
            removal.isKept = removal.isKept || state(of: node).presence == .moved
            guard node.kind == .folder, !removal.isEmptied else {
                try removeEmptied(node, isKept: removal.isKept)
                continue
            }
            foldersMoved()
            removal.isEmptied = true
            waiting.append(removal)
            for child in try transaction.remoteChildren(of: node.inode).reversed() {
                let isKept = removal.isKept && child.remote == .inPlace
                waiting.append(Removal(node: child, isKept: isKept))
            }
        }
    }

    private mutating func removeEmptied(_ node: Node, isKept: Bool) throws {
        guard try !detachIfMoved(node) else { return }
        switch node.kind {
        case .folder: try removeRemoteFolder(node, isKept: isKept)
        case .file, .symbolicLink: try removeRemoteFile(node, isKept: isKept)
        }
    }

    private mutating func removeRemoteFile(_ node: Node, isKept: Bool) throws {
        let base = StagedContent.Base(whole: node.facts)
        let deletion = DeletionFacts(isInMovedFolder: isKept, hasRevision: base != nil)
        let resolution = ConflictTable.resolution(of: deletion, against: state(of: node))
        try transaction.setRemoteAbsent(node.inode)
        switch resolution {
        case .keepUnsent, .keepFolder: break
        case .keepLocal: try transaction.withdraw(node.inode)
        case .keepFromRevision:
            guard let base else { return }
            _ = try context.staging.begin(
                node.inode, base: base, size: base.size, in: transaction)
        case .remove:
            if node.place != nil { try transaction.move(node.inode, to: nil) }
            try removeUnlessOpen(node)
            if let place = node.place { announceDeletion(of: node.inode, at: place) }
        }
    }

    private mutating func removeRemoteFolder(_ node: Node, isKept: Bool) throws {
        // What was to be moved into, or out of, a folder that is gone still has its inode here.
        guard let current = try transaction.node(node.inode) else { return }
        if !isFeed, let left = try transaction.remotePlace(of: current) {
            try transaction.noteDeletion(of: current.inode, at: left)
        }
        let deletion = DeletionFacts(
            isInMovedFolder: isKept, isEmpty: try !transaction.hasChildren(current.inode))
        switch ConflictTable.resolution(of: deletion, against: state(of: current)) {
        case .remove:
            try transaction.setRemoteAbsent(current.inode)
            try transaction.remove(current.inode)
            if let place = current.place { announceDeletion(of: current.inode, at: place) }
        case .keepFolder, .keepUnsent, .keepFromRevision, .keepLocal:
            try transaction.setRemoteAbsent(current.inode)
            // What never leaves this machine may be all that is in it.
            try transaction.setFlags(.keptForLocal, true, of: current.inode)
        }
    }

    /// `node` is as it was before it left its place, if it had one.
    func removeUnlessOpen(_ node: Node) throws {
        if context.openFiles.isOpen(node.inode, in: transaction) {
            if let place = node.place { try transaction.noteEviction(of: node.inode, from: place) }
        } else {
            try transaction.remove(node.inode)
        }
    }
}
