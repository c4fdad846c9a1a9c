// Remote deletions and the nodes that they remove: files, and folders with all their contents at
// any depth. Nodes that users wrote or moved stay. Not responsible for kernel invalidations.

package import Core
import MetadataStore
import RemoteStore
import Staging

extension DeltaApplier {
    /// Applies a deletion at a path.
    mutating func applyDeletion(_ entry: RemoteEntry) throws {
        let path = entry.foldedPath.rawValue
        let former = batch.isFeed ? try transaction.nodes(previousFoldedPath: path) : []
        if let node = try transaction.remoteNode(foldedPath: path), node.inode != .root {
            try applyDeletion(of: node, at: path, orOf: former)
        } else if batch.hasLeftOut(entry.foldedPath) {
            // The folder that the batch had there is the deleted one, unless the server says else.
            try doubt(former)
        } else if former.count == 1, let node = former.first {
            // A folder that others have moved on appears again, with all that is still in it.
            if !isInBatch(node) { try clearRemotePlace(of: node) }
        } else if !former.isEmpty {
            try doubt(former)
        } else if batch.isFeed {
            try doubts.noteUnknown(path, besides: batch, in: transaction)
        }
    }

    /// Applies a deletion at the path of a node. `former` are the nodes that were at this path
    /// before this mount moved folders: the deletion may be older than the move, and be of a former
    /// node.
    private mutating func applyDeletion(
        of node: Node, at path: String, orOf former: [Node]
    ) throws {
        let former = former.filter { $0.inode != node.inode }
        // The pages of a listing may be older than the move, too.
        if batch.isFeed || listing != 0, let id = node.facts.id, try isAheadOfFeed(id, node.inode) {
            // Earlier entries of the batch may have put contents of a former folder into this one:
            // the answer leaves them in doubt as well.
            try doubts.note(id, in: transaction)
            return try doubt(former)
        }
        try doubt(former)
        if former.isEmpty || isInBatch(node) {
            try clearRemotePlace(of: node)
        } else {
            try doubt([node])
        }
    }

    /// Whether a response has placed a node, and the feed has not been there yet. An earlier entry
    /// of the batch may tell where the node was before the response. A node to which the batch
    /// itself has given the place is where the feed is.
    private func isAheadOfFeed(_ id: FileID, _ inode: InodeID) throws -> Bool {
        try !isPassing(inode) && !batch.hasMerged(inode) && transaction.isUnconfirmed(id)
    }

    /// Whether an entry of the batch has a node.
    private func isInBatch(_ node: Node) -> Bool { node.facts.id.map(batch.has) ?? false }

    /// Leaves nodes in doubt that a deletion may concern, unless the batch has them.
    private mutating func doubt(_ nodes: [Node]) throws {
        try doubts.note(nodes, besides: batch, in: transaction)
    }

    /// Removes a folder without an ID once it is empty, and then those above it. Such a folder was
    /// made for the path of a node below it; the delta of the folder itself brings its ID. If
    /// another client has moved a folder above it, that delta never comes, and without an ID the
    /// folder cannot be requested: it would stay forever.
    mutating func removeEmptyPlaceholder(_ inode: InodeID) throws {
        var inode = inode
        while inode != .root, let folder = try transaction.node(inode), folder.kind == .folder,
            folder.facts.id == nil, let place = try transaction.remotePlace(of: folder),
            try transaction.remoteChildren(of: inode).isEmpty
        {
            try clearRemotePlace(of: folder)
            inode = place.parent
        }
    }

    /// A node that the server no longer has at its place: a folder follows its contents.
    private struct Removal {
        var node: Node
        /// Users have moved it, by itself or with a folder above it: it stays at their place.
        var isMovedByUsers: Bool
        var isEmptied = false
    }

    /// Clears the server's place of a node that is no longer there, and the places of everything
    /// below it. Nodes that the batch has at other places are detached. The others seem to have
    /// been deleted by other clients; the `ConflictTable` decides about them. They need not have
    /// been: a response may show another node at the place before a delta tells where this one was
    /// moved.
    ///
    /// Iterative, because the server decides the depth of folders, which must not exhaust the
    /// stack.
    mutating func clearRemotePlace(of node: Node) throws {
        var waiting = [Removal(node: node, isMovedByUsers: false)]
        while var removal = waiting.popLast() {
            let node = removal.node
            removal.isMovedByUsers = try removal.isMovedByUsers || isMovedByUsers(node)
            guard node.kind == .folder, !removal.isEmptied else {
                try detachOrResolve(removal)
                continue
            }
            lastFolder.forget()
            removal.isEmptied = true
            waiting.append(removal)
            for child in try transaction.remoteChildren(of: node.inode).reversed() {
                let isMovedByUsers = removal.isMovedByUsers && child.remote == .inPlace
                waiting.append(Removal(node: child, isMovedByUsers: isMovedByUsers))
            }
        }
    }

    /// Whether users have moved a node. Another spelling of its name is no move: a deletion meets
    /// the node under either. Nor is an alias that goes back to the own name, which users have seen
    /// all the time.
    private func isMovedByUsers(_ node: Node) throws -> Bool {
        guard state(of: node).presence == .moved, let place = node.place else { return false }
        guard let there = try transaction.remotePlace(of: node) else { return true }
        if there.isSameThere(as: place) { return false }
        return try !transaction.isUnseenMove(of: node)
    }

