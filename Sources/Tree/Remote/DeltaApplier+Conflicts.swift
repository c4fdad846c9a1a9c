// Carries out the `ConflictTable`'s resolution for a node that the server has changed: no unsent
// content of users is lost.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging

extension DeltaApplier {
    // MARK: New on the server

    /// Adds an unknown remote file. A local node at its place becomes a conflicted copy.
    mutating func insertFile(_ kind: NodeKind, at place: Place, _ facts: RemoteFacts) throws {
        if let hash = facts.hash, try adoptOwnCreation(kind, hash: hash, at: place, facts) {
            return
        }
        // Nothing makes room for a file that is gone by now, and no deleted folder comes back for
        // it: it may be this mount's own, moved and deleted before the delta of the move came.
        if batch.isDeletedLater,
            try transaction.child(folded: place.name.folded, of: place.parent) != nil
                || transaction.isHidden(place.parent)
        {
            return
        }
        // A folder that comes back takes the contents of one that users have made anew.
        try bringBack(place.parent)
        let local = try seen(at: place)
        var (kind, facts) = (kind, facts)
        if let local, kind == .file, context.posix.isShared {
            // A link of others whose facts are not told, or did not arrive.
            facts.keepTarget(of: local)
            kind = facts.kind
        }
        if let local, try merge(local, with: kind, at: place, facts) { return }
        try insertRemote(kind, at: place, facts)
    }

    /// Resolves a local and a remote node of one name. Returns whether they are one node; if not,
    /// the local one was renamed.
    private mutating func merge(
        _ local: Node, with kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        // Equal bytes: both sides wrote them, or the response to this mount's own upload was lost.
        if kind == .file { try requireHash(of: local, for: facts) }
        let hash = local.staged?.knownHash
        let hasSameBytes =
            kind == .symbolicLink
            ? local.facts.target == facts.target : hash != nil && hash == facts.hash
        let arrival = RemoteArrival(kind: kind, hasSameBytes: hasSameBytes)
        switch ConflictTable.resolution(of: arrival, against: state(of: local)) {
        case .oursStepsAside:
            try stepAside(local, for: place.name)
            return false
        case .merge:
            try transaction.setFacts(facts, of: local.inode)
            // No content is sent that would bring the time of ours to the server.
            if kind == .symbolicLink { try transaction.forgetTimes(of: local) }
            if local.place?.name.own != nil {
                // Of an alias, the server's spelling is as good.
                try transaction.move(
                    local.inode, to: place.keepingOwnName(movedFrom: [local.place]))
            }
            try transaction.setRemotePlace(local.inode, place)
            // A local-only name becomes synced, because the server has it. The folder's children
            // stay local-only.
            let isLocal = local.flags.contains(.localOnly)
            // One that was kept for its local-only contents is kept for these again (row L1).
            if !isLocal, !local.flags.contains(.keptForLocal) { batch.noteMerged(local.inode) }
            if isLocal { try transaction.makeSynced(local.inode) }
            if isLocal || kind == .symbolicLink {
                try transaction.settleFacts(of: local.inode, by: context.posix)
            }
            try mark(local.inode, facts.size)
            return true
        }
    }

    /// The local state of a node.
    func state(of node: Node) -> LocalState {
        let isOpen =
            node.kind == .file && context.openFiles.isOpen(node.inode, in: transaction)
        var state = LocalState(node, isOpen: isOpen)
        if node.place != nil, onItsWay(node) != nil { state.presence = .inPlace }
        return state
    }

