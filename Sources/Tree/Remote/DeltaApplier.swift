// Applies the server's state to the tree: listings, deltas and single responses, by the same rules.
// `+Conflicts` and `+Removal` carry out the conflict table. Not responsible for fetching, nor for
// kernel invalidations: it returns the changes.

import ContentHashing
package import Core
package import MetadataStore
package import RemoteStore
import Saturating
package import Staging

/// The context of the rules besides the tree.
package struct DeltaContext: Sendable {
    /// Decides whether a file is open, which makes a remote change a rename over it.
    package var openFiles: any OpenFileTracking
    /// Where content is staged that the server has lost and the user still wants.
    package var staging: StagingArea
    /// The clock's time, from which the wait for a second move counts.
    package var now: WallTime
    /// The date and time of day.
    package var date: WallTime
    /// This machine's name, for conflicted copies.
    package var host: String
    /// Whether a full listing is running, which marks the nodes that it sees.
    package var isListing: Bool
    /// Whether the tree is complete, so that the kernel may cache negative entries.
    package var isTreeComplete: Bool
    /// Whether a contradictory entry is left out, instead of failing its batch.
    package var leavesOutContradictions = false
    /// How modes, times and attributes are shared.
    package var posix = PosixRules.local
    /// Whether no node gets an alias: one that steps aside is a conflicted copy then.
    package var refusesNames = false

    package init(
        openFiles: any OpenFileTracking, staging: StagingArea, now: WallTime, date: WallTime,
        host: String, isListing: Bool, isTreeComplete: Bool
    ) {
        self.openFiles = openFiles
        self.staging = staging
        self.now = now
        self.date = date
        self.host = host
        self.isListing = isListing
        self.isTreeComplete = isTreeComplete
    }
}

