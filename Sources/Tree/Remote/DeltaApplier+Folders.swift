// The folders of entries: finding them, adding missing ones, and merging two that turn out to be
// the same.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// The place of an entry. Unknown folders above it are added, because the server has them;
    /// folders that users deleted are restored, because they have new contents.
    mutating func place(of entry: RemoteEntry) throws -> Place {
        let place = Place(parent: try folder(at: entry.foldedPath.parent), name: entry.name)
        try adoptKey(of: place)
        return place
    }

    private mutating func folder(at path: RemotePath) throws -> InodeID {
        if let known = lastFolder.inode(at: path) { return known }
        var parent = InodeID.root
        for key in path.components {
            parent = try folder(try FileName(key, key: key), in: parent)
        }
        let isVisible = try parent == .root || transaction.node(parent)?.place != nil
        lastFolder.note(parent, at: path, isVisible: isVisible)
        return parent
    }

    private mutating func folder(_ name: FileName, in parent: InodeID) throws -> InodeID {
        if let known = try transaction.remoteChild(folded: name.folded, of: parent) {
            if known.kind == .folder {
                return known.inode
            }
            try clearRemotePlace(of: known)
        }
        try insertFolder(at: Place(parent: parent, name: name), RemoteFacts())
        guard let made = try transaction.remoteChild(folded: name.folded, of: parent) else {
            return parent
        }
        return made.inode
    }

    /// The place of a folder that seems to contain itself: another client has put another folder at
    /// its place, and moved it into that.
    mutating func place(
        of entry: RemoteEntry, takingOut folder: Node, from place: Place
    ) throws -> Place {
        try noteMove(of: folder, to: place)
        try detachUntilPlaced(folder)
        lastFolder.forget()
        return try self.place(of: entry)
    }

    /// Notes a folder's move that a response, a metadata read or a listing shows before the feed
    /// does. The feed will name deletions in it by its previous path, and its contents by the new
    /// one: those that it does not name there are in doubt then.
    func noteMove(of node: Node, to place: Place) throws {
        guard node.kind == .folder, !batch.isFeed, let left = try transaction.remotePlace(of: node),
            !left.isSameThere(as: place)
        else { return }
        if listing != 0 {
            // Nodes that were seen at the old place, and that no delta has at the new place, are
            // gone. The listing of the old place may be of another folder.
            try transaction.forgetListing(of: node.inode)
        } else {
            try transaction.notePreviousPath(of: node.inode, from: left)
            if let id = node.facts.id { try transaction.noteUnconfirmed(id) }
        }
    }

    /// Merges a folder of unknown ID into the known one that it turns out to be, and recursively
    /// their subfolders of equal names.
    mutating func adoptChildren(of placeholder: Node, into folder: Node) throws {
        lastFolder.forget()
        var waiting = [(placeholder, folder)]
        var adopted: [InodeID] = []
        while let (placeholder, folder) = waiting.popLast() {
            adopted.append(placeholder.inode)
            for child in try transaction.remoteChildren(of: placeholder.inode) {
                guard let name = try transaction.remotePlace(of: child)?.name else { continue }
                let known = try transaction.remoteChild(folded: name.folded, of: folder.inode)
                if let known, known.kind == .folder, child.kind == .folder, child.facts.id == nil {
                    waiting.append((child, known))
                    continue
                }
                let place = Place(parent: folder.inode, name: name)
                try vacate(place, for: child.inode)
                try moveRemote(child, to: place)
            }
        }
        for inode in adopted.reversed() {
            if let node = try transaction.node(inode) { try clearRemotePlace(of: node) }
        }
    }

    /// Merges two nodes that turn out to be one: the first one is removed, its children move to the
    /// second.
    mutating func absorb(_ other: Node, into node: Node) throws {
        lastFolder.forget()
        for child in try transaction.children(of: other.inode) {
            guard let current = try transaction.node(child.inode) else { continue }
            let place = Place(parent: node.inode, name: child.name)
            if let local = try seen(at: place) {
                try stepAside(local, for: place.name)
            }
            try transaction.move(child.inode, to: place)
            if current.remote == .inPlace {
                try transaction.setRemotePlace(child.inode, place)
            }
            // The kernel may know that the folder does not have the name.
            announce(place)
        }
        for child in try transaction.remoteChildren(of: other.inode) {
            guard let place = try transaction.remotePlace(of: child) else { continue }
            try transaction.setRemotePlace(
                child.inode, Place(parent: node.inode, name: place.name))
        }
        if let place = other.place {
            announceDeletion(of: other.inode, at: place)
        }
        try transaction.handOverPin(from: other.inode, to: node.inode)
        try transaction.remove(other.inode)
    }
}
