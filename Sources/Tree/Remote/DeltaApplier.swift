// Applies the server's state to the tree: listings, deltas and single responses, by the same rules.
// `+Conflicts` and `+Removal` carry out the conflict table. Not responsible for fetching, nor for
// kernel invalidations: it returns the changes.

import ContentHashing
package import Core
package import MetadataStore
package import RemoteStore
import Saturating

/// Applies the server's entries, in order, within one transaction.
package struct DeltaApplier {
    let transaction: Transaction
    let context: DeltaContext
    /// The entries that are applied, and the marks of the present one.
    var batch = DeltaBatch()
    /// Nodes that the batch has taken from their places and will put elsewhere.
    var detached = DetachedNodes()
    /// Nodes of which the server has to be asked.
    var doubts = Doubts()
    /// The folder of the last entry.
    var lastFolder = LastFolder()
    /// The changes to announce after the commit.
    var collected = CollectedChanges()
    /// The number of the full listing that is running; 0 without one, which marks no node.
    let listing: Int64
    /// Whether the server is believed to have POSIX facts of any node.
    private(set) var holdsToldFacts: Bool

    /// Begins to apply in a transaction.
    package init(transaction: Transaction, context: DeltaContext) throws {
        self.transaction = transaction
        self.context = context
        listing = context.isListing ? try transaction.listingNumber() : 0
        holdsToldFacts = context.posix.isShared ? try transaction.hasToldFacts() : false
    }

    /// Applies a batch: all entries between two states of the server. With `isFeed`, deletions may
    /// name previous paths.
    package mutating func apply(_ entries: [RemoteEntry], isFeed: Bool = false) throws {
        delayReturns()
        batch = DeltaBatch(entries, isFeed: isFeed)
        for (index, entry) in entries.enumerated() {
            batch.advance(to: index, entry)
            try applyUnlessContradictory { applier in try applier.apply(entry) }
        }
        try settleDetached()
        try giveLeftNames()
        try announceHeldBack()
        try hideEmptyRestored()
        try touchFolders()
    }

    /// The machine whose user has freed a name gives it back before this one does: it gets as long
    /// as another client's second move, which a restart does not shorten either.
    private func delayReturns() {
        if context.isReadOnly { return transaction.keepAliases() }
        transaction.delayReturns(
            until: context.now.adding(seconds: TemporaryName.secondMoveDelay))
    }

    private mutating func apply(_ entry: RemoteEntry) throws {
        batch.beginEntry()
        if try isBelowReplacedFolder(entry) {
            if entry.isFolder { batch.noteLeftOut(entry.foldedPath) }
            return
        }
        switch entry.kind {
        case .file(let file): try applyFile(file, entry)
        case .folder(let folder): try applyFolder(folder, entry)
        case .deleted: try applyDeletion(entry)
        }
        try takeFacts(of: entry)
    }

    /// Takes over what the entry says of modes, times and attributes.
    private mutating func takeFacts(of entry: RemoteEntry) throws {
        let facts = entry.posix.facts
        // Most entries have none, and most nodes never had any.
        guard context.posix.isShared, entry.posix != .untold, !batch.isOutdated, let id = entry.id,
            facts != nil || holdsToldFacts && !batch.isInserted,
            let node = try transaction.node(id: id)
        else { return }
        // An earlier entry may be from before this mount's own change of the facts.
        if node.flags.contains(.factsOwed), batch.isToldLater(id) { return }
        if facts != nil { holdsToldFacts = true }
        let base = try transaction.toldFacts(of: node.inode)
        if facts != base { try noteFactsAlone(facts) }
        if let facts { try learnOwnName(from: facts, over: base, of: node) }
        let isSeen = try transaction.takeFacts(
            facts, over: base, of: node, by: context.posix, wereSent: batch.isArrival)
        if isSeen { announceAttributes(of: node.inode) }
    }

    /// Notes that the feed tells of facts that change alone, if the current entry has nothing else
    /// to tell.
    private func noteFactsAlone(_ facts: PosixFacts?) throws {
        guard batch.isFeed, batch.isUnmoved, batch.isSameRevision, facts != nil,
            try !transaction.feedTellsFacts()
        else { return }
        try transaction.setSetting(StoredSetting.feedTellsFacts, to: "yes")
    }

    /// Removes the nodes that a full listing has not seen.
    package mutating func removeUnseen() throws {
        delayReturns()
        batch.forgetNodes()
        let unseen = try transaction.inodes(notSeenBy: transaction.listingNumber())
        let known = Set(unseen)
        for inode in unseen {
            try applyUnlessContradictory { applier in
                // The contents of a folder that users have moved stay with it (row M5).
                guard let top = try applier.topmost(of: inode, among: known) else { return }
                try applier.clearRemotePlace(of: top)
            }
        }
        try giveLeftNames()
        try touchFolders()
    }

    /// The topmost folder that the server had a node in, among these; the node itself if there is
    /// none. Nil if the server is no longer believed to have it.
    private func topmost(of inode: InodeID, among inodes: Set<InodeID>) throws -> Node? {
        guard var top = try transaction.node(inode), top.remote != .absent else { return nil }
        var seen = Set([inode])
        while let folder = try transaction.remotePlace(of: top)?.parent, inodes.contains(folder),
            seen.insert(folder).inserted, let node = try transaction.node(folder),
            node.remote != .absent
        {
            top = node
        }
        return top
    }

    /// Seconds for which a server may work on a commit: as long as this client waits for a
    /// response.
    private static let longestCommit = 900.0

    /// Drops intents and previous paths, and gives names that users have freed: the feed is up to
    /// date, with no commit in flight.
    package mutating func feedCaughtUp() throws {
        try transaction.forgetIntents(
            sentBefore: context.date.adding(seconds: 0.0 - Self.longestCommit))
        try transaction.forgetPreviousPaths()
        try giveFreedNames()
    }

    // MARK: One entry

    private mutating func applyFile(_ file: RemoteFile, _ entry: RemoteEntry) throws {
        var facts = RemoteFacts(file)
        // An outdated state: the batch has a later entry of the same file.
        if batch.isToldLater(file.id) { return try noteOwnArrival(facts) }
        let place = try place(of: entry)
        if try insertIfUnknown(facts.kind, at: place, facts) { return }
        try transaction.forgetIdentity(file.id, ofFolderAbove: place)
        var occupant = try occupant(of: place, for: file.id)
        if let known = occupant, known.facts.id == file.id {
            facts.keepTarget(of: known)
            if facts.isLink(ofUnsent: known) { facts.target = nil }
        }
        let kind = facts.kind
        if let known = occupant, known.kind != kind || isOther(known, than: file.id) {
            try clearRemotePlace(of: known)
            occupant = nil
        }
        if let known = occupant {
            try adoptCase(of: known, place.name)
            guard let current = try transaction.node(known.inode) else { return }
            try updateFile(current, facts)
        } else {
            try insertFile(kind, at: place, facts)
        }
    }

    /// Whether an entry is a folder, or is in one, that a later entry deletes and that users have
    /// replaced by something else. An unknown node of that kind is not added, because users' node
    /// would step aside for it. It may be this mount's own folder of before.
    private func isBelowReplacedFolder(_ entry: RemoteEntry) throws -> Bool {
        guard batch.isFeed, let id = entry.id, batch.hasDeletions else { return false }
        let folder = entry.isFolder ? entry.foldedPath : entry.foldedPath.parent
        let paths = folder.withAncestors
        guard paths.contains(where: batch.deletesLater), !detached.contains(id),
            try transaction.node(id: id) == nil && !transaction.hasCreation(withHash: entry.hash)
        else { return false }
        var parent = InodeID.root
        for path in paths.reversed() {
            guard let key = path.components.last else { return false }
            if let folder = try transaction.remoteChild(folded: key, of: parent) {
                guard folder.kind == .folder else { return false }
                parent = folder.inode
            } else {
                let local = try transaction.child(folded: key, of: parent)
                return local.map { $0.kind != .folder && batch.deletesLater(path) } ?? false
            }
        }
        return false
    }

    private mutating func applyFolder(_ folder: RemoteFolder, _ entry: RemoteEntry) throws {
        var place = try place(of: entry)
        let facts = RemoteFacts(folder)
        if try insertIfUnknown(.folder, at: place, facts) { return }
        if let known = try transaction.node(id: folder.id),
            try transaction.isRemote(place.parent, within: known.inode)
        {
            place = try self.place(of: entry, takingOut: known, from: place)
        }
        var occupant = try occupant(of: place, for: folder.id)
        // A folder that users moved or deleted is not taken for another client's folder at its
        // place.
        if let known = occupant,
            known.kind != .folder || known.remote == .displaced && isOther(known, than: folder.id)
        {
            try clearRemotePlace(of: known)
            occupant = nil
        }
        guard let known = occupant else {
            try insertFolder(at: place, facts)
            return
        }
        if known.facts != facts {
            if isOther(known, than: folder.id) {
                try doubts.noteChildren(of: known, untoldBy: batch, in: transaction)
            }
            try transaction.setFacts(facts, of: known.inode)
            if known.facts.flags != facts.flags {
                announceAttributes(of: known.inode)
                // Without access no process reads a listing, also not the kernel's.
                collected.appendListing(of: known.inode)
            }
        }
        try adoptCase(of: known, place.name)
        try mark(known.inode)
        // A response has placed the folder. A node in it that another client deleted before has no
        // delta, if its old path is another node's now.
        if batch.isFeed, try transaction.isUnconfirmed(folder.id) { try doubtContents(of: known) }
    }

    /// Adds a node whose place and ID both are unknown, in one statement.
    private mutating func insertIfUnknown(
        _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        // A folder that users deleted must be restored with its new contents.
        guard lastFolder.isVisible, !TemporaryName.isTemporary(place.name),
            facts.id.map({ !detached.contains($0) }) ?? true,
            let inode = try transaction.insertIfUnknown(
                kind, at: place, facts: facts, seenBy: listing)
        else { return false }
        batch.noteInserted()
        collected.countNewlySeen(facts.size)
        if batch.isFeed && batch.isDeletedLater {
            collected.holdBack(inode, at: place)
        } else if context.isTreeComplete {
            // Before the tree is complete, the kernel has no negative entries.
            announce(place)
        } else {
            collected.appendListing(of: place.parent)
        }
        return true
    }

    /// The node that the server has at a place, after moving the node with this ID there.
    private mutating func occupant(of place: Place, for id: FileID) throws -> Node? {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        if let moved = detached.remove(id) {
            guard let known = try transaction.node(moved.inode) else { return occupant }
            try free(occupant, for: known)
            try attach(moved, at: place)
            try doubtContents(of: known)
            return try transaction.node(known.inode)
        }
        guard let known = try transaction.node(id: id), known.inode != occupant?.inode else {
            batch.noteUnmoved()
            return occupant
        }
        try noteMove(of: known, to: place)
        let left = try transaction.remotePlace(of: known)?.parent
        if let occupant, try transaction.holds(occupant, known) {
            // The node moves out of a folder whose place it takes.
            let moved = try detach(known)
            try free(occupant, for: known)
            try attach(moved, at: place)
        } else {
            try free(occupant, for: known)
            try moveRemote(known, to: place)
        }
        try doubtContents(of: known)
        if let left, left != place.parent { try removeEmptyPlaceholder(left) }
        return try transaction.node(known.inode)
    }

    /// Removes the believed occupant of a remote place.
    private mutating func free(_ occupant: Node?, for node: Node) throws {
        guard let occupant else { return }
        if occupant.kind == .folder && occupant.facts.id == nil && node.kind == .folder {
            try adoptChildren(of: occupant, into: node)
        } else {
            try clearRemotePlace(of: occupant)
        }
    }

    /// Frees a remote place for a node that a response has put there. Its believed occupant was
    /// moved or deleted by another client, and the feed's delta is still to come.
    mutating func vacate(_ place: Place, for inode: InodeID) throws {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        guard let occupant, occupant.inode != inode else { return }
        guard let node = try transaction.node(inode), try transaction.holds(occupant, node) else {
            return try clearRemotePlace(of: occupant)
        }
        let moved = try detach(node)
        try clearRemotePlace(of: occupant)
        try attach(moved, at: place)
    }

    /// Like `vacate(_:for:)`, for a response whose ID matches no node in the tree.
    mutating func vacate(_ place: Place, besides inode: InodeID) throws {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        if let occupant, occupant.inode != inode { try clearRemotePlace(of: occupant) }
    }

    private func isOther(_ node: Node, than id: FileID) -> Bool {
        guard let known = node.facts.id else { return false }
        return known != id
    }

    /// Leaves the contents of a folder in doubt for which the feed has another place.
    private mutating func doubtContents(of folder: Node) throws {
        try doubts.noteContents(of: folder, untoldBy: batch, in: transaction)
    }
}

