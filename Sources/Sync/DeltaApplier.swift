// Brings what the server says into the tree: listings, deltas and single answers, by the same rules.
// What happens when both sides changed something is in `DeltaApplier+Conflicts.swift`. Not responsible
// for fetching, nor for telling the kernel: it returns what changed.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging

/// What the rules need beside the tree.
struct DeltaContext: Sendable {
    /// Asked whether a file is open, which makes a remote change a rename over it.
    var openFiles: any OpenFileTracking
    /// Where content is staged that the server has lost and the user still wants.
    var staging: StagingArea
    /// The time by which entries of the journal are due.
    var now: Timestamp
    /// The date and time of day.
    var date: Timestamp
    /// This machine's name, for conflicted copies.
    var host: String
    /// Whether a full listing is running, whose meetings are to be marked.
    var isListing: Bool
    /// Whether all is known, so that the kernel may remember which names do not exist.
    var isTreeComplete: Bool
    /// Whether an entry that cannot be true together with what is stored is left out, instead of failing its batch.
    var leavesOutContradictions = false
}

/// Applies entries of the server, in order, within one transaction.
struct DeltaApplier {
    let transaction: Transaction
    let context: DeltaContext
    /// What changed for users, to be announced after the commit.
    var changes: [TreeChange] = []
    /// Folders whose listing is among the changes: once is enough.
    private var changedListings: Set<InodeID> = []
    /// The names that conflicted copies were given.
    private(set) var conflicts: [String] = []

    /// For each identity in the batch, the index of its last entry. What a `deleted` entry takes away
    /// and a later entry brings again was moved, and keeps its inode.
    var lastIndex: [FileID: Int] = [:]
    private var currentIndex = 0
    /// Whether the batch is the stream of changes itself.
    private(set) var isFeed = false
    /// Nodes that the batch has taken from their places and will put elsewhere.
    var detached = DetachedNodes()
    /// Paths of the feed's deletions that led to no node when their turn came.
    var unknownDeletions: [String] = []
    /// Entries that were left out because they contradict what is stored.
    var leftOut = 0
    /// Nodes that the running listing had not met before.
    private(set) var met = 0
    /// The folder that the last entry was in, for the next one, which mostly is in the same; nil again
    /// when a folder may have changed its place.
    var lastFolder: (path: String, inode: InodeID, isVisible: Bool)?
    /// The number of the full listing that is running; 0 without one, which marks nothing.
    let listing: Int64

    init(transaction: Transaction, context: DeltaContext) throws {
        self.transaction = transaction
        self.context = context
        listing = context.isListing ? try transaction.listingNumber() : 0
    }

