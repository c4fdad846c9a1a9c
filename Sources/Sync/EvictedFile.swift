// A file that somebody has open, and that news have taken from its place: another client deleted it, or
// stored another revision. Handles go on reading what they opened. A write through one of them is an edit
// like any other, and must not end with the handle.

import Core
import MetadataStore

/// A file in the tree again.
struct ReturnedFile: Sendable {
    var place: Place
    /// Whether it stands beside another one of its name.
    var isConflict: Bool

    /// What changes for users.
    var changes: [TreeChange] {
        [.entry(parent: place.parent, name: place.name), .listing(place.parent)]
    }

    /// Puts a file back: where it was, or beside what is there by now, or in the root if its folder is
    /// gone. Returns nil if it was not news that took it away.
    init?(
        _ node: Node, host: String, at date: Timestamp, in transaction: Transaction
    ) throws {
        guard node.isOrphan, var place = try transaction.eviction(of: node.inode) else {
            return nil
        }
        let names = ConflictName(host: host, at: date)
        let parent = try transaction.node(place.parent)
        let hasFolder = place.parent == .root || parent?.place != nil
        if !hasFolder { place.parent = .root }
        isConflict = try !hasFolder || !transaction.isFree(place)
        if isConflict {
            place.name = try names.freeName(beside: place, in: transaction)
        }
        self.place = place
        try transaction.move(node.inode, to: place)
        try transaction.forgetEviction(of: node.inode)
    }
}

extension ConflictName {
    /// The first name for a conflicted copy that nothing has, here or there.
    func freeName(beside place: Place, in transaction: Transaction) throws -> FileName {
        var number = 1
        // What is between two moves is named after what it was called before.
        let original = TemporaryName.original(of: place.name) ?? place.name
        while true {
            let name = name(for: original, number: number)
            if try transaction.isFree(Place(parent: place.parent, name: name)) { return name }
            number += 1
        }
    }
}

extension Transaction {
    /// Whether nothing is at a place, here or there.
    func isFree(_ place: Place) throws -> Bool {
        try child(like: place.name, of: place.parent) == nil
            && remoteChild(like: place.name, of: place.parent) == nil
    }
}
