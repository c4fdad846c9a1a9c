// The moves of users: one stands until it is sent, also if others move or edit the node, and a node
// that others delete before that is kept where users have moved it. Not responsible for accounts
// with several mounts, where users of another one may have moved or removed a node.

import Core
import MetadataStore
import RemoteStore

/// The unsent moves of an account's only mount.
struct Moves {
    /// Files that users have moved.
    fileprivate var moved: [InodeID: Moved] = [:]
    /// Nodes that others have deleted where users no longer had them.
    fileprivate var kept: [InodeID: Kept] = [:]

    /// Another client, or a user's restoration, replaces or removes a text: the node that was kept
    /// had arrived.
    mutating func withdraw(_ text: String) {
        let tokens = Ledger.tokens(text)
        kept = kept.filter { _, kept in
            !kept.contents.contains { !$0.isEmpty && $0.isSubset(of: tokens) }
        }
    }

    fileprivate struct Moved {
        /// Where users have it.
        var place: Place
        var id: FileID?
    }

    fileprivate struct Kept {
        var id: FileID
        /// Users had moved the node itself, and not only a folder that was deleted with it.
        var isByItself: Bool
        /// The tokens of a file as users knew it, and as others had it: of a change that never came
        /// here, because it was deleted with the file, either side of it may be kept. Row M3
        /// promises the revision that users moved.
        var contents: [Set<String>]

        func isKept(in tokens: Set<String>) -> Bool {
            contents.contains { $0.isSubset(of: tokens) }
        }
    }
}

extension World {
    /// The process of an account's only mount.
    var onlyProcess: MountProcess? {
        guard mounts.count == 1, let process = mounts[0].process, !process.isDead.isSet else {
            return nil
        }
        return process
    }

    /// The power was cut, so that moves may be undone.
    func forgetMoves() { moves = Moves() }

    /// A user has done something.
    func noteMoves() throws {
        moves.moved = [:]
        try forgetSeen()
        guard let process = onlyProcess else { return forgetMoves() }
        try process.store.read { snapshot in
            for entry in try snapshot.journalEntries(limit: 1000) {
                guard let node = try snapshot.node(entry.inode), isMoved(node), node.kind == .file,
                    let place = node.place
                else { continue }
                moves.moved[node.inode] = Moves.Moved(place: place, id: node.facts.id)
            }
            // Users may have removed it, or moved it back before this mount knew of the deletion.
            moves.kept = try moves.kept.filter { inode, kept in
                guard let node = try snapshot.node(inode), node.place != nil else { return false }
                let isBack =
                    try node.remote == .inPlace && node.facts.id == kept.id
                    && (kept.isByItself || movedFolder(above: node, snapshot) == nil)
                return !isBack && kept.isKept(in: Ledger.tokens(text(of: node, process)))
            }
        }
    }

    private func isMoved(_ node: Node) -> Bool {
        node.place != nil && node.remote == .displaced && !node.flags.contains(.betweenMoves)
    }

    /// The folder with which users have moved a node that is still where the server has it in that.
    private func movedFolder(above node: Node, _ snapshot: Snapshot) throws -> Node? {
        var current = node
        while current.remote == .inPlace, let parent = current.place?.parent, parent != .root,
            let folder = try snapshot.node(parent)
        {
            if isMoved(folder) { return folder }
            current = folder
        }
        return nil
    }

    /// Whether users have moved a node by itself, or with a folder that is deleted with it.
    private func isMoved(
        _ node: Node, deletedWith paths: [FileID: RemotePath], _ snapshot: Snapshot
    ) throws -> Bool {
        let moved = try isMoved(node) ? node : movedFolder(above: node, snapshot)
        // A refused move is undone, or just being undone.
        guard let moved, let id = moved.facts.id, !rights.unmoved.contains(id),
            let there = paths[id], try !isAbove(moved, there, deletedWith: paths, snapshot)
        else { return false }
        guard let here = moved.place, let old = try snapshot.remotePlace(of: moved) else {
            return false
        }
        // Neither another spelling nor its own name instead of the alias saves it.
        let own = Self.withoutAlias(old.name.string)
        let isRespelled = old.parent == here.parent && Folding.fold(own) == here.name.folded
        return !isRespelled && !old.isSameThere(as: here)
    }

    /// Whether others have put the folder to which users have moved a node below that node: their
    /// move wins (row M8).
    private func isAbove(
        _ node: Node, _ there: RemotePath, deletedWith paths: [FileID: RemotePath],
        _ snapshot: Snapshot
    ) throws -> Bool {
        var current = node
        while let parent = current.place?.parent, parent != .root,
            let folder = try snapshot.node(parent)
        {
            if let path = folder.facts.id.flatMap({ paths[$0] }),
                path.rawValue.hasPrefix(there.rawValue + "/")
            {
                return true
            }
            current = folder
        }
        return false
    }

    /// Another client has deleted these nodes of the server, among them files with these texts.
    func noteDeletion(of paths: [FileID: RemotePath], _ texts: [FileID: String]) throws {
        guard let process = onlyProcess else { return forgetMoves() }
        try process.store.read { snapshot in
            for (id, path) in paths.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                guard let node = try snapshot.node(id: id) else { continue }
                // The move has not arrived: a deletion where users have it would be theirs.
                let isWaiting = try snapshot.remoteKeyPath(of: node.inode) == path.rawValue
                if isWaiting, try isMoved(node, deletedWith: paths, snapshot),
                    node.kind == .folder || node.facts.revision != nil
                {
                    let theirs = node.staged == nil ? texts[id] : nil
                    let contents = [text(of: node, process), theirs].compactMap(\.self)
                    moves.kept[node.inode] = Moves.Kept(
                        id: id, isByItself: isMoved(node),
                        contents: contents.map(Ledger.tokens))
                } else {
                    moves.kept[node.inode] = nil
                }
            }
        }
    }

    /// Throws a `Violation` if a move was undone that has not been sent.
    func checkMoves() throws {
        guard !moves.moved.isEmpty, let process = onlyProcess else { return }
        try process.store.read { snapshot in
            for (inode, moved) in moves.moved.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let place = moved.place
                guard let node = try snapshot.node(inode), let now = node.place,
                    now.parent != place.parent || !now.name.isShown(as: place.name)
                else { continue }
                moves.moved[inode] = nil
                // A node that others had deleted was sent as a new file.
                let isSent =
                    node.facts.id != moved.id
                    || node.facts.id.map { process.link.moved.contains($0) } ?? true
                let folder = try snapshot.node(place.parent)
                let isOpen = isSent || now.name.string.contains("conflicted copy")
                // Its folder became one with another one, or is gone.
                if isOpen || folder?.place == nil && place.parent != .root { continue }
                throw Violation(
                    rule: "a user's move is undone", detail: "\(inode): \(now), not \(place)")
            }
        }
    }

    /// Throws a `Violation` if something is gone that users had moved away before others deleted
    /// it.
    func checkKept() throws {
        guard let process = onlyProcess else { return }
        let present = serverTokens()
        for (inode, kept) in moves.kept.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let isThere = try process.store.read({ try $0.node(inode)?.place }) != nil
            if isThere, kept.isKept(in: present) { continue }
            throw Violation(rule: "what users have moved is gone", detail: "\(inode)")
        }
    }
}
