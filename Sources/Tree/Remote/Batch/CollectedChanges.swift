// The changes that a batch has made so far, to be announced after the commit. Not responsible for
// the choice of them, which is `DeltaApplier`'s.

import Core
import MetadataStore
import Saturating

/// The changes of an applied batch.
package struct DeltaOutcome: Sendable {
    package var changes: [TreeChange] = []
    package var conflicts: [String] = []
    /// Number of contradictory entries that were left out.
    package var leftOut = 0
    /// Number of nodes that the running listing had not seen before.
    package var newlySeen = 0
    /// Sum of their sizes in bytes.
    package var newlySeenBytes: Int64 = 0

    package init(
        changes: [TreeChange] = [], conflicts: [String] = [], leftOut: Int = 0
    ) {
        self.changes = changes
        self.conflicts = conflicts
        self.leftOut = leftOut
    }
}

/// The outcome of a batch while it grows.
struct CollectedChanges {
    private(set) var outcome = DeltaOutcome()
    /// Folders whose listing is among the changes: once is enough.
    private var listings: Set<InodeID> = []
    /// Those of them whose times do not say so yet, in order.
    private var untouched: [InodeID] = []
    /// Places of nodes that the batch has added and deletes later: never announced, because no user
    /// sees them.
    private var passing: [InodeID: Place] = [:]
    /// The names that nodes have left, as users have seen them, by their folders.
    private var left: [InodeID: Set<[UInt8]>] = [:]
    private var leftCount = 0
    /// More names than that are left by whole trees that go, in which no node waits for one.
    private static let mostLeft = 10_000

    mutating func append(_ change: TreeChange) { outcome.changes.append(change) }

    mutating func appendListing(of folder: InodeID) {
        if listings.insert(folder).inserted {
            outcome.changes.append(.listing(folder))
            untouched.append(folder)
        }
    }

    /// Removes and returns the folders whose names have changed since the last call.
    mutating func takeUntouched() -> [InodeID] {
        defer { untouched = [] }
        return untouched
    }

    mutating func appendConflict(_ name: FileName) { outcome.conflicts.append(name.string) }

    mutating func countNewlySeen(_ size: Int64) {
        outcome.newlySeen +|= 1
        outcome.newlySeenBytes +|= size
    }

    mutating func countLeftOut() { outcome.leftOut +|= 1 }

    // MARK: Nodes that the batch itself deletes

    mutating func holdBack(_ inode: InodeID, at place: Place) { passing[inode] = place }

    func isHeldBack(_ inode: InodeID) -> Bool { passing[inode] != nil }

    /// Drops a node that is deleted as expected. Returns whether it was held back.
    mutating func dropHeldBack(_ inode: InodeID) -> Bool {
        passing.removeValue(forKey: inode) != nil
    }

    /// Removes and returns the nodes that were held back.
    mutating func takeHeldBack() -> [InodeID: Place] {
        defer { passing = [:] }
        return passing
    }

    // MARK: Names that nodes have left

    mutating func noteLeft(_ place: Place) {
        guard leftCount < Self.mostLeft else { return }
        leftCount +|= 1
        left[place.parent, default: []].insert(place.name.shown)
    }

    /// Removes and returns the names of each folder, in order.
    mutating func takeLeft() -> [(folder: InodeID, names: Set<[UInt8]>)] {
        defer { (left, leftCount) = ([:], 0) }
        return left.map { (folder: $0, names: $1) }.sorted { $0.folder < $1.folder }
    }

    // MARK: Parts

    /// Exchanges the changes with others, without copying: a part of a batch begins with none.
    mutating func exchangeChanges(with others: inout [TreeChange]) {
        swap(&outcome.changes, &others)
    }

    /// Puts the changes of a part behind those from before it.
    mutating func append(to earlier: inout [TreeChange]) {
        exchangeChanges(with: &earlier)
        outcome.changes.append(contentsOf: earlier)
    }
}
