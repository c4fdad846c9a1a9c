// Questions about rows, and changes of them, that need no batch: parts of `DeltaApplier`'s rules.
// Not responsible for changes that are announced.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

extension Transaction {
    /// Whether users have deleted a folder that the server has.
    func isHidden(_ folder: InodeID) throws -> Bool {
        try folder != .root && node(folder)?.place == nil
    }

    /// Whether the server was believed to have a node in a folder.
    func holds(_ folder: Node, _ node: Node) throws -> Bool {
        try folder.kind == .folder && folder.inode != node.inode
            && isRemote(node.inode, within: folder.inode)
    }

    /// Whether users have put the same bytes where they deleted a file, as programs do that write
    /// beside a file and remove it first. Row N2.
    func hasEqualSuccessor(_ node: Node, _ facts: RemoteFacts) throws -> Bool {
        guard let place = try remotePlace(of: node), let hash = facts.hash,
            let successor = try child(folded: place.name.folded, of: place.parent)
        else { return false }
        return successor.kind == .file && successor.remote == .absent
            && successor.staged?.knownHash == hash
    }

    /// The intent of a copy by the server, which copies the present content and its time: others
    /// may have changed the file since users copied it.
    func copyIntent(
        at place: Place, _ hash: ContentHash?, _ modified: WallTime?
    ) throws -> (id: Int64, inode: InodeID)? {
        guard let hash, let modified, let intent = try intent(ofCopyTo: place),
            try hasFile(withHash: hash, modified: modified)
        else { return nil }
        return intent
    }

    /// Handles an ID that was a folder's and now is that of a file in it: the folder's own ID is
    /// unknown from now on.
    func forgetIdentity(_ id: FileID, ofFolderAbove place: Place) throws {
        guard let known = try node(id: id), known.kind == .folder,
            try isRemote(place.parent, within: known.inode)
        else { return }
        var facts = known.facts
        facts.id = nil
        try setFacts(facts, of: known.inode)
    }

    /// Takes a folder and its contents for unseen by the running listing.
    func forgetListing(of folder: InodeID) throws {
        var waiting = [folder]
        while let folder = waiting.popLast() {
            try setFlags(.listed, false, of: folder)
            for child in try remoteChildren(of: folder) {
                try markSeen(child.inode, by: 0)
                if child.kind == .folder { waiting.append(child.inode) }
            }
        }
    }

    /// Clears the times that users set, because they belong to the old revision.
    func forgetTimes(of node: Node) throws {
        var local = node.local
        guard local.modified != nil || local.accessed != nil || local.changed != nil else { return }
        local.modified = nil
        local.accessed = nil
        local.changed = nil
        try setLocal(local, of: node.inode)
    }

    /// Moves a file's pin to the file that has replaced it.
    func handOverPin(of node: Node, to place: Place) throws {
        guard let successor = try child(folded: place.name.folded, of: place.parent)
        else { return }
        try handOverPin(from: node.inode, to: successor.inode)
    }

    /// Returns the pin of a file that others deleted to the open file that it replaced: a write
    /// brings the open file back.
    func returnPin(of node: Node) throws {
        guard let place = node.place, let open = try detachedOpenFile(from: place)
        else { return }
        try handOverPin(from: node.inode, to: open)
    }
}
