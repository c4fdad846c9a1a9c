// Detached open files. While a process has a file open, a delta may take it from its place, because
// another client has deleted it or stored another revision. Handles continue to read its content. A
// write through such a handle is an edit like any other and must not be lost with the handle, so it
// brings the file back (rows E4 and E5 of the conflict table).

import Core
package import MetadataStore
import Saturating

/// A detached file that is reattached to the tree.
package struct ReturnedFile: Sendable {
    /// Where the file is shown from now on.
    package var place: Place
    /// Whether it stands beside another file of its name.
    package var isConflict: Bool

    /// The changes to announce.
    package var changes: [TreeChange] {
        [.entry(parent: place.parent, name: place.name), .listing(place.parent)]
    }

    /// Reattaches a file: at its place, or beside the present file there, or in the root if its
    /// folder is gone. Returns nil if no delta detached it.
    init?(
        _ node: Node, host: String, at date: WallTime, in transaction: Transaction
    ) throws {
        guard node.isOrphan, var place = try transaction.detachedPlace(of: node.inode) else {
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
        try transaction.forgetDetached(of: node.inode)
    }
}

extension ConflictName {
    /// The first free name for a conflicted copy, locally and remotely.
    func freeName(beside place: Place, in transaction: Transaction) throws -> FileName {
        var number = 1
        // A node between two moves is named after its original name.
        let original = TemporaryName.original(of: place.name) ?? place.name
        while true {
            let name = name(for: original, number: number)
            if try transaction.isFree(Place(parent: place.parent, name: name)) { return name }
            number +|= 1
        }
    }
}

extension Transaction {
    /// Whether a place is free, locally and remotely.
    func isFree(_ place: Place) throws -> Bool {
        try child(place.name, of: place.parent) == nil
            && child(like: FileName(place.name.string, key: place.name.key), of: place.parent)
                == nil
            && remoteChild(like: place.name, of: place.parent) == nil
    }
}
