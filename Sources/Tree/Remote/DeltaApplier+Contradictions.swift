// Contradictory entries: entries that contradict each other, or the stored rows. A batch with one
// fails, and everything is listed again; a listing leaves them out, so that the rest is shown. Not
// responsible for finding them: the store refuses contradictory rows.

import Core
package import MetadataStore
import RemoteStore
import Saturating

extension DeltaApplier {
    /// Applies a part of a batch. If it contradicts the rows, and contradictions are to be left
    /// out, it is rolled back.
    mutating func applyUnlessContradictory(
        _ body: (inout DeltaApplier) throws -> Void
    ) throws {
        guard context.leavesOutContradictions else { return try body(&self) }
        // The collected changes are kept elsewhere, so that each part does not copy them.
        var collected = changes
        changes = []
        let before = self
        do {
            try transaction.undoable { try body(&self) }
        } catch {
            guard MetadataStore.isContradiction(error) else { throw error }
            self = before
            leftOut +|= 1
        }
        collected.append(contentsOf: changes)
        changes = collected
    }

    /// Handles an ID that was a folder's and now is that of a file in it: the folder's own ID is
    /// unknown from now on.
    func forgetIdentity(_ id: FileID, ofFolderAbove place: Place) throws {
        guard let known = try transaction.node(id: id), known.kind == .folder,
            try transaction.isRemote(place.parent, within: known.inode)
        else { return }
        var facts = known.facts
        facts.id = nil
        try transaction.setFacts(facts, of: known.inode)
    }

    /// Removes detached nodes whose new place was left out: as far as is known, the server no
    /// longer has them.
    mutating func settleDetached() throws {
        let left = detached.removeAll()
        guard !left.isEmpty else { return }
        lastIndex = [:]
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

extension MetadataStore {
    /// Applies the result of a listing or read in one transaction. If that is contradictory, it is
    /// tried again with a context that leaves contradictions out.
    package func bringIn<Outcome>(
        _ context: DeltaContext, _ body: (Transaction, DeltaContext) throws -> Outcome
    ) throws -> Outcome {
        do {
            return try write { try body($0, context) }
        } catch {
            guard Self.isContradiction(error) else { throw error }
            return try write { try body($0, context.leavingOut) }
        }
    }

    /// The same without holding a thread of the cooperative pool.
    package func bringIn<Outcome: Sendable>(
        _ context: DeltaContext,
        _ body: @escaping @Sendable (Transaction, DeltaContext) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await write { try body($0, context) }
        } catch {
            guard Self.isContradiction(error) else { throw error }
            return try await write { try body($0, context.leavingOut) }
        }
    }
}

extension DeltaContext {
    fileprivate var leavingOut: DeltaContext {
        var context = self
        context.leavesOutContradictions = true
        return context
    }
}
