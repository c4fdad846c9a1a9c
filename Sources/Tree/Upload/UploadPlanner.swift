// The step of a node: the difference between its local and its remote state. Decided within a
// transaction, at the moment of sending; `Uploader` sends it.

import ContentHashing
package import Core
package import MetadataStore
import RemoteStore
import Saturating
package import Staging

/// Decides the next step for a node. It writes rows in four cases:
/// - Facts that this mount does not share are no longer owed.
/// - A link that this mount does not send becomes local-only.
/// - The remote identity of a deleted node goes to a new one, if that keeps a file's history.
/// - A node that has to wait is due a second later.
package struct UploadPlanner {
    /// The nodes that callers wait for: their files are sent with their present content, too, if
    /// they are open.
    package enum Urgency: Sendable {
        case all
        case nodes(Set<InodeID>)

        func contains(_ inode: InodeID) -> Bool {
            switch self {
            case .all: true
            case .nodes(let nodes): nodes.contains(inode)
            }
        }
    }

    package let transaction: Transaction
    package let openFiles: any OpenFileTracking
    package let staging: StagingArea
    package let urgent: Urgency
    /// The date and time of day, to compare with modification times.
    package let date: WallTime
    /// Seconds that a recently written file with an open handle may wait.
    package let openFileInterval: Double
    /// How modes, times and attributes are shared.
    package let posix: PosixRules
    /// Nodes found to wait for a node that is in flight, not due or being written. Valid for this
    /// transaction, which must end before another step can be sent.
    package var waiting: Set<InodeID> = []

    package init(
        transaction: Transaction, openFiles: any OpenFileTracking, staging: StagingArea,
        urgent: Urgency, date: WallTime, openFileInterval: Double, posix: PosixRules = .local
    ) {
        self.transaction = transaction
        self.openFiles = openFiles
        self.staging = staging
        self.urgent = urgent
        self.date = date
        self.openFileInterval = openFileInterval
        self.posix = posix
    }

    /// The next step for a node; `busy` nodes are in flight.
    package func step(for inode: InodeID, busy: Set<InodeID> = []) throws -> UploadStep {
        guard let node = try transaction.node(inode), !node.flags.contains(.localOnly) else {
            return .settled
        }
        guard let place = node.place else { return try deletion(of: node) }
        guard let parentPath = try transaction.remotePath(of: place.parent) else {
            return .waitFor(place.parent)
        }
        if let between = try transaction.nodeBetweenMoves(above: place.parent) {
            // Under that name, the server would create a new folder once the old one has moved on.
            return .waitFor(between)
        }
        let path = RemotePath(rawValue: parentPath).appending(place.name)
        switch node.remote {
        case .absent: return try creation(of: node, at: path, place, busy)
        case .displaced: return try move(of: node, to: path, place, busy)
        case .inPlace: return try update(of: node, at: path, place)
        }
    }

    // MARK: New nodes

    private func creation(
        of node: Node, at path: RemotePath, _ place: Place, _ busy: Set<InodeID>
    ) throws -> UploadStep {
        if let blocked = try step(toFree: place, for: node, busy) {
            return blocked
        }
        // Freeing the place may have transferred the identity of its occupant.
        if let current = try transaction.node(node.inode), current.remote == .inPlace {
            return try update(of: current, at: path, place)
        }
        switch node.kind {
        case .folder: return .makeFolder(at: path)
        case .symbolicLink: return try link(node, at: path)
        case .fifo, .socket: return .settled
        case .file:
            return try content(of: node, at: path, place, expecting: .absent(strict: true))
        }
    }

    /// A new link: a small file, whose facts say what it is.
    private func link(_ node: Node, at path: RemotePath) throws -> UploadStep {
        guard let target = node.facts.target, !posix.keepsHere(node) else {
            // Another mount would have sent it.
            try transaction.makeLocalOnly(node.inode)
            return .settled
        }
        var upload = ContentUpload(
            path: path, expectation: .absent(strict: true), modified: node.modified,
            staged: StagedContent(
                file: 0, size: Int64(clamping: target.content.count), generation: 0, base: nil,
                blocks: []),
            link: target)
        upload.facts = try posix.facts(
            of: node, content: node.modified, told: nil, in: transaction)
        upload.needsFacts = true
        return .upload(upload)
    }

    private func update(of node: Node, at path: RemotePath, _ place: Place) throws -> UploadStep {
        guard let staged = node.staged, let revision = node.facts.revision else {
            return try facts(of: node, at: path)
        }
        if try transaction.isOnServer(staged.hash, as: node) { return .settled }
        if try isUnwritten(node, staged) {
            return !urgent.contains(node.inode) && openFiles.isOpenForWriting(node.inode)
                ? .waitForWriters : .settled
        }
        return try content(of: node, at: path, place, expecting: .revision(revision))
    }

    /// Whether a staging file was begun over the server's content and never written to: the first
    /// write waits for bytes of the base, or has failed.
    private func isUnwritten(_ node: Node, _ staged: StagedContent) throws -> Bool {
        guard try transaction.isOnServer(staged.knownHash, as: node) else { return false }
        return try staging.file(of: node)?.hasUnsavedContent != true
    }

    /// Facts alone, of a node whose place and content the server has.
    private func facts(of node: Node, at path: RemotePath) throws -> UploadStep {
        guard node.flags.contains(.factsOwed) else { return .settled }
        guard posix.isShared else {
            // An earlier mount has shared them.
            try transaction.setFlags(.factsOwed, false, of: node.inode)
            return .settled
        }
        let told = try transaction.toldFacts(of: node.inode)
        return .setFacts(
            FactsUpdate(
                node: RemoteReference(path: path, id: node.facts.id),
                facts: try posix.facts(of: node, told: told, in: transaction)))
    }

    // MARK: Moved nodes

    private func move(
        of node: Node, to path: RemotePath, _ place: Place, _ busy: Set<InodeID>
    ) throws -> UploadStep {
        guard let source = try transaction.remotePath(of: node.inode) else { return .settled }
        if try transaction.isRemote(place.parent, within: node.inode) {
            // The server still has the target folder below this node: the target moves out first.
            return try transaction.folderToMove(outOf: node, above: place.parent)
                .map { .waitFor($0) } ?? .settled
        }
        if let blocked = try step(toFree: place, for: node, busy) {
            return blocked
        }
        let from = RemotePath(rawValue: source)
        let isSameThere = try transaction.remotePlace(of: node)?.isSameThere(as: place) ?? false
        if isSameThere || from == path {
            // Dropbox refuses a rename that changes only case, so it takes two.
            return try between(node, from: from, at: place)
        }
        let isUnseen = try transaction.isUnseenMove(of: node)
        return .move(NodeMove(node, from: from, to: path, isUnseen: isUnseen))
    }

    /// Moves a node to a free temporary name beside the place, from where it will move on.
    private func between(_ node: Node, from: RemotePath, at place: Place) throws -> UploadStep {
        let original = try transaction.remotePlace(of: node)?.name ?? place.name
        var number = 1
        while true {
            let name = try TemporaryName.name(for: original, node.inode, number: number)
            if try transaction.child(folded: name.folded, of: place.parent) == nil,
                try transaction.remoteChild(folded: name.folded, of: place.parent) == nil,
                let parent = try transaction.remotePath(of: place.parent)
            {
                let path = RemotePath(rawValue: parent).appending(name)
                var move = NodeMove(node, from: from, to: path)
                move.seen = node.place
                return .move(move)
            }
            number +|= 1
        }
    }

    /// The step that frees a remote place for a node; nil if it is free.
    private func step(
        toFree place: Place, for node: Node, _ busy: Set<InodeID>
    ) throws -> UploadStep? {
        guard let occupant = try transaction.occupant(of: place),
            occupant.inode != node.inode
        else { return nil }
        if node.mayTakeOver(occupant), !busy.contains(occupant.inode) {
            // Deleted and written again, or renamed away and rewritten: the next revision of the
            // same file, with its history and its links.
            try transaction.handOverRemote(from: occupant.inode, to: node.inode)
            // The name that was told is the deleted file's own.
            try transaction.shareName(of: transaction.existing(node.inode), by: posix)
            if !openFiles.isOpen(occupant.inode, in: transaction) {
                try transaction.remove(occupant.inode)
            }
            return nil
        }
        return .waitFor(occupant.inode)
    }

    /// Returns a step that breaks a cycle of nodes that wait for each other's places, such as two
    /// files that swap names, or a folder created under the name of a node that is to move into it.
    /// The blocking node moves to a temporary name. A tombstone is chosen last, because a deleted
    /// folder cannot be moved in parts. A file that takes the place of a deleted folder above it
    /// moves out of that folder first.
    package func breakCycle(
        of waiting: [InodeID]
    ) throws -> (inode: InodeID, step: UploadStep)? {
        let nodes = try waiting.compactMap { try transaction.node($0) }
        for node in nodes {
            if let path = try pathInDeletedFolder(of: node), let place = node.place {
                return (node.inode, try between(node, from: path, at: place))
            }
        }
        // Also under a key that was not predicted.
        let blocking = try nodes.compactMap(\.place).compactMap { place in
            try transaction.occupant(of: place)?.inode
        }
        let candidates = [nodes.filter { !$0.isTombstone }, nodes.filter(\.isTombstone)]
        for node in candidates.joined() where node.remote == .displaced {
            guard let place = try transaction.remotePlace(of: node),
                let path = try transaction.remotePath(of: node.inode)
            else { continue }
            if blocking.contains(node.inode) {
                return (node.inode, try between(node, from: RemotePath(rawValue: path), at: place))
            }
        }
        return nil
    }

    /// The path of a node that takes the place of a deleted folder above it.
    private func pathInDeletedFolder(of node: Node) throws -> RemotePath? {
        guard node.kind != .folder, node.remote == .displaced, let place = node.place,
            let folder = try transaction.remoteChild(folded: place.name.folded, of: place.parent),
            folder.isTombstone, try transaction.isRemote(node.inode, within: folder.inode)
        else { return nil }
        return try transaction.remotePath(of: node.inode).map { RemotePath(rawValue: $0) }
    }

    // MARK: Deleted nodes

    private func deletion(of node: Node) throws -> UploadStep {
        guard let place = try transaction.remotePlace(of: node),
            let path = try transaction.remotePath(of: node.inode)
        else { return .settled }
        let reference = RemoteReference(path: RemotePath(rawValue: path), id: node.facts.id)
        if let other = try transaction.nodeAwaited(byDeletionOf: node, in: place.parent) {
            return .waitFor(other)
        }
        if node.kind == .folder { return .deleteFolder(reference) }
        return .deleteFile(reference, node.facts.revision)
    }
}

extension TreeReading {
    /// Whether the server has the content with this hash as that of a node. It may have other
    /// content by now, of which only the response was lost.
    func isOnServer(_ hash: ContentHash?, as node: Node) throws -> Bool {
        guard let hash, hash == node.facts.hash else { return false }
        return try !hasIntent(withOtherHashThan: hash, for: node.inode)
    }

    /// The new file in the place of a deleted one, whose next revision its content will become; nil
    /// if there is none.
    func successor(of node: Node) throws -> Node? {
        guard let place = try remotePlace(of: node),
            let successor = try child(folded: place.name.folded, of: place.parent),
            successor.kind == .file, successor.remote == .absent, successor.staged != nil,
            !successor.flags.contains(.localOnly)
        else { return nil }
        return successor
    }
}
