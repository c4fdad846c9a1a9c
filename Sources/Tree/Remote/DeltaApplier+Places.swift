// The local place of a node whose place is taken, or that has none: beside the remote node, or at
// its remote place.

import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    /// Renames a local node to a conflicted copy, so that the remote node keeps the name. If users
    /// see the two under different names, or have not asked for the local one's move, both stay.
    mutating func stepAside(_ node: Node, for name: FileName) throws {
        guard let place = node.place else { return }
        if try endReturn(of: node) { return }
        let isOwn = place.name.own?.isGiven ?? true
        if isOwn, !context.refusesNames, !place.name.isShown(as: name),
            !node.flags.contains(.betweenMoves)
        {
            let alias = try transaction.alias(
                of: place.name, in: place.parent, for: node.inode, besides: name)
            try transaction.giveUpName(
                of: node.inode, for: Place(parent: place.parent, name: alias))
            return _ = try transaction.settleFacts(of: node.inode, by: context.posix)
        }
        let names = ConflictName(host: context.host, at: context.date)
        let free = try names.freeName(beside: place, in: transaction)
        let aside = Place(parent: place.parent, name: free)
        try transaction.move(node.inode, to: aside)
        if node.flags.contains(.betweenMoves) {
            // Not users but another client moves it, so that its next move or its deletion is
            // followed.
            try waitForSecondMove(of: node.inode)
        } else {
            noteConflict(free)
        }
        announceLeft(place)
        announce(aside)
    }

    /// Ends the way of an alias back to the own name, for which no user has asked: the node keeps
    /// the alias, or goes where a later entry has it. Returns whether it was on that way.
    mutating func endReturn(of node: Node) throws -> Bool {
        guard try transaction.isReturning(node) else { return false }
        if try detachIfMoved(node) { return true }
        return try transaction.endReturn(of: node)
    }

    /// Restores a deleted node at its remote place, and the folders above it. Row D5.
    mutating func bringBack(_ inode: InodeID) throws {
        var hidden: [InodeID] = []
        var current = inode
        while current != .root, let node = try transaction.node(current), node.place == nil,
            let place = try transaction.remotePlace(of: node)
        {
            hidden.append(current)
            current = place.parent
        }
        for inode in hidden.reversed() {
            // Restoring a parent may have changed its children.
            guard let node = try transaction.node(inode), node.place == nil,
                let place = try transaction.remotePlace(of: node)
            else { continue }
            let isUsers = try show(node, at: place)
            // Its times are those of staged content that was removed after the deletion.
            if node.kind == .file, node.staged == nil { try transaction.forgetTimes(of: node) }
            // A folder that users have made stays, also if nothing is in it.
            if node.kind == .folder {
                if isUsers { batch.noteMerged(inode) } else { batch.noteRestored(inode) }
            }
        }
    }

    /// Hides the restored folders again whose new contents are gone by the end of the batch.
    mutating func hideEmptyRestored() throws {
        for inode in batch.takeRestored() {
            guard let node = try transaction.node(inode), node.remote != .absent,
                let place = node.place, try !transaction.hasChildren(inode)
            else { continue }
            try transaction.move(inode, to: nil)
            announce(place)
        }
    }

    /// Shows a node at a place, or as a conflicted copy beside it if that is taken; it is queued to
    /// be sent there. That is no conflict of users if another client is about to move it on.
    mutating func show(
        _ inode: InodeID, nearestTo place: Place, movesOn: Bool = false
    ) throws {
        var place = place
        if try !transaction.isFree(place) {
            place.name = try ConflictName(host: context.host, at: context.date)
                .freeName(beside: place, in: transaction)
            if !movesOn { noteConflict(place.name) }
        }
        try transaction.move(inode, to: place)
        announce(place)
    }

    /// Shows a node at its remote place. If it has a temporary name there, it is shown under its
    /// original name, and moved back to that. Returns whether it is also a folder that users have
    /// made at that place.
    @discardableResult
    mutating func show(
        _ node: Node, at place: Place, movesOn: Bool = false
    ) throws -> Bool {
        if TemporaryName.isTemporary(place.name) {
            // An original name that was too long is not part of the temporary one.
            let original = try TemporaryName.original(of: place.name) ?? FileName("recovered")
            let shown = try original.shown(as: place.name.own)
            try show(
                node.inode, nearestTo: Place(parent: place.parent, name: shown), movesOn: movesOn)
            return false
        }
        let local = try seen(at: place)
        if let local, try isMadeAnew(local, for: node) {
            try transaction.move(local.inode, to: nil)
            try transaction.move(node.inode, to: place)
            try takeLocalFacts(of: local, for: node.inode)
            try absorb(local, into: node)
            announce(place)
            return true
        }
        if let local { try stepAside(local, for: place.name) }
        try transaction.move(node.inode, to: place)
        announce(place)
        return false
    }

    /// Row N3: whether users have made a folder anew where they had deleted it. A later entry of
    /// the batch may still move a node that the server seems not to have. Contents of a folder that
    /// was moved, and not deleted, keep their names before those of a new folder.
    private func isMadeAnew(_ local: Node, for folder: Node) throws -> Bool {
        try folder.kind == .folder && local.kind == .folder && local.remote == .absent
            && !local.flags.contains(.localOnly) && onItsWay(local) == nil
            && !transaction.hasChildren(folder.inode)
    }

    /// Gives a folder the mode, the times and the attributes that users have given a new one.
    private func takeLocalFacts(of new: Node, for folder: InodeID) throws {
        try transaction.setLocal(new.local, of: folder)
        for (name, _) in try transaction.attributes(of: folder) {
            try transaction.removeAttribute(name, of: folder)
        }
        for (name, value) in try transaction.attributes(of: new.inode) {
            try transaction.setAttribute(name, of: folder, to: value)
        }
        try transaction.settleFacts(of: folder, by: context.posix)
    }

    /// Undoes local moves after the server put a folder below one that users have moved into it,
    /// until neither contains the other. Row M8.
    mutating func undoMoves(from inode: InodeID, upTo ancestor: InodeID) throws {
        var undone: Set<InodeID> = []
        var current = inode
        while current != ancestor, let node = try transaction.node(current), let place = node.place
        {
            current = place.parent
            guard node.remote == .displaced, !undone.contains(node.inode),
                let remotePlace = try transaction.remotePlace(of: node)
            else { continue }
            try bringBack(remotePlace.parent)
            guard try !transaction.isInode(remotePlace.parent, within: node.inode) else { continue }
            undone.insert(node.inode)
            announce(place)
            try show(node, at: remotePlace)
            guard try transaction.isInode(inode, within: ancestor) else { return }
            current = inode
        }
    }
}
