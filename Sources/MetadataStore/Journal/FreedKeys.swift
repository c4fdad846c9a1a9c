// The keys that have become free in a transaction: a node with an own name may be waiting for one.
// Not responsible for what it does then (`Transaction+Names.swift`).

import Core

/// The keys that have become free in a transaction, by their folders, with the nodes that have left
/// them.
struct FreedKeys {
    private(set) var keys: [InodeID: [String: Set<InodeID>]] = [:]
    /// Whether there are own names that could become names; nil if that is not known yet.
    var isWatched: Bool?

    mutating func note(_ place: Place, leftBy inode: InodeID) {
        for key in Self.keys(of: place.name) {
            keys[place.parent, default: [:]][key, default: []].insert(inode)
        }
    }

    /// Takes back that a node has left a place: the name is not free.
    mutating func noteNotFree(_ place: Place, leftBy inode: InodeID) {
        for key in Self.keys(of: place.name) { keys[place.parent]?[key]?.remove(inode) }
    }

    /// The key of a name, and the predicted one, for which nodes wait.
    private static func keys(of name: FileName) -> [String] {
        name.key == nil ? [name.folded] : [name.folded, Folding.fold(name.string)]
    }

    /// Notes that a node with an own name has come into a folder, where the key of that may be
    /// free.
    mutating func noteArrival(at place: Place) {
        // A key counts as left by another node; the root is a sibling of none.
        note(place, leftBy: .root)
    }

    /// Takes the keys of a folder, in a fixed order, because it decides the order in the journal.
    mutating func next() -> (InodeID, [String: Set<InodeID>])? {
        guard let folder = keys.keys.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
        return keys.removeValue(forKey: folder).map { (folder, $0) }
    }
}