/// Applies the server's entries, in order, within one transaction.
package struct DeltaApplier {
    let transaction: Transaction
    let context: DeltaContext
    /// The changes to announce after the commit.
    package var changes: [TreeChange] = []
    /// Folders whose listing is among the changes: once is enough.
    private var changedListings: Set<InodeID> = []
    /// The new names of conflicted copies.
    package private(set) var conflicts: [String] = []

    /// For each ID in the batch, the index of its last entry. A node that a `deleted` entry removes
    /// and a later entry adds again was moved, and keeps its inode.
    var lastIndex: [FileID: Int] = [:]
    private(set) var currentIndex = 0
    /// The last entry of the batch that deletes a path, by the path.
    private var lastDeletion: [RemotePath: Int] = [:]
    /// The batch has a later deletion of the current entry's path.
    private(set) var isDeletedLater = false
    /// Whether the batch is from the feed.
    private(set) var isFeed = false
    /// Places of nodes that the batch has added and deletes later: never announced, because no user sees them.
    var passing: [InodeID: Place] = [:]
    /// Nodes that the batch has taken from their places and will put elsewhere.
    var detached = DetachedNodes()
    /// Deleted folders that the batch has restored for their new contents, outer ones first.
    var restored: [InodeID] = []
    /// Paths of the feed's deletions that had no node at their turn.
    var unknownDeletions: [String] = []
    /// Nodes to be requested by their IDs, although the batch may have them.
    package var doubted: Set<FileID> = []
    /// Number of contradictory entries that were left out.
    var leftOut = 0
    /// Number of nodes that the running listing had not seen before.
    private(set) var newlySeen = 0
    /// The folder of the last entry, for the next one, which mostly is in the same; nil again when
    /// a folder may have moved.
    var lastFolder: (path: String, inode: InodeID, isVisible: Bool)?
    /// The number of the full listing that is running; 0 without one, which marks no node.
    let listing: Int64
    /// Whether the server is believed to have POSIX facts of any node.
    private var holdsToldFacts: Bool
    /// Whether the current entry was added in one statement.
    private var isInserted = false
    /// Whether the current entry has a file where it was.
    private(set) var isUnmoved = false
    /// Whether the current entry has a file in its known revision.
    var isSameRevision = false

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
        self.isFeed = isFeed
        lastIndex.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            switch entry.kind {
            case .file(let file): lastIndex[file.id] = index
            case .folder(let folder): lastIndex[folder.id] = index
            case .deleted: lastDeletion[entry.foldedPath] = index
            }
        }
        for (index, entry) in entries.enumerated() {
            currentIndex = index
            isDeletedLater = lastDeletion[entry.foldedPath].map { $0 > index } ?? false
            try applyUnlessContradictory { applier in try applier.apply(entry) }
        }
        try settleDetached()
        try announcePassing()
        try hideEmptyRestored()
        if entries.contains(where: \.isFolder) { try doubtUnknownDeletions() }
        unknownDeletions = []
    }

    private mutating func apply(_ entry: RemoteEntry) throws {
        isInserted = false
        isUnmoved = false
        isSameRevision = false
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
        guard context.posix.isShared, entry.posix != .untold, let id = entry.id,
            facts != nil || holdsToldFacts && !isInserted,
            let node = try transaction.node(id: id)
        else { return }
        if facts != nil { holdsToldFacts = true }
        let base = try transaction.toldFacts(of: node.inode)
        if facts != base { try noteFactsAlone(facts) }
        if let facts { try learnOwnName(from: facts, over: base, of: node) }
        if try transaction.takeFacts(facts, over: base, of: node, by: context.posix) {
            announceAttributes(of: node.inode)
        }
    }

    /// Notes that the feed tells of facts that change alone, if the current entry has nothing else to tell.
    private func noteFactsAlone(_ facts: PosixFacts?) throws {
        guard isFeed, isUnmoved, isSameRevision, facts != nil, try !transaction.feedTellsFacts()
        else { return }
        try transaction.setSetting(StoredSetting.feedTellsFacts, to: "yes")
    }

    /// Removes the nodes that a full listing has not seen.
    package mutating func removeUnseen() throws {
        lastIndex = [:]
        for inode in try transaction.inodes(notSeenBy: transaction.listingNumber()) {
            try applyUnlessContradictory { applier in
                let current = try applier.transaction.node(inode)
                guard let current, current.remote != .absent else { return }
                try applier.clearRemotePlace(of: current)
            }
        }
    }

    /// Seconds for which a server may work on a commit: as long as this client waits for a
    /// response.
    private static let longestCommit = 900.0

    /// Drops intents and previous paths: the feed is up to date, with no commit in flight.
    package func feedCaughtUp() throws {
        try transaction.forgetIntents(
            sentBefore: context.date.adding(seconds: 0.0 - Self.longestCommit))
        try transaction.forgetPreviousPaths()
    }

    // MARK: One entry

    private mutating func applyFile(_ file: RemoteFile, _ entry: RemoteEntry) throws {
        // An outdated state: the batch has a later entry of the same file.
        if let last = lastIndex[file.id], last > currentIndex { return }
        let place = try place(of: entry)
        var facts = RemoteFacts(file)
        if try insertIfUnknown(facts.kind, at: place, facts) { return }
        try forgetIdentity(file.id, ofFolderAbove: place)
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
            if isOther(known, than: folder.id) { try doubtChildren(of: known) }
            try transaction.setFacts(facts, of: known.inode)
            if known.facts.flags != facts.flags {
                changes.append(.attributes(known.inode))
            }
        }
        try adoptCase(of: known, place.name)
        try mark(known.inode)
        // A response has placed it: a node that others deleted in it before that has no entry if its path is another's now.
        if isFeed, try transaction.isUnconfirmed(folder.id) { try doubtUntoldContents(of: known) }
    }

    /// Adds a node whose place and ID both are unknown, in one statement.
    private mutating func insertIfUnknown(
        _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        // A folder that users deleted must be restored with its new contents.
        guard let lastFolder, lastFolder.isVisible, !TemporaryName.isTemporary(place.name),
            facts.id.map({ !detached.contains($0) }) ?? true,
            let inode = try transaction.insertIfUnknown(
                kind, at: place, facts: facts, seenBy: listing)
        else { return false }
        isInserted = true
        newlySeen +|= 1
        if isFeed && isDeletedLater {
            passing[inode] = place
        } else if context.isTreeComplete {
            // Before the tree is complete, the kernel has no negative entries.
            announce(place)
        } else {
            announceListing(of: place.parent)
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
            try doubtUntoldContents(of: known)
            return try transaction.node(known.inode)
        }
        guard let known = try transaction.node(id: id), known.inode != occupant?.inode else {
            isUnmoved = true
            return occupant
        }
        try noteMove(of: known, to: place)
        let left = try transaction.remotePlace(of: known)?.parent
        if let occupant, try holds(occupant, known) {
            // The node moves out of a folder whose place it takes.
            let moved = try detach(known)
            try free(occupant, for: known)
            try attach(moved, at: place)
        } else {
            try free(occupant, for: known)
            try moveRemote(known, to: place)
        }
        try doubtUntoldContents(of: known)
        if let left, left != place.parent { try removeEmptyPlaceholder(left) }
        return try transaction.node(known.inode)
    }

    /// Whether the server was believed to have a node in a folder.
    private func holds(_ folder: Node, _ node: Node) throws -> Bool {
        try folder.kind == .folder && folder.inode != node.inode
            && transaction.isRemote(node.inode, within: folder.inode)
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
        guard let node = try transaction.node(inode), try holds(occupant, node) else {
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

    // MARK: Bookkeeping

    mutating func mark(_ inode: InodeID) throws {
        if listing != 0, try transaction.markSeen(inode, by: listing) { newlySeen +|= 1 }
    }

    /// Announces a name that leads elsewhere now, or nowhere because its node was moved.
    mutating func announce(_ place: Place) {
        // A name that was made here may be the one under which users see the node.
        for place in [place] + transaction.takeOtherNames() {
            changes.append(.entry(parent: place.parent, name: place.name))
            announceListing(of: place.parent)
        }
    }

    /// Announces a name that is gone with its node. Not for moves: the kernel marks a deleted
    /// folder as dead, for ever, wherever else it appears.
    mutating func announceDeletion(of inode: InodeID, at place: Place) {
        if passing.removeValue(forKey: inode) != nil { return }
        changes.append(.deletedEntry(parent: place.parent, child: inode, name: place.name))
        announceListing(of: place.parent)
    }

    /// Announces added nodes that the batch has not deleted after all, because an entry of it contradicts the tree.
    private mutating func announcePassing() throws {
        for (inode, place) in passing where try transaction.node(inode) != nil { announce(place) }
        passing = [:]
    }

    private mutating func announceListing(of folder: InodeID) {
        if changedListings.insert(folder).inserted {
            changes.append(.listing(folder))
        }
    }

    mutating func announceAttributes(of inode: InodeID) {
        changes.append(.attributes(inode))
    }

    mutating func announceContent(of inode: InodeID) {
        changes.append(.content(inode))
    }

    mutating func noteConflict(_ name: FileName) {
        conflicts.append(name.string)
    }
}

extension RemoteFacts {
    /// The kind of a file with these facts.
    var kind: NodeKind { target == nil ? .file : .symbolicLink }

    /// Lets a file be the link that it was if it still has the link's content: not all answers tell of
    /// facts, and the account may have lost them.
    mutating func keepTarget(of node: Node) {
        guard target == nil, node.kind == .symbolicLink, let known = node.facts.target,
            known.contentHash == hash
        else { return }
        target = known
    }

    /// Whether these facts make a link of a text that users here have moved, edited or deleted. That is sent first, as of a
    /// file; the delta of it brings the link.
    fileprivate func isLink(ofUnsent node: Node) -> Bool {
        kind == .symbolicLink && node.kind == .file && hash == node.facts.hash
            && (node.remote != .inPlace || node.staged != nil)
    }

    init(_ file: RemoteFile) {
        var flags: NodeFlags = []
        if file.isReadOnly { flags.insert(.readOnly) }
        if !file.isDownloadable { flags.insert(.notDownloadable) }
        self.init(
            id: file.id, revision: file.revision, size: file.size, hash: file.hash,
            clientModified: file.clientModified, serverModified: file.serverModified,
            target: file.linkTarget, flags: flags)
    }

    init(_ folder: RemoteFolder) {
        var flags: NodeFlags = []
        if folder.isReadOnly { flags.insert(.readOnly) }
        if folder.isTraverseOnly { flags.insert(.traverseOnly) }
        if folder.isNoAccess { flags.insert(.noAccess) }
        self.init(id: folder.id, sharedFolderID: folder.sharedFolderID, flags: flags)
    }
}

extension RemoteEntry {
    /// The delta entry of a deletion at a path of names, as far as a tree knows them.
    init?(deleted path: RemotePath, in tree: some TreeReading) throws {
        let names = try path.components.map { try FileName($0) }
        guard let name = names.last else { return nil }
        self.init(
            foldedPath: RemotePath(rawValue: try tree.remoteKeyPath(ofNames: names)), name: name,
            kind: .deleted)
    }
}

/// The changes of an applied batch.
package struct DeltaOutcome: Sendable {
    package var changes: [TreeChange] = []
    package var conflicts: [String] = []
    /// Number of contradictory entries that were left out.
    package var leftOut = 0
    /// Number of nodes that the running listing had not seen before.
    package var newlySeen = 0

    package init(
        changes: [TreeChange] = [], conflicts: [String] = [], leftOut: Int = 0, newlySeen: Int = 0
    ) {
        self.changes = changes
        self.conflicts = conflicts
        self.leftOut = leftOut
        self.newlySeen = newlySeen
    }
}

extension DeltaApplier {
    package var outcome: DeltaOutcome {
        DeltaOutcome(changes: changes, conflicts: conflicts, leftOut: leftOut, newlySeen: newlySeen)
    }
}