    /// Adds a remote node. One between two moves is shown under its original name.
    private mutating func insertRemote(
        _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws {
        guard TemporaryName.isTemporary(place.name) else {
            let inode = try transaction.insertRemote(kind, at: place, facts: facts)
            try mark(inode, facts.size)
            return announce(place)
        }
        let inode = try transaction.insertTombstone(kind, at: place, facts: facts)
        try mark(inode, facts.size)
        guard let node = try transaction.node(inode) else { return }
        try show(node, at: place, movesOn: true)
        try waitForSecondMove(of: inode)
    }

    /// Adds an unknown remote folder. A local folder at its place is the same one, and its
    /// local-only contents stay local-only.
    mutating func insertFolder(at place: Place, _ facts: RemoteFacts) throws {
        if try adoptOwnCreation(.folder, hash: nil, at: place, facts) { return }
        try bringBack(place.parent)
        let local = try seen(at: place)
        if let local, try merge(local, with: .folder, at: place, facts) { return }
        try insertRemote(.folder, at: place, facts)
    }

    /// Adopts a new remote node that is this mount's own creation, whose response was lost. Returns
    /// whether it was one. Users may have moved, changed or deleted it since, or put it in another
    /// file's place; that is still to be sent.
    private mutating func adoptOwnCreation(
        _ kind: NodeKind, hash: ContentHash?, at place: Place, _ facts: RemoteFacts
    ) throws -> Bool {
        let modified = facts.clientModified
        let known =
            try transaction.intent(at: place, hash: hash, modified: modified)
            ?? transaction.copyIntent(at: place, hash, modified)
        guard let own = known else { return false }
        try transaction.noteArrival(of: own.id)
        batch.noteArrival()
        let sent = try transaction.node(own.inode)
        if let left = sent.flatMap({ onItsWay($0) })?.left, left.isSameThere(as: place) {
            // The content was sent twice and stored twice, because another client had moved the
            // folder. The intent of the other client is unknown, so both stay.
            return false
        }
        let heir = try successor(of: sent, kind, at: place, facts)
        // A later deletion is of the node that was sent, and not of what users have put in its
        // place. Of a folder, `sent` may be the wrong one: where the server refused it because an
        // earlier one of this mount had arrived, the entry is the earlier one's.
        let isMovedLater = facts.id.map { batch.isToldLater($0) } ?? false
        let outlivesBatch =
            !batch.isDeletedLater || isMovedLater || kind != .folder && heir?.inode == sent?.inode
        guard let successor = heir, outlivesBatch else {
            let unwanted = try transaction.insertTombstone(kind, at: place, facts: facts)
            try mark(unwanted, facts.size)
            return true
        }
        var facts = facts
        facts.keepTarget(of: successor)
        try transaction.setFacts(facts, of: successor.inode)
        try transaction.setRemotePlace(successor.inode, place)
        try mark(successor.inode, facts.size)
        return true
    }

    /// The local node that becomes this mount's own creation on the server: the one that was sent,
    /// or one that users have put in its place since, which becomes its next revision. Nil if the
    /// server's is no longer wanted.
    private func successor(
        of sent: Node?, _ kind: NodeKind, at place: Place, _ facts: RemoteFacts
    ) throws -> Node? {
        let candidates = [
            sent, try transaction.child(folded: place.name.folded, of: place.parent),
        ]
        return candidates.lazy.compactMap(\.self).first { node in
            var facts = facts
            // A link's content may have been stored without its facts.
            facts.keepTarget(of: node)
            return node.remote == .absent && node.kind == (kind == .folder ? kind : facts.kind)
                && node.facts.target == facts.target && !node.flags.contains(.localOnly)
                && onItsWay(node) == nil
        }
    }

    // MARK: Changed on the server

    /// Applies a remote change of a known file's content or facts.
    mutating func updateFile(_ node: Node, _ facts: RemoteFacts) throws {
        try mark(node.inode, facts.size)
        if let revision = facts.revision, revision != node.facts.revision,
            context.superseded.contains(revision)
        {
            return batch.noteOutdated()
        }
        let isSameRevision = node.facts.revision == facts.revision
        batch.noteRevision(isSame: isSameRevision)
        let content = try content(of: facts, for: node)
        if content == .sentFromHere, let hash = facts.hash {
            try transaction.forgetContents(of: node.inode, before: hash)
        }
        switch ConflictTable.resolution(of: content, against: state(of: node)) {
        case .noteFacts: try noteFacts(facts, of: node, isSameRevision: isSameRevision)
        case .takeTheirs:
            try transaction.setFacts(facts, of: node.inode)
            try transaction.forgetTimes(of: node)
            // Where the server has it again, another client has restored it.
            try transaction.forgetContents(of: node.inode)
            announceContent(of: node.inode)
        case .oursStepsAside: try separate(node, facts)
        case .theirsUnderName: try replaceOpenFile(node, facts)
        case .bringBack: try bringBack(node, with: facts)
        case .bringBackBeside:
            guard let place = try transaction.remotePlace(of: node) else { return }
            try transaction.setRemoteAbsent(node.inode)
            try insertFile(node.kind, at: place, facts)
            try showUnderOwnName(place)
        }
    }

    /// Notes facts of content that users see already. No process depends on the revision's ID.
    private mutating func noteFacts(
        _ facts: RemoteFacts, of node: Node, isSameRevision: Bool
    ) throws {
        guard node.facts != facts else { return }
        try transaction.setFacts(facts, of: node.inode)
        // Others have stored the same bytes anew, or restored them.
        if !isSameRevision, node.facts.clientModified != facts.clientModified,
            node.staged == nil, !node.flags.contains(.factsOwed) || node.hasTimeOfRevision
        {
            try transaction.forgetTimes(of: node)
        }
        announceAttributes(of: node.inode)
    }

    /// Brings a deleted file back with content that others have stored in it.
    private mutating func bringBack(_ node: Node, with facts: RemoteFacts) throws {
        if try transaction.hasEqualSuccessor(node, facts) {
            let place = try transaction.remotePlace(of: node)
            try transaction.setRemoteAbsent(node.inode)
            try removeFile(node, from: place)
            if let place { try insertFile(.file, at: place, facts) }
            return
        }
        try transaction.setFacts(facts, of: node.inode)
        try transaction.removeStaged(of: node.inode)
        // Also those of a link, which keeps them where its deletion is undone.
        try transaction.forgetTimes(of: node)
        try bringBack(node.inode)
        try transaction.dropUnsentFacts(of: node.inode, by: context.posix)
    }

    /// Notes an outdated state whose content was sent from here: the response was lost. If others
    /// have returned to the content before, that is their change, and not what this edit is of.
    func noteOwnArrival(_ facts: RemoteFacts) throws {
        guard let id = facts.id, let revision = facts.revision, let hash = facts.hash,
            !context.superseded.contains(revision), let node = try transaction.node(id: id),
            node.kind == .file, facts.kind == .file,
            node.facts.revision != revision, node.facts.hash != hash,
            // Otherwise the node is known in a later state, which the batch tells, too.
            node.facts.revision.map({ !batch.tells($0) }) ?? true,
            node.staged != nil || node.place == nil,
            try transaction.hasIntent(withContent: hash, for: node.inode)
        else { return }
        try transaction.forgetContents(of: node.inode, before: hash)
        try transaction.setFacts(facts, of: node.inode)
    }

    private func content(of facts: RemoteFacts, for node: Node) throws -> RemoteContent {
        guard let hash = facts.hash else {
            return node.facts.revision == facts.revision ? .ofBase : .other
        }
        if node.facts.revision == facts.revision || node.facts.hash == hash { return .ofBase }
        // If nothing is unsent here, another client has restored an older content.
        let isUnsent = node.staged != nil || node.place == nil
        if isUnsent, try transaction.hasIntent(withHash: hash, for: node.inode) {
            return .sentFromHere
        }
        try requireHash(of: node, for: facts)
        return node.staged?.hash == hash ? .sameAsHere : .other
    }

    /// Throws `UnhashedContent` if unsent content may be the server's, and could have a hash.
    private func requireHash(of node: Node, for facts: RemoteFacts) throws {
        guard context.expectsHashes, let staged = node.staged, staged.knownHash == nil,
            let file = try context.staging.file(of: node), file.missingRanges.isEmpty,
            let content = file.contentToSend(), content.hash == nil, content.size == facts.size
        else { return }
        throw UnhashedContent()
    }

    /// Edited locally and remotely: the remote file keeps the name, the local one becomes a
    /// conflicted copy.
    private mutating func separate(_ node: Node, _ facts: RemoteFacts) throws {
        guard let remotePlace = try transaction.remotePlace(of: node) else { return }
        let hadName = node.remote == .inPlace
        // Without a remote place, it steps aside like any new node of the name.
        try transaction.setRemoteAbsent(node.inode)
        try insertFile(.file, at: remotePlace, facts)
        // A file that users moved stays pinned where they see it.
        if hadName { try transaction.handOverPin(of: node, to: remotePlace) }
        try showUnderOwnName(remotePlace)
    }

    /// Shows a file that another client stored under a temporary name under its original one.
    private mutating func showUnderOwnName(_ place: Place) throws {
        guard TemporaryName.original(of: place.name) != nil,
            let inode = try transaction.child(folded: place.name.folded, of: place.parent)?.inode,
            let node = try transaction.node(inode)
        else { return }
        try show(node, at: place)
        announce(place)
    }

    /// Open and unchanged locally, edited remotely: as if renamed over. Handles keep the old inode,
    /// the path leads to a new one.
    private mutating func replaceOpenFile(_ node: Node, _ facts: RemoteFacts) throws {
        guard let place = node.place, let remotePlace = try transaction.remotePlace(of: node) else {
            return
        }
        try transaction.move(node.inode, to: nil)
        let told = try transaction.toldFacts(of: node.inode)
        try transaction.setRemoteAbsent(node.inode)
        try transaction.noteDetached(of: node.inode, from: place)
        var local = node.local
        local.modified = nil
        local.accessed = nil
        local.changed = nil
        let flags = node.flags.intersection(.factsOwed)
        let inode = try transaction.insert(node.kind, at: place, local: local, flags: flags)
        try transaction.setToldFacts(told, of: inode)
        for (name, value) in try transaction.attributes(of: node.inode) {
            try transaction.setAttribute(name, of: inode, to: value)
        }
        try transaction.handOverPin(from: node.inode, to: inode)
        try transaction.setFacts(facts, of: inode)
        try transaction.setRemotePlace(inode, remotePlace)
        try mark(inode, facts.size)
        announce(place)
    }

    /// Applies a remote move of a known node. Its local place follows, unless users moved or
    /// deleted it.
    mutating func moveRemote(_ node: Node, to place: Place) throws {
        if node.kind == .folder { lastFolder.forget() }
        let isTemporary = TemporaryName.isTemporary(place.name)
        var local = state(of: node)
        if try local.presence == .moved && transaction.isUnseenMove(of: node) {
            local.presence = .inPlace
        }
        if try isOwnMove(of: node, to: place), local.presence == .inPlace {
            local.presence = .moved
        }
        switch ConflictTable.resolution(ofMove: isTemporary, against: local) {
        case .keepPlace: try transaction.setRemotePlace(node.inode, place)
        case .hold: try holdPlace(of: node, during: place)
        case .follow:
            try follow(node, to: place, from: node.place, transaction.remotePlace(of: node))
            if let old = node.place { announceLeft(old) }
        }
    }

    /// Keeps a node's local place between two moves of another client, until the second one
    /// arrives. If it never does, this mount makes it.
    private func holdPlace(of node: Node, during place: Place) throws {
        let old = try [node.place, transaction.remotePlace(of: node)]
        try transaction.setRemotePlace(node.inode, place.keepingOwnName(movedFrom: old))
        try waitForSecondMove(of: node.inode)
    }

    func waitForSecondMove(of inode: InodeID) throws {
        try transaction.setFlags(.betweenMoves, true, of: inode)
        try transaction.reschedule(
            inode, due: context.now.adding(seconds: TemporaryName.secondMoveDelay))
    }

    /// Puts a detached node at the place that the batch has for it.
    mutating func attach(_ moved: DetachedNode, at place: Place) throws {
        guard let node = try transaction.node(moved.inode) else { return }
        if node.kind == .folder { lastFolder.forget() }
        try transaction.setFacts(moved.facts, of: node.inode)
        if let told = moved.told {
            try transaction.setToldFacts(told, of: node.inode)
            try transaction.setFlags(.factsOwed, moved.owesFacts, of: node.inode)
        }
        let isOwn = try isOwnMove(of: node, to: place)
        if let seen = moved.seen {
            if isOwn, try !seen.isSameThere(as: place) && isStillThere(seen) {
                try transaction.move(node.inode, to: seen)
                try transaction.setRemotePlace(node.inode, place)
                return announce(seen)
            }
            if TemporaryName.isTemporary(place.name), try isStillThere(seen) {
                // The node was detached by this batch, which puts it between two moves.
                try transaction.move(node.inode, to: seen)
                try holdPlace(of: transaction.existing(node.inode), during: place)
                return announce(seen)
            }
            try follow(node, to: place, from: seen, moved.left)
        } else {
            try transaction.setRemotePlace(node.inode, place)
            // Remote contents of a folder that users deleted restore the folder.
            let isNeeded = try node.place == nil && transaction.hasChildren(node.inode)
            if isNeeded { try bringBack(node.inode) }
        }
    }

    /// Moves a node's local place to its remote place. `old` is the local place so far, `left` the
    /// remote place before.
    private mutating func follow(
        _ node: Node, to place: Place, from old: Place?, _ left: Place?
    ) throws {
        try bringBack(place.parent)
        let left = batch.noteLeft([old, left], by: node.inode)
        if TemporaryName.isTemporary(place.name) {
            // Shown under its original name, until the second move arrives.
            let held = try place.keepingOwnName(movedFrom: left)
            try transaction.setRemotePlace(node.inode, held)
            try show(node, at: held, movesOn: true)
            return try waitForSecondMove(of: node.inode)
        }
        if try transaction.isInode(place.parent, within: node.inode) {
            try undoMoves(from: place.parent, upTo: node.inode)
        }
        if let local = try seen(at: place), local.inode != node.inode {
            try stepAside(local, for: place.name)
        }
        let shown = try place.keepingOwnName(movedFrom: left)
        try transaction.move(node.inode, to: shown)
        if let old, old.parent != shown.parent { try transaction.noteArrival(at: shown) }
        try transaction.setRemotePlace(node.inode, place)
        announce(shown)
    }
}

extension Node {
    /// Whether users have set no other time than that of its revision, of which the server keeps
    /// the second.
    fileprivate var hasTimeOfRevision: Bool {
        local.modified.map { $0.seconds == facts.clientModified?.seconds } ?? true
    }
}
