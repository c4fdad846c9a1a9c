// What becomes of a node when the server changed it, for each state that this mount may have it in.
// The table of docs/semantics.md, row by row: all that users wrote and the server has not, survives.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

extension DeltaApplier {
    // MARK: New on the server

    /// A file that was not known. What users have made at its place steps aside.
    mutating func insertFile(_ kind: NodeKind, at place: Place, _ facts: RemoteFacts) throws {
        if let hash = facts.hash, try arrived(kind, hash: hash, at: place, facts) { return }
        try bringBack(place.parent)
        if let local = try transaction.child(folded: place.name.folded, of: place.parent) {
            if kind == .file, local.remote == .absent, onItsWay(local) == nil,
                let hash = local.staged?.knownHash, hash == facts.hash
            {
                // Both wrote the same bytes, or the reply to this mount's own upload was lost.
                try transaction.setFacts(facts, of: local.inode)
                try transaction.setRemotePlace(local.inode, place)
                if local.flags.contains(.localOnly) {
                    // A name that stays here does not matter for what the server has.
                    try transaction.publish(local.inode)
                }
                try mark(local.inode)
                return
            }
            try stepAside(local)
        }
        try insertRemote(kind, at: place, facts)
    }

    /// Adds a node that only the server has. One that is between two moves is shown under the name that it had.
    private mutating func insertRemote(
        _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws {
        guard TemporaryName.isTemporary(place.name) else {
            let inode = try transaction.insertRemote(kind, at: place, facts: facts)
            try mark(inode)
            return announce(place)
        }
        let inode = try transaction.insertTombstone(kind, at: place, facts: facts)
        try mark(inode)
        guard let node = try transaction.node(inode) else { return }
        try show(node, at: place)
        try waitForSecondMove(of: inode)
    }

    /// A folder that was not known. One that users have made at its place is the same folder, and what is
    /// in it stays here if it never left this machine.
    mutating func insertFolder(at place: Place, _ facts: RemoteFacts) throws {
        if try arrived(.folder, hash: nil, at: place, facts) { return }
        try bringBack(place.parent)
        if let local = try transaction.child(folded: place.name.folded, of: place.parent) {
            if local.kind == .folder, local.remote == .absent, onItsWay(local) == nil {
                try transaction.setFlags(.localOnly, false, of: local.inode)
                try transaction.setFacts(facts, of: local.inode)
                try transaction.setRemotePlace(local.inode, place)
                try mark(local.inode)
                return
            }
            try stepAside(local)
        }
        try insertRemote(.folder, at: place, facts)
    }

    /// Whether a new thing is what this mount sent, and the answer was lost. Users may have moved, changed or
    /// deleted it meanwhile, or put it in another file's place; that is still to be sent.
    private mutating func arrived(
        _ kind: NodeKind, hash: ContentHash?, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        let modified = facts.clientModified
        guard let own = try transaction.attempt(at: place, hash: hash, modified: modified) else {
            return false
        }
        try transaction.forgetAttempt(own.id)
        let sent = try transaction.node(own.inode)
        if let left = sent.flatMap({ onItsWay($0) })?.left, left.isSameThere(as: place) {
            // Sent twice and arrived twice, because others had moved the folder. What they want of either is
            // not known, so both stay.
            return false
        }
        let candidates = [
            sent,
            // What users have put there since becomes its next revision.
            try transaction.child(folded: place.name.folded, of: place.parent),
        ]
        let heir = candidates.lazy.compactMap(\.self).first { node in
            node.remote == .absent && node.kind == kind && !node.flags.contains(.localOnly)
                && onItsWay(node) == nil
        }
        guard let heir else {
            let unwanted = try transaction.insertTombstone(kind, at: place, facts: facts)
            try mark(unwanted)
            return true
        }
        try transaction.setFacts(facts, of: heir.inode)
        try transaction.setRemotePlace(heir.inode, place)
        try mark(heir.inode)
        return true
    }

    // MARK: Changed on the server

    /// The content or the facts of a known file are others now.
    mutating func updateFile(_ node: Node, _ facts: RemoteFacts) throws {
        try mark(node.inode)
        let isSameContent = facts.hash != nil && node.facts.hash == facts.hash
        if node.facts.revision == facts.revision || isSameContent {
            // A move gives a new revision to the same content, this mount's own move of a folder above
            // too; no process depends on its name.
            if node.facts != facts {
                try transaction.setFacts(facts, of: node.inode)
                announceAttributes(of: node.inode)
            }
            return
        }
        if let hash = facts.hash, try transaction.wasAttempted(hash, for: node.inode) {
            // This mount's own, and the answer was lost.
            try transaction.setFacts(facts, of: node.inode)
        } else if node.isTombstone {
            try keepEdit(node, facts)
        } else if let staged = node.staged {
            if let hash = staged.hash, hash == facts.hash {
                // The reply to this mount's own upload was lost.
                try transaction.setFacts(facts, of: node.inode)
            } else {
                try separate(node, facts)
            }
        } else if context.openFiles.isOpen(node.inode, in: transaction) {
            try replaceOpenFile(node, facts)
        } else {
            try transaction.setFacts(facts, of: node.inode)
            try forgetTimes(of: node)
            announceContent(of: node.inode)
        }
    }

    /// Deleted here, edited there: the edit is kept.
    private mutating func keepEdit(_ node: Node, _ facts: RemoteFacts) throws {
        if context.openFiles.isOpen(node.inode, in: transaction),
            let place = try transaction.remotePlace(of: node)
        {
            // Handles keep the deleted inode and what they read there.
            try transaction.setRemoteAbsent(node.inode)
            try insertFile(node.kind, at: place, facts)
            return try showUnderOwnName(place)
        }
        try transaction.setFacts(facts, of: node.inode)
        try transaction.removeStaged(of: node.inode)
        try forgetTimes(of: node)
        try bringBack(node.inode)
    }

    /// Edited here, edited there: theirs keeps the name, ours goes on beside it.
    private mutating func separate(_ node: Node, _ facts: RemoteFacts) throws {
        guard let remotePlace = try transaction.remotePlace(of: node) else { return }
        if node.remote == .inPlace {
            try stepAside(node)
        }
        try transaction.setRemoteAbsent(node.inode)
        try insertFile(.file, at: remotePlace, facts)
        try handOverPin(of: node, to: remotePlace)
        try showUnderOwnName(remotePlace)
    }

    /// What others stored in a file that is between two moves does not stay under the name in between.
    private mutating func showUnderOwnName(_ place: Place) throws {
        guard TemporaryName.original(of: place.name) != nil,
            let inode = try transaction.child(folded: place.name.folded, of: place.parent)?.inode,
            let node = try transaction.node(inode)
        else { return }
        try show(node, at: place)
        announce(place)
    }

    /// Open and not changed here, edited there: as if renamed over. Handles keep the old inode, the
    /// path leads to a new one.
    private mutating func replaceOpenFile(_ node: Node, _ facts: RemoteFacts) throws {
        guard let place = node.place, let remotePlace = try transaction.remotePlace(of: node) else {
            return
        }
        try transaction.move(node.inode, to: nil)
        try transaction.setRemoteAbsent(node.inode)
        try transaction.noteEviction(of: node.inode, from: place)
        var local = node.local
        local.modified = nil
        local.accessed = nil
        local.changed = nil
        let inode = try transaction.insert(node.kind, at: place, local: local)
        try transaction.handOverPin(from: node.inode, to: inode)
        try transaction.setFacts(facts, of: inode)
        try transaction.setRemotePlace(inode, remotePlace)
        try mark(inode)
        announce(place)
    }

    /// Who has pinned a file wants what others put in its place, too.
    func handOverPin(of node: Node, to place: Place) throws {
        guard let heir = try transaction.child(folded: place.name.folded, of: place.parent) else {
            return
        }
        try transaction.handOverPin(from: node.inode, to: heir.inode)
    }

    /// The server has a known node elsewhere now. Users see it follow, unless they moved or deleted it.
    mutating func moveRemote(_ node: Node, to place: Place) throws {
        if node.kind == .folder { foldersMoved() }
        let isBetweenMoves = node.flags.contains(.betweenMoves)
        guard node.remote == .inPlace || isBetweenMoves, let old = node.place else {
            return try transaction.setRemotePlace(node.inode, place)
        }
        if try holdPlace(of: node, during: place) { return }
        try follow(node, to: place)
        announce(old)
    }

    /// Another client is between two moves of a node: until its second move is told, users see the node where
    /// it was. If that move never comes, this mount makes it. Returns whether that is so.
    private func holdPlace(of node: Node, during place: Place) throws -> Bool {
        guard TemporaryName.isTemporary(place.name), node.place != nil else { return false }
        try transaction.setRemotePlace(node.inode, place)
        try waitForSecondMove(of: node.inode)
        return true
    }

    private func waitForSecondMove(of inode: InodeID) throws {
        try transaction.setFlags(.betweenMoves, true, of: inode)
        try transaction.reschedule(
            inode, due: context.now.adding(seconds: TemporaryName.patience))
    }

    /// Puts a node where the batch says that the server has it now.
    mutating func attach(_ moved: DetachedNode, at place: Place) throws {
        guard let node = try transaction.node(moved.inode) else { return }
        if node.kind == .folder { foldersMoved() }
        try transaction.setFacts(moved.facts, of: node.inode)
        if let seen = moved.seen {
            if TemporaryName.isTemporary(place.name), try transaction.isFree(seen) {
                // It was taken from its place by this batch, which puts it between two moves.
                try transaction.move(node.inode, to: seen)
                let current = try transaction.node(node.inode) ?? node
                if try holdPlace(of: current, during: place) { return announce(seen) }
            }
            try follow(node, to: place)
        } else {
            try transaction.setRemotePlace(node.inode, place)
            // What the server has in a folder that users deleted brings it back.
            let isNeeded = try node.place == nil && transaction.hasChildren(node.inode)
            if isNeeded { try bringBack(node.inode) }
        }
    }

    /// Shows a node where the server has it.
    private mutating func follow(_ node: Node, to place: Place) throws {
        try bringBack(place.parent)
        if TemporaryName.isTemporary(place.name) {
            // Users see it under the name that it had, until the second move is told.
            try transaction.setRemotePlace(node.inode, place)
            try show(node, at: place)
            return try waitForSecondMove(of: node.inode)
        }
        if try transaction.isInode(place.parent, within: node.inode) {
            try undoMoves(from: place.parent, upTo: node.inode)
        }
        if let local = try seen(at: place), local.inode != node.inode {
            try stepAside(local)
        }
        try transaction.move(node.inode, to: place)
        try transaction.setRemotePlace(node.inode, place)
        announce(place)
    }

    /// A new revision has its own times; those that users set were the old one's.
    func forgetTimes(of node: Node) throws {
        var local = node.local
        guard local.modified != nil || local.accessed != nil || local.changed != nil else { return }
        local.modified = nil
        local.accessed = nil
        local.changed = nil
        try transaction.setLocal(local, of: node.inode)
    }
}

extension StagedContent {
    /// The hash of the content, if it is known: it was computed, or the content is a whole revision.
    var knownHash: ContentHash? {
        if let hash { return hash }
        guard let base, size == base.size, base.limit == base.size,
            blocks.allSatisfy({ $0 == 0 })
        else { return nil }
        return base.hash
    }
}

extension StagedContent.Base {
    /// The whole content of a node's revision; nil when it has none that can be read.
    init?(whole facts: RemoteFacts) {
        guard let revision = facts.revision, let hash = facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: facts.size, limit: facts.size)
    }
}
