// The own names that other machines tell, and the names that nodes leave for those that wait for
// them. Not responsible for the name under which the server has a node.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// Shows a node under the own name that another machine has stored for it, unless users here
    /// have renamed it since. Only for a node that is at its place on the server.
    mutating func learnOwnName(
        from facts: PosixFacts, over told: PosixFacts?, of node: Node
    ) throws {
        guard facts.ownName != nil else { return }
        let base = told?.ownName
        var node = node
        if facts.ownName != base, try endReturn(of: node) {
            node = try transaction.existing(node.inode)
        }
        guard node.remote == .inPlace, let place = node.place,
            let own = facts.ownName(of: place.name), !node.hasUntoldStoredName(over: told)
        else { return }
        let shown = place.name.unstored
        guard own != base || !batch.isUnmoved, shown == nil || shown == base else { return }
        try learn(own, of: node.inode, at: place)
    }

    /// Shows a node under the name that another machine has told, if that is one of those that
    /// others have left.
    private mutating func learn(oneOf left: Set<[UInt8]>, for node: Node) throws {
        guard node.remote == .inPlace, let place = node.place, place.name.unstored == nil,
            let told = try transaction.toldFacts(of: node.inode),
            let own = told.ownName(of: place.name), left.contains(own.bytes),
            !node.hasUntoldStoredName(over: told)
        else { return }
        try learn(own, of: node.inode, at: place)
    }

    private mutating func learn(_ own: OwnName, of inode: InodeID, at place: Place) throws {
        try transaction.learn(own, of: inode)
        guard let learned = try transaction.node(inode)?.place, learned != place else { return }
        announceLeft(place)
        announce(learned)
    }

    /// Gives names that nodes have left to nodes that wait for them: first to those that the server
    /// has under the name, then to those for which another machine has stored it.
    mutating func giveLeftNames() throws {
        // A node that gets its name leaves another one.
        var left = collected.takeLeft()
        while !left.isEmpty {
            for (folder, names) in left { try give(names, of: folder) }
            left = collected.takeLeft()
        }
    }

    /// Shows nodes under the names that the server has, where users here have renamed or deleted
    /// others, and nothing is left to send. Not with the user's call: a program that saves a file
    /// frees its name for a moment, and would then find another node.
    mutating func giveFreedNames() throws {
        guard try transaction.isQueueEmpty() else { return }
        for place in try transaction.endMadeNames() { announce(place) }
        try touchFolders()
    }

    private mutating func give(_ names: Set<[UInt8]>, of folder: InodeID) throws {
        for place in try transaction.endMadeNames(in: folder) { announce(place) }
        guard holdsToldFacts else { return }
        // All aliases that stand for such names have a mark.
        let arePlain = names.allSatisfy { name in
            name.allSatisfy { $0 < 0x80 } && Alias(of: name).fault == nil
        }
        for node in try transaction.nodesWithoutToldNames(of: folder, onlyMarked: arePlain) {
            try learn(oneOf: names, for: node)
        }
    }
}

extension Node {
    /// Whether users have given it the name that the server has, and the server tells another one.
    fileprivate func hasUntoldStoredName(over told: PosixFacts?) -> Bool {
        flags.contains(.storedNameGiven) && told?.ownName?.bytes != place?.name.shown
    }
}
