// A batch of entries while it is applied: its entries by their nodes and paths, the present one,
// and the marks of that. Only the verbs below change it. Not responsible for nodes between two
// places: `DetachedNodes`.

import Core
import MetadataStore
import RemoteStore

/// The entries between two states of the server, in order. Without entries, it stands for a single
/// response.
struct DeltaBatch {
    /// Whether the batch is from the feed.
    private(set) var isFeed = false
    /// For each ID, the index of its last entry. A node that a `deleted` entry removes and a later
    /// entry adds again was moved, and keeps its inode.
    private var lastIndex: [FileID: Int] = [:]
    /// The last entry that deletes a path, by the path.
    private var lastDeletion: [RemotePath: Int] = [:]
    private var currentIndex = 0
    /// The revisions that the feed tells.
    private var revisions: Set<Revision> = []
    /// Deleted folders that the batch has restored for their new contents, outer ones first.
    private var restored: [InodeID] = []
    /// Unsent nodes of users that the batch has merged with the server's.
    private var merged: Set<InodeID> = []
    /// Paths of folders that were left out, because a later entry deletes them.
    private var leftOut: Set<RemotePath> = []
    /// The places with own names that nodes have left, the last ones first.
    private var aliasesLeft: [InodeID: [Place]] = [:]

    /// Whether a later entry deletes the path of the present one.
    private(set) var isDeletedLater = false
    /// Whether the present entry was added in one statement.
    private(set) var isInserted = false
    /// Whether the present entry has a file where it was.
    private(set) var isUnmoved = false
    /// Whether the present entry has a file in its known revision.
    private(set) var isSameRevision = false
    /// Whether the present entry is of a creation by this mount, whose response was lost.
    private(set) var isArrival = false
    /// Whether the present entry is from before this mount's own upload.
    private(set) var isOutdated = false

    init() {}

    init(_ entries: [RemoteEntry], isFeed: Bool) {
        self.isFeed = isFeed
        lastIndex.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            switch entry.kind {
            case .file(let file):
                lastIndex[file.id] = index
                if isFeed { revisions.insert(file.revision) }
            case .folder(let folder): lastIndex[folder.id] = index
            case .deleted: lastDeletion[entry.foldedPath] = index
            }
        }
    }

    // MARK: Entries

    /// Makes an entry the present one.
    mutating func advance(to index: Int, _ entry: RemoteEntry) {
        currentIndex = index
        isDeletedLater = deletesLater(entry.foldedPath)
    }

    /// Whether any entry has a node.
    func has(_ id: FileID) -> Bool { lastIndex[id] != nil }

    /// Whether an entry after the present one has a node. An earlier entry of a folder at a path
    /// may be the former folder's.
    func isToldLater(_ id: FileID) -> Bool {
        lastIndex[id].map { $0 > currentIndex } ?? false
    }

    /// Whether the feed tells a revision.
    func tells(_ revision: Revision) -> Bool { revisions.contains(revision) }

    /// Forgets which nodes the entries have, once all of them are applied.
    mutating func forgetNodes() { lastIndex = [:] }

    /// Whether any entry deletes a path.
    var hasDeletions: Bool { !lastDeletion.isEmpty }

    /// Whether an entry after the present one deletes a path.
    func deletesLater(_ path: RemotePath) -> Bool {
        lastDeletion[path].map { $0 > currentIndex } ?? false
    }

    // MARK: The present entry

    /// Drops the marks of the entry before.
    mutating func beginEntry() {
        isInserted = false
        isUnmoved = false
        isSameRevision = false
        isArrival = false
        isOutdated = false
    }

    mutating func noteInserted() { isInserted = true }

    mutating func noteUnmoved() { isUnmoved = true }

    mutating func noteArrival() { isArrival = true }

    mutating func noteOutdated() { isOutdated = true }

    mutating func noteRevision(isSame: Bool) { isSameRevision = isSame }

    // MARK: Own names

    /// Notes the places that a node leaves. Returns those of the whole batch under which it had an
    /// own name: after an entry from before a response, a later one has the node there again.
    mutating func noteLeft(_ places: [Place?], by inode: InodeID) -> [Place] {
        let aliases = places.compactMap(\.self).filter { $0.name.own?.isGiven == true }
        if !aliases.isEmpty { aliasesLeft[inode] = aliases + (aliasesLeft[inode] ?? []) }
        return aliasesLeft[inode] ?? []
    }

    // MARK: Nodes that are gone by the end of the batch

    /// Notes that an unsent node of users is one with the server's.
    mutating func noteMerged(_ inode: InodeID) { merged.insert(inode) }

    /// Whether a node was unsent before the batch.
    func hasMerged(_ inode: InodeID) -> Bool { merged.contains(inode) }

    /// Notes that a folder was left out.
    mutating func noteLeftOut(_ folder: RemotePath) { leftOut.insert(folder) }

    /// Whether a folder of this path was left out.
    func hasLeftOut(_ folder: RemotePath) -> Bool { leftOut.contains(folder) }

    // MARK: Restored folders

    mutating func noteRestored(_ folder: InodeID) { restored.append(folder) }

    /// Removes and returns the restored folders, inner ones first.
    mutating func takeRestored() -> [InodeID] {
        defer { restored = [] }
        return restored.reversed()
    }
}
