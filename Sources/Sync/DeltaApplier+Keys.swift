// The keys under which names are filed: predicted for what is new here, and corrected by what the server
// says. Two names that users see as two can turn out to be one.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// What users see at a place of the server's, under any key that its name was filed under until now.
    mutating func seen(at place: Place) throws -> Node? {
        try adoptKey(of: place)
        return try transaction.child(folded: place.name.folded, of: place.parent)
    }

    /// Files what users see by a name of the server's under the server's key, if it was predicted wrongly.
    mutating func adoptKey(of place: Place) throws {
        guard let key = place.name.key else { return }
        let predicted = Folding.fold(place.name.string)
        guard let local = try transaction.child(folded: predicted, of: place.parent),
            // String equality is canonical equivalence: one name for every server.
            local.place?.name.string == place.name.string
        else { return }
        if let other = try transaction.child(folded: key, of: place.parent) {
            if other.remote == .inPlace {
                // What the server has there keeps its place. If it is known to be both, the entry tells which.
                if local.remote != .inPlace { try stepAside(local) }
                return
            }
            try stepAside(other)
        }
        _ = try transaction.file(local.inode, under: key)
    }

    /// A node could not be sent to its place because of what an entry says that the server has there: that
    /// is the key of the node's name, too. Where users see another node under it, the node steps aside.
    mutating func learnKey(
        of inode: InodeID, from entry: RemoteEntry, at path: RemotePath
    ) throws {
        guard let key = entry.foldedPath.components.last, let node = try transaction.node(inode),
            let place = node.place, let parent = try transaction.remotePath(of: place.parent),
            RemotePath(rawValue: parent).appending(place.name) == path,
            try !transaction.file(inode, under: key)
        else { return }
        try stepAside(node)
    }
}