extension DeltaApplier {
    package var outcome: DeltaOutcome { collected.outcome }

    /// Nodes to be requested by their IDs, although the batch may have them.
    package var doubted: Set<FileID> { doubts.ids }

    /// Throws `UnlocatedNodes` if the server is to be asked for nodes before this part of a listing
    /// is applied.
    package func requireLocations() throws {
        if !doubts.unlocated.isEmpty { throw UnlocatedNodes(ids: doubts.unlocated) }
    }

    /// Marks a node as seen by the running full listing; `size` is that of its content on the
    /// server.
    mutating func mark(_ inode: InodeID, _ size: Int64 = 0) throws {
        if listing != 0, try transaction.markSeen(inode, by: listing) {
            collected.countNewlySeen(size)
        }
    }

    /// Applies a part of a batch. If it contradicts the rows, and contradictions are to be left
    /// out, it is rolled back.
    mutating func applyUnlessContradictory(
        _ body: (inout DeltaApplier) throws -> Void
    ) throws {
        guard context.leavesOutContradictions else { return try body(&self) }
        // The collected changes are kept elsewhere, so that each part does not copy them.
        var earlier: [TreeChange] = []
        collected.exchangeChanges(with: &earlier)
        let before = self
        do {
            try transaction.undoable { try body(&self) }
        } catch {
            guard MetadataStore.isContradiction(error) else { throw error }
            self = before
            collected.countLeftOut()
        }
        collected.append(to: &earlier)
    }
}