    private mutating func detachOrResolve(_ removal: Removal) throws {
        guard try !detachIfMoved(removal.node) else { return }
        noteUnlocated(removal.node)
        // The batch has merged a folder or link of users with the server's, and then deletes the
        // latter: users' node is unsent again. The server's may be this mount's own folder, which
        // users had deleted before they made it anew. Of a merged file, the server has the content.
        let inode = removal.node.inode
        if removal.node.kind != .file, batch.hasMerged(inode) {
            return try transaction.setRemoteAbsent(inode)
        }
        switch removal.node.kind {
        case .folder: try resolveDeletion(ofFolder: removal)
        case .file: try resolveDeletion(ofFile: removal)
        case .symbolicLink, .fifo, .socket: try resolveDeletion(ofLink: removal)
        }
    }

    /// Notes a node with unsent changes whose place a part of a listing gives to another, or lacks.
    /// Without it, a later part that has the node elsewhere would bring it without the changes.
    private mutating func noteUnlocated(_ node: Node) {
        guard let located = context.located, let id = node.facts.id, node.hasUnsentChange,
            !located.contains(id)
        else { return }
        doubts.noteUnlocated(id)
    }

    /// Removes a node whose ID the server no longer knows, and the folder that only stood for
    /// its path.
    package mutating func removeMissing(_ id: FileID) throws {
        guard let node = try transaction.node(id: id), node.remote != .absent else { return }
        let folder = try transaction.remotePlace(of: node)?.parent
        try clearRemotePlace(of: node)
        if let folder { try removeEmptyPlaceholder(folder) }
        try giveLeftNames()
        try touchFolders()
    }

    private mutating func resolveDeletion(ofFile removal: Removal) throws {
        let node = removal.node
        let base = StagedContent.Base(whole: node.facts)
        let state = state(of: node)
        let file: DeletedFile =
            state.presence == .deleted
            ? .deletedHere
            : .seen(
                isEdited: state.isEdited, isMovedByUsers: removal.isMovedByUsers,
                hasRevision: base != nil)
        let left = try transaction.remotePlace(of: node)
        try transaction.setRemoteAbsent(node.inode)
        switch ConflictTable.resolution(of: file) {
        case .keepUnsent: break
        case .keepFromRevision:
            guard let base else { return }
            _ = try context.staging.begin(
                node.inode, base: base, size: base.size, in: transaction)
        case .remove: try removeFile(node, from: left)
        }
    }

    private mutating func resolveDeletion(ofLink removal: Removal) throws {
        let node = removal.node
        let link: DeletedLink =
            state(of: node).presence == .deleted
            ? .deletedHere : .seen(isMovedByUsers: removal.isMovedByUsers)
        let left = try transaction.remotePlace(of: node)
        try transaction.setRemoteAbsent(node.inode)
        switch ConflictTable.resolution(of: link) {
        case .keepUnsent:
            if context.posix.keepsHere(node) { try transaction.makeLocalOnly(node.inode) }
        case .remove: try removeFile(node, from: left)
        }
    }

    /// Removes a node that the server no longer has at a place.
    mutating func removeFile(_ node: Node, from left: Place?) throws {
        try transaction.forgetCreations(of: node.inode, at: left)
        if node.place != nil { try transaction.move(node.inode, to: nil) }
        try removeUnlessOpen(node)
        if let place = node.place { announceDeletion(of: node.inode, at: place) }
    }

    private mutating func resolveDeletion(ofFolder removal: Removal) throws {
        // Nodes with an unsent move into, or out of, a removed folder still have its inode.
        guard let current = try transaction.node(removal.node.inode) else { return }
        if !batch.isFeed, let left = try transaction.remotePlace(of: current) {
            try transaction.noteDeletion(of: current.inode, at: left)
        }
        var isEmpty = try !transaction.hasChildren(current.inode)
        if !isEmpty, current.place != nil {
            try releaseHeld(in: current)
            isEmpty = try !transaction.hasChildren(current.inode)
        }
        let folder: DeletedFolder =
            state(of: current).presence == .deleted
            ? .deletedHere
            : .seen(isMovedByUsers: removal.isMovedByUsers, isEmpty: isEmpty)
        switch ConflictTable.resolution(of: folder) {
        case .remove:
            let left = try transaction.remotePlace(of: current)
            try transaction.forgetCreations(of: current.inode, at: left)
            try transaction.setRemoteAbsent(current.inode)
            try transaction.remove(current.inode)
            if let place = current.place { announceDeletion(of: current.inode, at: place) }
        case .keep:
            try transaction.setRemoteAbsent(current.inode)
            // Its contents may be local-only.
            try transaction.setFlags(.keptForLocal, true, of: current.inode)
            announceAttributes(of: current.inode)
        }
    }

    /// Shows nodes between two moves of another client, which are seen in a deleted folder until
    /// the second one, where the server has them: no user has put them there, so they do not keep
    /// it.
    private mutating func releaseHeld(in folder: Node) throws {
        for child in try transaction.children(of: folder.inode) {
            guard let node = try transaction.node(child.inode), node.flags.contains(.betweenMoves),
                let old = node.place, let there = try transaction.remotePlace(of: node),
                try !transaction.isInode(there.parent, within: folder.inode)
            else { continue }
            try bringBack(there.parent)
            try show(node, at: there, movesOn: true)
            try waitForSecondMove(of: node.inode)
            announce(old)
        }
    }

    /// `node` is the state before it left its place, if it had one.
    func removeUnlessOpen(_ node: Node) throws {
        if context.openFiles.isOpen(node.inode, in: transaction) {
            if let place = node.place { try transaction.noteDetached(of: node.inode, from: place) }
        } else {
            try transaction.returnPin(of: node)
            try transaction.remove(node.inode)
        }
    }
}

extension Node {
    /// Whether users have changed, moved or deleted what the server has of it.
    fileprivate var hasUnsentChange: Bool {
        place == nil || remote == .displaced || staged != nil || flags.contains(.factsOwed)
    }
}
