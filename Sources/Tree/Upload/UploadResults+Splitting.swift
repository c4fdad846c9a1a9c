// The server refuses to move a folder with too many entries at once. Such a folder is split: this
// mount makes a new folder, moves each node of the former one into it by itself, and then deletes
// the former one. A subfolder that is too large is split as well. If other clients delete the
// former folder before that, the nodes in it count as moved files of the conflict table (rows M3,
// M5). Not responsible for these steps, which follow from the rows (`UploadPlanner.swift`).

package import Core
import MetadataStore

/// Whether a folder that was refused because of its size is moved in parts.
package enum FolderSplit: Hashable, Sendable {
    /// The next steps follow from the rows.
    case isSplit
    /// Not yet: contents that are unknown here would stay behind.
    case isNotListed
    /// Not possible: the new folder would have the place of the former one.
    case changesOnlyCase
    /// Not possible: the members of the shared folder would lose its contents.
    case isShared
    /// Not possible: a deleted folder is in the way of a node that is no folder.
    case isDeleted
}

extension UploadResults {
    /// Has a folder moved in parts.
    package func split(_ inode: InodeID) throws -> FolderSplit {
        guard let folder = try transaction.node(inode), folder.remote == .displaced,
            let there = try transaction.remotePlace(of: folder)
        else { return .isSplit }
        if context.isListing || !context.isTreeComplete { return .isNotListed }
        guard let place = folder.place else { return try replace(folder, at: there) }
        // The server may file a name under another key than the predicted one.
        let isSameName = place.name == there.name || place.name.folded == there.name.folded
        if place.parent == there.parent, isSameName { return .changesOnlyCase }
        return try split(folder)
    }

    private func split(_ folder: Node) throws -> FolderSplit {
        // Without its mount point, the account is no longer a member of the shared folder.
        if folder.facts.sharedFolderID != nil { return .isShared }
        let tombstone = try transaction.split(folder.inode)
        // If others store something in it, it comes back, with the facts that the server has.
        if let told = try transaction.toldFacts(of: tombstone),
            let node = try transaction.node(tombstone)
        {
            _ = try transaction.takeFacts(told, over: nil, of: node, by: context.posix)
        }
        return .isSplit
    }

    /// Gives the folder that users see at the place of a deleted folder the deleted folder on the
    /// server. Otherwise the contents of the deleted folder would have to leave before the place is
    /// free, and they wait for the place themselves.
    private func replace(_ tombstone: Node, at place: Place) throws -> FolderSplit {
        guard let local = try transaction.child(folded: place.name.folded, of: place.parent),
            local.kind == .folder, !local.flags.contains(.localOnly)
        else { return .isDeleted }
        if local.remote != .absent {
            let split = try split(local)
            guard split == .isSplit else { return split }
        }
        try transaction.handOverFolder(from: tombstone.inode, to: local.inode)
        try transaction.remove(tombstone.inode)
        return .isSplit
    }
}
