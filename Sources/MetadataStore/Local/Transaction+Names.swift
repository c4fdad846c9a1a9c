// Own names and aliases. A node that the server cannot have under its own name gets an alias once,
// and keeps it in its row until it is renamed, or until its own name becomes free. A node of the
// server whose name users have given to another node here is seen under a name that is made here.
// Not responsible for lookups (`TreeReading+Names.swift`).

package import Core
import GRDB
import Saturating

extension Transaction {
    // MARK: Choosing

    /// The name by which the server can file what users see under `shown` in a folder: that itself,
    /// or an alias.
    package func name(
        shownAs shown: FileName, in parent: InodeID, for inode: InodeID?
    ) throws -> FileName {
        guard isStorable(shown) else {
            return try alias(of: shown, in: parent, for: inode, besides: nil)
        }
        let plain = shown.own == nil ? shown : try FileName(shown.text)
        let siblings = try [
            child(folded: plain.folded, of: parent), foreignChild(plain, of: parent),
        ]
        let other = siblings.lazy.compactMap(\.self).first { $0.inode != inode }
        guard let other = other?.place?.name else { return plain }
        return try alias(of: shown, in: parent, for: inode, besides: other)
    }

    /// The name of a node that takes a place: the name there, with its alias, unless only the
    /// node's own key made the alias necessary.
    package func name(of place: Place, takenBy node: Node) throws -> FileName {
        let taken = place.name
        guard taken.own?.isGiven == true, Alias(of: taken.shown).fault == nil,
            let left = node.place, left.parent == place.parent
        else { return taken }
        let plain = try FileName(taken.text)
        guard left.name.folded.utf8.elementsEqual(plain.folded.utf8),
            try isFree(plain, in: place.parent, for: node.inode, overDeleted: false)
        else { return taken }
        return plain
    }

    /// An alias for what users see under `shown`, which is free here and on the server: not the key
    /// of `other`, which another node has there or is about to get.
    package func alias(
        of shown: FileName, in parent: InodeID, for inode: InodeID?, besides other: FileName?
    ) throws -> FileName {
        let own = try OwnName(shown.shown)
        let alias = Alias(of: own.bytes)
        let mark = alias.fault ?? other.map { Self.mark(of: shown, beside: $0) } ?? .name
        let place = try inode.flatMap { try node($0)?.place }
        let held = place?.parent == parent ? place?.name : nil
        func free(_ text: String) throws -> FileName? {
            let name = try FileName(text, key: nil, own: own)
            if let other {
                if other.folded.utf8.elementsEqual(name.folded.utf8) { return nil }
                // Its own alias again would be a move to where it is.
                if let held, held.hasBytes(of: name) { return nil }
            }
            return try isFree(name, in: parent, for: inode, overDeleted: true) ? name : nil
        }
        // The server may take more names for one than can be predicted. Those that it has refused
        // are not chosen anew: each is remembered by the next one's number only.
        let refused = other == nil ? nil : held.flatMap { alias.number(of: $0.string) }
        if refused == nil, let plain = alias.plain, let name = try free(plain) { return name }
        var number = (refused ?? 0) +| 1
        while true {
            if let name = try free(alias.name(marked: mark, number: number)) { return name }
            number +|= 1
        }
    }

    private func isStorable(_ shown: FileName) -> Bool {
        if shown.own == nil { return !Alias.isNeeded(for: shown.string) }
        return Alias(of: shown.shown).fault == nil
    }

    private static func mark(of shown: FileName, beside other: FileName) -> Alias.Mark {
        if other.own != nil { return .name }
        // String equality is canonical equivalence.
        return other.string == shown.text ? .composition : .letterCase
    }

    /// Has users see a node of the server under the name that another machine has told, unless they
    /// see another node under it. Then it is seen under the name that the server has, because the
    /// one before is no longer its own.
    package func learn(_ own: OwnName, of inode: InodeID) throws {
        guard let place = try node(inode)?.place else { return }
        let plain = try FileName(Folding.compose(place.name.string), key: place.name.key)
        let name = try plain.composed(as: own) ?? plain.shown(as: own)
        let other = try child(ownName: own.bytes, of: place.parent)
        let isTaken =
            try other.map { $0.inode != inode } ?? false
            || isShown(name, in: place.parent, besides: inode)
        if isTaken, place.name.unstored == nil { return }
        let shown = isTaken ? plain : name
        if place.name != shown {
            try setPlace(inode, Place(parent: place.parent, name: shown))
        }
    }

    // MARK: One node under each name

    /// The place of a node under a name that users do not see already. A name that users gave stays
    /// where it is.
    func shownAlone(_ place: Place, for inode: InodeID?) throws -> Place {
        let (parent, name) = (place.parent, place.name)
        if name.own != nil { end.freed.isWatched = true }
        guard try mayReturnNames() else { return place }
        if name.own == nil, try child(ownName: name.shown, of: parent) == nil { return place }
        if try !isShown(name, in: parent, besides: inode) { return place }
        let plain = try name.shown(as: nil)
        var shown = plain
        var number = 1
        while try isShown(shown, in: parent, besides: inode) {
            let text = Alias(of: plain.shown).name(marked: .name, number: number)
            shown = try plain.shown(as: OwnName(Array(text.utf8), isGiven: false))
            number +|= 1
        }
        let aside = Place(parent: parent, name: shown)
        end.otherNames.append(aside)
        return aside
    }