    /// Applies a batch: all entries between two states of the server. With `isFeed`, deletions may name
    /// places from before the departures that are noted.
    mutating func apply(_ entries: [RemoteEntry], isFeed: Bool = false) throws {
        self.isFeed = isFeed
        lastIndex.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            switch entry.kind {
            case .file(let file): lastIndex[file.id] = index
            case .folder(let folder): lastIndex[folder.id] = index
            case .deleted: break
            }
        }
        for (index, entry) in entries.enumerated() {
            currentIndex = index
            try applyUnlessContradictory { applier in try applier.apply(entry) }
        }
        try settleDetached()
        try doubtUnknownDeletions()
    }

    private mutating func apply(_ entry: RemoteEntry) throws {
        switch entry.kind {
        case .file(let file): try applyFile(file, entry)
        case .folder(let folder): try applyFolder(folder, entry)
        case .deleted: try applyDeletion(entry)
        }
    }

    /// Takes away what a full listing did not meet.
    mutating func removeUnseen() throws {
        lastIndex = [:]
        for node in try transaction.nodes(notMetBy: transaction.listingNumber()) {
            try applyUnlessContradictory { applier in
                let current = try applier.transaction.node(node.inode)
                if let current, current.remote != .absent { try applier.removeRemote(current) }
            }
        }
    }

    /// Seconds for which a server may work on a commit: as long as this client waits for an answer.
    private static let longestCommit = 900.0

    /// The feed has told all until now, with no commit on its way.
    func feedCaughtUp() throws {
        try transaction.forgetAttempts(
            sentBefore: context.date.adding(seconds: -Self.longestCommit))
        try transaction.forgetDepartures()
    }

    // MARK: One entry

    private mutating func applyFile(_ file: RemoteFile, _ entry: RemoteEntry) throws {
        // A state that has passed: the batch ends with a later one of the same file.
        if let last = lastIndex[file.id], last > currentIndex { return }
        let kind: NodeKind = file.symbolicLinkTarget == nil ? .file : .symbolicLink
        let place = try place(of: entry)
        let facts = RemoteFacts(file)
        if try insertIfUnknown(kind, at: place, facts) { return }
        try forgetIdentity(file.id, ofFolderAbove: place)
        var occupant = try occupant(of: place, for: file.id)
        if let known = occupant, known.kind != kind || isOther(known, than: file.id) {
            try removeRemote(known)
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
        // One that users have moved or deleted does not become another one that others made in its place.
        if let known = occupant,
            known.kind != .folder || known.remote == .displaced && isOther(known, than: folder.id)
        {
            try removeRemote(known)
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
    }

    /// Adds what is new in every respect: its place, its identity, and no doubt about either.
    private mutating func insertIfUnknown(
        _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        // A folder that users deleted has to come back with what is new in it.
        guard let lastFolder, lastFolder.isVisible, !TemporaryName.isTemporary(place.name),
            facts.id.map({ !detached.contains($0) }) ?? true,
            try transaction.insertIfUnknown(kind, at: place, facts: facts, metBy: listing) != nil
        else { return false }
        met +|= 1
        // While not all is known, the kernel does not remember that there was no such name.
        if context.isTreeComplete {
            announce(place)
        } else {
            announceListing(of: place.parent)
        }
        return true
    }

    /// The node that the server has at a place, after bringing one there that it had elsewhere.
    private mutating func occupant(of place: Place, for id: FileID) throws -> Node? {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        if let moved = detached.remove(id) {
            guard let known = try transaction.node(moved.inode) else { return occupant }
            try free(occupant, for: known)
            try attach(moved, at: place)
            return try transaction.node(known.inode)
        }
        guard let known = try transaction.node(id: id), known.inode != occupant?.inode else {
            return occupant
        }
        try noteMove(of: known, to: place)
        if let occupant, try holds(occupant, known) {
            // It comes out of a folder that it takes the place of.
            let moved = try detach(known)
            try free(occupant, for: known)
            try attach(moved, at: place)
        } else {
            try free(occupant, for: known)
            try moveRemote(known, to: place)
        }
        return try transaction.node(known.inode)
    }

    /// Whether the server was believed to have a node in a folder.
    private func holds(_ folder: Node, _ node: Node) throws -> Bool {
        try folder.kind == .folder && folder.inode != node.inode
            && transaction.isRemote(node.inode, within: folder.inode)
    }

    /// Takes what the server was believed to have at a place away from there.
    private mutating func free(_ occupant: Node?, for node: Node) throws {
        guard let occupant else { return }
        if occupant.kind == .folder && occupant.facts.id == nil && node.kind == .folder {
            try adoptChildren(of: occupant, into: node)
        } else {
            try removeRemote(occupant)
        }
    }

    /// Makes a place free for a node that an answer has put there. What was believed to be there was
    /// moved or deleted by another client, and the feed has yet to say so.
    mutating func vacate(_ place: Place, for inode: InodeID) throws {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        guard let occupant, occupant.inode != inode else { return }
        guard let node = try transaction.node(inode), try holds(occupant, node) else {
            return try removeRemote(occupant)
        }
        let moved = try detach(node)
        try removeRemote(occupant)
        try attach(moved, at: place)
    }

    /// The same where the answer is about what no node is known of.
    mutating func vacate(_ place: Place, besides inode: InodeID) throws {
        let occupant = try transaction.remoteChild(folded: place.name.folded, of: place.parent)
        if let occupant, occupant.inode != inode { try removeRemote(occupant) }
    }

    private func isOther(_ node: Node, than id: FileID) -> Bool {
        guard let known = node.facts.id else { return false }
        return known != id
    }

    /// Takes the server's spelling of a name that users see under another one, unless they are about
    /// to rename it. A difference in composition only is the user's spelling, and stays.
    mutating func adoptCase(of node: Node, _ name: FileName) throws {
        guard let known = try transaction.remotePlace(of: node), known.name.string != name.string
        else { return }
        let spelled = Place(parent: known.parent, name: name)
        guard node.remote == .inPlace, let place = node.place else {
            return try transaction.setRemotePlace(node.inode, spelled)
        }
        try transaction.move(node.inode, to: spelled)
        try transaction.setRemotePlace(node.inode, spelled)
        announce(place)
        announce(spelled)
    }

    // MARK: Bookkeeping

    mutating func mark(_ inode: InodeID) throws {
        if listing != 0, try transaction.markMet(inode, by: listing) { met +|= 1 }
    }

    /// Takes a node from its place if a later entry of the batch says where it went, and returns
    /// whether that is so. Until then it has no place, so that others can have the one it had.
    mutating func detachIfMoved(_ node: Node) throws -> Bool {
        guard let id = node.facts.id, let last = lastIndex[id], last > currentIndex else {
            return false
        }
        try detachUntilPlaced(node)
        return true
    }

    /// Takes a node from its place that the entry at hand, or a later one, will put elsewhere.
    mutating func detachUntilPlaced(_ node: Node) throws {
        guard let id = node.facts.id else { return }
        detached.insert(try detach(node), id)
    }

    /// What a later entry of the batch says the place of. Until then the rows have it nowhere on the
    /// server, as what was never sent; but it has an identity, and must not be given another one.
    func onItsWay(_ node: Node) -> DetachedNode? {
        detached[node.inode]
    }

    /// Takes a node from where the server had it, until `attach` says where it is.
    private mutating func detach(_ node: Node) throws -> DetachedNode {
        let isSeenThere = node.remote == .inPlace || node.flags.contains(.betweenMoves)
        let seen = isSeenThere ? node.place : nil
        let left = try transaction.remotePlace(of: node)
        if let seen {
            try transaction.move(node.inode, to: nil)
            announce(seen)
        }
        try transaction.setRemoteAbsent(node.inode)
        // What was listed at the place that it leaves may have been another folder.
        if node.kind == .folder { try transaction.setFlags(.listed, false, of: node.inode) }
        return DetachedNode(
            inode: node.inode, facts: node.facts, left: left, seen: seen)
    }

    /// A name leads somewhere else now, or nowhere because what it led to was moved.
    mutating func announce(_ place: Place) {
        changes.append(.entry(parent: place.parent, name: place.name))
        announceListing(of: place.parent)
    }

    /// A name is gone with what it led to. Not for moves: the kernel takes a deleted folder for dead, for
    /// ever, wherever else it turns up.
    mutating func announceDeletion(of inode: InodeID, at place: Place) {
        changes.append(.deletedEntry(parent: place.parent, child: inode, name: place.name))
        announceListing(of: place.parent)
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

extension RemotePath {
    /// The folder above; the root's is the root.
    var parent: RemotePath {
        guard let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return RemotePath(rawValue: String(rawValue[..<slash]))
    }
}

extension RemoteFacts {
    init(_ file: RemoteFile) {
        var flags: NodeFlags = []
        if file.isReadOnly { flags.insert(.readOnly) }
        if !file.isDownloadable { flags.insert(.notDownloadable) }
        self.init(
            id: file.id, revision: file.revision, size: file.size, hash: file.hash,
            clientModified: file.clientModified, serverModified: file.serverModified,
            target: file.symbolicLinkTarget, flags: flags)
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
    /// The entry of a delta that tells that nothing is at a path of names, as far as a tree knows them.
    init?(deleted path: RemotePath, in tree: some TreeReading) throws {
        let names = try path.components.map { try FileName($0) }
        guard let name = names.last else { return nil }
        self.init(
            foldedPath: RemotePath(rawValue: try tree.remoteKeyPath(ofNames: names)), name: name,
            kind: .deleted)
    }
}
