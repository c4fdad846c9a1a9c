// The changes that observers are told of after the commit, as the applier collects them. Not
// responsible for telling them.

import Core
import MetadataStore

extension DeltaApplier {
    /// Announces a name that leads elsewhere now, or nowhere because its node was moved.
    mutating func announce(_ place: Place) {
        // A name that was made here may be the one under which users see the node.
        for place in [place] + transaction.takeOtherNames() {
            collected.append(.entry(parent: place.parent, name: place.name))
            collected.appendListing(of: place.parent)
        }
    }

    /// Announces a name that its node has left.
    mutating func announceLeft(_ place: Place) {
        collected.noteLeft(place)
        announce(place)
    }

    /// Announces a name that is gone with its node. Not for moves: the kernel marks a deleted
    /// folder as dead, for ever, wherever else it appears.
    mutating func announceDeletion(of inode: InodeID, at place: Place) {
        collected.noteLeft(place)
        if collected.dropHeldBack(inode) { return }
        collected.append(.deletedEntry(parent: place.parent, child: inode, name: place.name))
        collected.appendListing(of: place.parent)
    }

    /// Announces added nodes that the batch has not deleted after all, because an entry of it
    /// contradicts the tree.
    mutating func announceHeldBack() throws {
        for (inode, place) in collected.takeHeldBack() where try transaction.node(inode) != nil {
            announce(place)
        }
    }

    /// Gives folders in which names have changed the time of the batch, as users' changes give them
    /// theirs: programs see by it that a folder is to be read again. The first listing of an
    /// account changes nothing that a program has read.
    mutating func touchFolders() throws {
        let folders = collected.takeUntouched()
        guard context.isTreeComplete else { return }
        for folder in folders { try transaction.touch(folder, at: context.date) }
    }

    /// Whether the batch itself has added a node, and will delete it.
    func isPassing(_ inode: InodeID) -> Bool { collected.isHeldBack(inode) }

    mutating func announceAttributes(of inode: InodeID) {
        collected.append(.attributes(inode))
    }

    mutating func announceContent(of inode: InodeID) {
        collected.append(.content(inode))
    }

    mutating func noteConflict(_ name: FileName) {
        collected.appendConflict(name)
    }
}