    /// The names made in this transaction under which nodes are seen, besides those of their
    /// places.
    package func takeOtherNames() -> [Place] {
        defer { end.otherNames = [] }
        return end.otherNames
    }

    /// Ends names that were made here, and are no longer needed. Returns the places that nodes have
    /// left or got.
    @discardableResult
    package func endMadeNames() throws -> [Place] {
        guard try mayReturnNames() else { return [] }
        // Not sorted by the database, which would read the whole table in that order.
        return try endMadeNames(
            of: nodes(
                "WHERE node.own IS NOT NULL AND node.flags & ? <> 0",
                [NodeFlags.madeOwnName.rawValue]))
    }

    /// The same in a folder.
    package func endMadeNames(in folder: InodeID) throws -> [Place] {
        guard try mayReturnNames() else { return [] }
        return try endMadeNames(
            of: nodes(
                "WHERE node.parent = ? AND node.own IS NOT NULL AND node.flags & ? <> 0",
                [folder.column, NodeFlags.madeOwnName.rawValue]))
    }

    private func endMadeNames(of made: [Node]) throws -> [Place] {
        var places: [Place] = []
        for node in made.sorted(by: { $0.inode < $1.inode }) {
            guard let place = node.place else { continue }
            let name = try place.name.shown(as: nil)
            if try isShown(name, in: place.parent, besides: node.inode) { continue }
            let plain = Place(parent: place.parent, name: name)
            try setPlace(node.inode, plain)
            places += [place, plain]
        }
        return places
    }

    // MARK: Back to normal

    /// Whether a key that becomes free may be an own name's.
    func mayReturnNames() throws -> Bool {
        if let known = end.freed.isWatched { return known }
        let isWatched = try hasOwnNames()
        end.freed.isWatched = isWatched
        return isWatched
    }

    /// Moves a node to an alias because the server has another node under its name, perhaps under a
    /// key that cannot be predicted. The name does not count as free: two nodes that wait for it
    /// would try in turns for ever.
    package func giveUpName(of inode: InodeID, for alias: Place) throws {
        let left = try node(inode)?.place
        try move(inode, to: alias)
        if let left { end.freed.noteNotFree(left, leftBy: inode) }
    }

    /// Notes that a node may leave its place in the local tree. Returns the place, if any node may
    /// wait for its key.
    @discardableResult
    func noteLeaving(_ inode: InodeID) throws -> Place? {
        guard try mayReturnNames(), let place = try node(inode)?.place else { return nil }
        end.freed.note(place, leftBy: inode)
        return place
    }

    /// Notes that a node has come to a place from another folder: what made it need an alias may
    /// have stayed there.
    package func noteArrival(at place: Place) throws {
        guard place.name.own?.isGiven == true, Alias(of: place.name.shown).fault == nil else {
            return
        }
        let own = Place(parent: place.parent, name: try FileName(place.name.text))
        end.freed.noteArrival(at: own)
    }

    /// Notes that a node may leave its place on the server.
    func noteLeavingServer(_ node: Node) throws {
        if try mayReturnNames(), let place = try remotePlace(of: node) {
            end.freed.note(place, leftBy: node.inode)
        }
    }

    /// Has the names that go back because of this transaction sent at a time only: the machine
    /// whose user has freed them comes first.
    package func delayReturns(until due: WallTime) { end.returnsDue = due }

    /// Has no name go back because of this transaction.
    package func keepAliases() { end.keepsAliases = true }

    /// Gives nodes their own names on the server, too, that no other node has, neither here nor
    /// there. Users see no change.
    func returnNames() throws {
        if end.keepsAliases { return }
        // Each alias that goes may free the name of another node.
        while let (parent, keys) = end.freed.next() {
            for key in keys.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                try returnNames(to: key, in: parent, leftBy: keys[key, default: []])
            }
        }
    }

    private func returnNames(
        to key: String, in parent: InodeID, leftBy leavers: Set<InodeID>
    ) throws {
        guard try node(parent)?.flags.isDisjoint(with: .rights) ?? true else { return }
        let aliased = try nodes(ownNameFolded: key, of: parent).filter {
            $0.flags.isDisjoint(with: .betweenMoves) && $0.place?.name.own?.isGiven == true
        }
        for node in aliased {
            guard let shown = node.place?.name, Alias(of: shown.shown).fault == nil else {
                continue
            }
            let name = try FileName(shown.text)
            // Of a node that has left its own name for an alias, only the server knows why.
            if !leavers.subtracting([node.inode]).isEmpty,
                try isFree(name, in: parent, for: node.inode, overDeleted: false)
            {
                try move(node.inode, to: Place(parent: parent, name: name))
                // Users' changes of the node wait for nothing.
                if !node.isOwed, let due = end.returnsDue {
                    try reschedule(node.inode, due: due)
                }
            }
        }
    }
}
