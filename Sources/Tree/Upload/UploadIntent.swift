// Upload intents. A step is validated again right before its request. The commit gate is held for
// that, so that no delta is applied before the response is recorded. Creations, contents and moves
// also get an intent row: if the response is lost, it identifies the feed's delta as this mount's
// own.

package import ContentHashing
package import Core
package import MetadataStore
import RemoteStore
import Staging

/// A step that is about to be sent.
package struct UploadIntent: Sendable {
    package var inode: InodeID
    package var step: UploadStep
    /// Hash of the content, if the step has content.
    package var hash: ContentHash?

    package init(inode: InodeID, step: UploadStep, hash: ContentHash? = nil) {
        self.inode = inode
        self.step = step
        self.hash = hash
    }

    /// Writes the intent; returns nil if the step no longer holds.
    package func note(
        in transaction: Transaction, index: Int, at time: WallTime
    ) throws -> Sent? {
        guard let node = try transaction.node(inode), try step.holds(for: node, transaction) else {
            return nil
        }
        if case .deleteFile(_, let revision?) = step {
            try transaction.noteOwnDeletion(of: revision)
        }
        if case .move(let move) = step {
            let id = try transaction.noteMove(
                of: inode, to: move.target.rawValue, sent: move.isFolder ? nil : time)
            return Sent(index: index, intent: id)
        }
        // A time that was set since then follows the response; that of later content goes with it.
        if case .upload(let upload) = step, node.modified != upload.modified,
            upload.link != nil || node.staged?.generation == upload.staged.generation
        {
            try transaction.setFlags(.factsOwed, true, of: inode)
        }
        var isFacts = false
        if case .setFacts = step { isFacts = true }
        guard step.isNew || hash != nil || isFacts else { return Sent(index: index, intent: nil) }
        let place = step.isNew ? try place(of: node) : nil
        return Sent(
            index: index,
            intent: try transaction.noteIntent(
                inode, at: place, hash: hash, modified: step.sentModified, sent: time))
    }

    /// The place of the node that the step creates.
    private func place(of node: Node) throws -> Place? {
        guard let parent = node.place?.parent, let last = step.paths.first?.components.last
        else { return nil }
        return Place(parent: parent, name: try FileName(last))
    }
}

/// A part of a commit: its index among the intended steps, and the number of its intent, if it has
/// one.
package struct Sent: Sendable {
    package var index: Int
    package var intent: Int64?
}
