// The keys that have become free in a transaction: a node with an own name may be waiting for one. Not responsible for what it
// does then (`Transaction+Names.swift`).

import Core

/// The keys that have become free in a transaction, by their folders, with the nodes that have left them.
struct FreedKeys {
    private(set) var keys: [InodeID: [String: Set<InodeID>]] = [:]
    /// Whether there are own names that could become names; nil if that is not known yet.
    var isWatched: Bool?

    mutating func note(_ place: Place, leftBy inode: InodeID) {
        keys[place.parent, default: [:]][place.name.folded, default: []].insert(inode)
        // A node waits for the predicted key of its name.
        guard place.name.key != nil else { return }
        let predicted = Folding.fold(place.name.string)
        keys[place.parent, default: [:]][predicted, default: []].insert(inode)
    }

    /// Notes that a node with an own name has come into a folder, where the key of that may be free.
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
