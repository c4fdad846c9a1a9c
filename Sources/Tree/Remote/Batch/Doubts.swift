// The nodes that a batch leaves in doubt: its entries, or the lack of one, may concern them, and
// only the server can say. They are noted, and requested by their IDs after the batch. Not
// responsible for the requests.

import Core
import MetadataStore
import RemoteStore

/// The nodes to be requested by their IDs, and the paths whose nodes may have to be.
struct Doubts {
    /// Number of nodes that one deletion may mark for verification.
    private static let mostNodes = 16

    /// The nodes, although the batch may have them.
    private(set) var ids: Set<FileID> = []

    /// The nodes with unsent changes that have lost their places in a part of a listing.
    private(set) var unlocated: Set<FileID> = []

    mutating func noteUnlocated(_ id: FileID) { unlocated.insert(id) }

    /// Notes that a node is to be requested by its ID.
    mutating func note(_ id: FileID, in transaction: Transaction) throws {
        ids.insert(id)
        try transaction.noteUnconfirmed(id)
    }

    /// Notes nodes that a deletion may concern, unless the batch has them.
    mutating func note(
        _ nodes: [Node], besides batch: DeltaBatch, in transaction: Transaction
    ) throws {
        for id in nodes.compactMap(\.facts.id) where !batch.has(id) {
            try note(id, in: transaction)
        }
    }

    // MARK: Deletions at unknown paths

    /// Handles a deletion at a path that the tree does not know. Another client may have moved a
    /// folder and then deleted a node in it, before this mount moved the same folder: the deletion
    /// has a path that no other delta contains. So nodes in folders that this mount has moved are
    /// noted if they match the last names of the path. A folder that a later entry of the batch
    /// puts at the path leaves its contents in doubt by itself.
    mutating func noteUnknown(
        _ path: String, besides batch: DeltaBatch, in transaction: Transaction
    ) throws {
        let nodes = try transaction.nodesBelowPreviousPaths(endingLike: path, limit: Self.mostNodes)
        try note(nodes, besides: batch, in: transaction)
    }

    // MARK: Contents of folders

    /// Notes the contents of a folder for which the feed has another place than the tree. A batch
    /// that contains a moved folder contains everything in it, too. So a node that the batch lacks
    /// is no longer in the folder, or this mount has put it there and the feed does not know that
    /// yet. The feed need not contain a deletion of such a node: the node may have been at a place
    /// in between that the feed has skipped, or at a path at which another node is now.
    mutating func noteContents(
        of folder: Node, untoldBy batch: DeltaBatch, in transaction: Transaction
    ) throws {
        guard batch.isFeed, folder.kind == .folder else { return }
        var waiting = [folder]
        while let folder = waiting.popLast() {
            guard folder.kind == .folder else { continue }
            for child in try transaction.remoteChildren(of: folder.inode) {
                if let id = child.facts.id, !batch.isToldLater(id) {
                    try note(id, in: transaction)
                }
                waiting.append(child)
            }
        }
    }

    /// Notes the children of a folder whose ID changes. A new ID may mean another folder: then
    /// another client has deleted or moved the former one with its children, and a delta with its
    /// old path may no longer find them. It may also mean the same folder, because sharing changes
    /// the ID. So the children stay, and those that the batch lacks are noted.
    mutating func noteChildren(
        of folder: Node, untoldBy batch: DeltaBatch, in transaction: Transaction
    ) throws {
        let children = try transaction.remoteChildren(of: folder.inode)
        for id in children.compactMap(\.facts.id) where !batch.isToldLater(id) {
            try note(id, in: transaction)
        }
    }
}
