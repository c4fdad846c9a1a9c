// Contradictory entries: entries that contradict each other, or the stored rows. A batch with one
// fails, and everything is listed again; a listing leaves them out, so that the rest is shown. Not
// responsible for finding them: the store refuses contradictory rows.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// Removes detached nodes whose new place was left out: as far as is known, the server no
    /// longer has them.
    mutating func settleDetached() throws {
        let left = detached.removeAll()
        guard !left.isEmpty else { return }
        batch.forgetNodes()
        for moved in left {
            for child in try transaction.remoteChildren(of: moved.inode) {
                try clearRemotePlace(of: child)
            }
            guard let node = try transaction.node(moved.inode) else { continue }
            if node.place != nil { continue }
            if try transaction.hasChildren(node.inode) {
                try keepFolder(node, near: moved.seen)
            } else {
                try removeUnlessOpen(node)
            }
        }
    }

    /// Shows a folder again for its local contents, at its former place, as an unsent one.
    private mutating func keepFolder(_ folder: Node, near seen: Place?) throws {
        var place = try seen ?? Place(parent: .root, name: FileName("recovered"))
        if try transaction.node(place.parent)?.kind != .folder
            || transaction.isInode(place.parent, within: folder.inode)
        {
            place.parent = .root
        }
        try show(folder.inode, nearestTo: place)
    }
}
