// The keys under which names are filed: predicted for new local names, and corrected by the server,
// which reports its own as the last part of `path_lower` and documents no rule for it. Two local
// names can turn out to be one for the server: then one of them becomes a conflicted copy.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// The local node at a remote place, under any key that its name was filed under until now.
    mutating func seen(at place: Place) throws -> Node? {
        try adoptKey(of: place)
        return try transaction.child(folded: place.name.folded, of: place.parent)
    }

    /// Files the local node of a remote name under the server's key, if it was predicted wrongly.
    mutating func adoptKey(of place: Place) throws {
        guard let key = place.name.key else { return }
        let predicted = Folding.fold(place.name.string)
        guard let local = try transaction.child(folded: predicted, of: place.parent),
            // String equality is canonical equivalence: one name for every server.
            local.place?.name.string == place.name.string
        else { return }
        if let other = try transaction.child(folded: key, of: place.parent) {
            if other.remote == .inPlace {
                // The node that the server has there keeps its place. If both are on the server,
                // the entry tells which one.
                if local.remote != .inPlace { try stepAside(local, for: place.name) }
                return
            }
            try stepAside(other, for: place.name)
        }
        _ = try transaction.file(local.inode, under: key)
    }

    /// Learns the key of a node's name from the entry that blocked its upload. If another local
    /// node has that key, the node becomes a conflicted copy.
    mutating func learnKey(
        of inode: InodeID, from entry: RemoteEntry, at path: RemotePath
    ) throws {
        guard let key = entry.foldedPath.components.last, let node = try transaction.node(inode),
            let place = node.place, let parent = try transaction.remotePath(of: place.parent),
            RemotePath(rawValue: parent).appending(place.name) == path,
            try !transaction.file(inode, under: key)
        else { return }
        try stepAside(node, for: FileName(entry.name.string, key: key))
    }

    /// Adopts the server's spelling of a name, unless users are about to rename it. If only the
    /// composition differs, the user's spelling stays.
    mutating func adoptCase(of node: Node, _ name: FileName) throws {
        guard let known = try transaction.remotePlace(of: node) else { return }
        guard known.name.string != name.string else { return }
        let spelled = Place(parent: known.parent, name: name)
        guard node.remote == .inPlace, let place = node.place else {
            return try transaction.setRemotePlace(
                node.inode, spelled.keepingOwnName(movedFrom: [known]))
        }
        let shown = try spelled.keepingOwnName(movedFrom: [place])
        try transaction.move(node.inode, to: shown)
        try transaction.setRemotePlace(node.inode, spelled)
        announceLeft(place)
        announce(shown)
    }
}
