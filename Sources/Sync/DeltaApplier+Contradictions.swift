// Entries that cannot be true together with each other, or with what is stored: a batch with such fails, and all
// is listed again; in a listing they are left out, so that the rest is shown. Not responsible for finding them:
// the store refuses what contradicts its rows.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// Applies a part of a batch. What it changed is undone where it contradicts what is stored and such parts
    /// are to be left out.
    mutating func applyUnlessContradictory(
        _ body: (inout DeltaApplier) throws -> Void
    ) throws {
        guard context.leavesOutContradictions else { return try body(&self) }
        // The changes until now are put aside, so that each part does not copy them.
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

    /// What was a folder's identity turns out to be that of a file in it: which folder it is, is not known
    /// any more.
    func forgetIdentity(_ id: FileID, ofFolderAbove place: Place) throws {
        guard let known = try transaction.node(id: id), known.kind == .folder,
            try transaction.isRemote(place.parent, within: known.inode)
        else { return }
        var facts = known.facts
        facts.id = nil
        try transaction.setFacts(facts, of: known.inode)
    }

    /// What the batch has taken from its place, and has put nowhere because the entry was left out: the server
    /// has it no more, as far as is known.
    mutating func settleDetached() throws {
        let left = detached.removeAll()
        guard !left.isEmpty else { return }
        lastIndex = [:]
        for moved in left {
            for child in try transaction.remoteChildren(of: moved.inode) {
                try removeRemote(child)
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

    /// Shows a folder again for the sake of what users have in it, where they saw it, as theirs.
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
    /// Brings in what listings and looks have found, in one transaction. If that contradicts itself or what is
    /// stored, it is tried again with a context that leaves out what does.
    func bringIn<Outcome>(
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
    func bringIn<Outcome: Sendable>(
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
