// The deleted entries of a tree at the paths that they had. Not responsible for which paths are
// occupied again: the operation that occupies one takes the tombstone away.

/// The last deleted entry of each path where nothing is, by folded path.
struct TombstoneTable: Equatable, Sendable {
    private var tombstones: [String: Tombstone] = [:]

    var isEmpty: Bool { tombstones.isEmpty }

    subscript(key: String) -> Tombstone? { tombstones[key] }

    /// Whether a deleted folder was at a path.
    func isFolder(_ key: String) -> Bool {
        tombstones[key].map { $0.lastRevision == nil } ?? false
    }

    mutating func add(_ tombstone: Tombstone, at key: String) {
        tombstones[key] = tombstone
    }

    /// Removes the tombstone at a path that becomes occupied; returns the last revision of the file
    /// that was there.
    @discardableResult
    mutating func take(_ key: String) -> RevisionID? {
        tombstones.removeValue(forKey: key)?.lastRevision
    }

    /// The paths that a condition selects, in their order.
    func keys(where isIncluded: (String) -> Bool) -> [String] {
        tombstones.keys.filter(isIncluded).sorted(by: AccountTree.precedes)
    }

    /// The paths of the deletions and moves since a position in the change log, by those positions,
    /// in no order.
    func keys(since change: Int) -> [Int32: [String]] {
        var found: [Int32: [String]] = [:]
        for (key, tombstone) in tombstones where tombstone.change >= change {
            found[tombstone.change, default: []].append(key)
        }
        return found
    }
}
