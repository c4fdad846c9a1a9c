// The changes of the tree by the server's responses to this mount's own steps: stored, placed,
// refused, undone. Not responsible for the requests, nor for the work after the commit: it returns
// the changes to announce and the staging files that are free.

import ContentHashing
package import Core
package import MetadataStore
package import RemoteStore
import Staging

/// Records the server's responses within one transaction.
package struct UploadResults {
    package let transaction: Transaction
    let context: DeltaContext
    /// The changes to announce.
    package private(set) var changes: [TreeChange] = []
    /// Staging files whose content is committed, with the content if they have all of it.
    package private(set) var retired: [(number: Int64, content: FileVersion?)] = []
    /// Names of new conflicted copies.
    package private(set) var conflicts: [String] = []

    /// Begins to record in a transaction.
    package init(transaction: Transaction, context: DeltaContext) {
        self.transaction = transaction
        self.context = context
    }

    mutating func noteChange(_ change: TreeChange) {
        changes.append(change)
    }

    /// Ends the intent of a commit that has its response.
    package func endIntent(_ sent: Sent) throws {
        if let intent = sent.intent { try transaction.noteArrival(of: intent) }
    }

    /// Records that a node is at its local place, for which a path was sent, by a new folder or a
    /// move of the node with the ID.
    package mutating func placed(
        _ inode: InodeID, _ entry: RemoteEntry, sentTo path: RemotePath, meant id: FileID? = nil
    ) throws {
        try notePlace(of: inode, entry, path, meant: id)
        try noteFacts(of: entry)
    }

    private mutating func notePlace(
        of inode: InodeID, _ entry: RemoteEntry, _ path: RemotePath, meant id: FileID?
    ) throws {
        if let arrived = entry.id { try transaction.noteUnconfirmed(arrived) }
        if let node = try transaction.node(inode),
            (node.kind == .folder) != entry.isFolder || id != nil && entry.id != id
        {
            return try tookAnother(entry, insteadOf: node)
        }
        guard let node = try owner(of: entry, sentFor: inode, isOwnContent: false) else { return }
        let facts = RemoteFacts(entry.kind, of: node)
        if node.kind != .folder, facts.hash != node.facts.hash {
            // The move included content that another client had stored there since.
            try finish(inode, at: entry, sentTo: path)
            guard let moved = try transaction.node(inode) else { return }
            // A link is an ordinary file then, which is another node.
            if facts.kind != node.kind { return try useApplier { try $0.apply([entry]) } }
            return try useApplier { try $0.updateFile(moved, facts) }
        }
        try transaction.setFacts(facts, of: inode)
        try finish(inode, at: entry, sentTo: path)
    }

    /// Handles a move that took another client's node, which was at the source instead: the service
    /// does not support IDs. That node is moved back, and the intended one counts as deleted
    /// remotely.
    private mutating func tookAnother(_ entry: RemoteEntry, insteadOf node: Node) throws {
        guard var back = try transaction.remotePlace(of: node) else { return }
        back.name = try back.name.shown(as: nil)
        try deleted(node.inode)
        let facts = RemoteFacts(entry.kind, of: nil)
        let kind: NodeKind = entry.isFolder ? .folder : facts.kind
        try useApplier { applier in
            let transaction = applier.transaction
            let told = try applier.place(of: entry)
            // Users may have deleted the folder that it returns to.
            try applier.bringBack(back.parent)
            let known = try facts.id.flatMap { try transaction.node(id: $0) }
            if let known { try applier.vacate(told, for: known.inode) }
            if let other = try transaction.child(folded: back.name.folded, of: back.parent),
                other.inode != known?.inode
            {
                back.name = try ConflictName(host: applier.context.host, at: applier.context.date)
                    .freeName(beside: back, in: transaction)
            }
            let inode =
                try known?.inode ?? transaction.insert(kind, at: back, local: LocalFacts())
            if let place = known?.place {
                try transaction.move(inode, to: back)
                applier.announce(place)
            }
            try transaction.setFacts(facts, of: inode)
            try transaction.setRemotePlace(inode, told)
            applier.announce(back)
        }
    }

    /// Records content that was stored.
    package mutating func stored(_ upload: ContentUpload, for inode: InodeID, _ entry: RemoteEntry)
        throws
    {
        try noteContent(upload, of: inode, entry)
        try noteFacts(of: entry, sent: upload.facts, isTimeKept: upload.isStoredAlready(as: entry))
    }

    private mutating func noteContent(
        _ upload: ContentUpload, of inode: InodeID, _ entry: RemoteEntry
    ) throws {
        if case .absent = upload.expectation, let arrived = entry.id {
            try transaction.noteUnconfirmed(arrived)
        }
        guard let node = try owner(of: entry, sentFor: inode, isOwnContent: true) else { return }
        let facts = RemoteFacts(entry.kind, of: node)
        guard isStill(node, upload.expectation, facts) else {
            // While its content was sent as a new file, the node replaced another one.
            return try becameUnwanted(entry, sentFor: inode)
        }
        // Identical content is not stored again: then the revision stays the current one. It may be
        // of a file that others have put in place of the one whose modes and attributes were told.
        if node.facts.id != facts.id { try transaction.setToldFacts(nil, of: inode) }
        try transaction.setFacts(facts, of: inode)
        try transaction.noteReplaced(by: inode)
        try transaction.forgetUpload(of: inode)
        try retireStaged(of: node, generation: upload.staged.generation, facts)
        if case .revision(let replaced) = upload.expectation, replaced != facts.revision {
            try transaction.forgetContents(of: inode)
            transaction.afterCommit { [superseded = context.superseded] in
                superseded.note(replaced)
            }
        }
        try finish(inode, at: entry, sentTo: upload.path)
    }

    /// Whether a node's remote state is that of the time when its content was sent.
    private func isStill(
        _ node: Node, _ expectation: RemoteCommit.Expectation, _ facts: RemoteFacts
    ) -> Bool {
        if node.facts.id == facts.id && node.remote != .absent { return true }
        return switch expectation {
        case .absent: node.remote == .absent
        case .revision(let revision):
            node.remote != .absent && node.facts.revision == revision
        }
    }

    /// The node of a response, if that is still the one that the step was sent for.
    ///
    /// Since the request users may have deleted it, or its identity may have been transferred to
    /// another node that replaced it; then the response is recorded here, and nil returned. Content
    /// that this mount has not sent is another client's.
    private mutating func owner(
        of entry: RemoteEntry, sentFor inode: InodeID, isOwnContent: Bool
    ) throws -> Node? {
        let node = try transaction.node(inode)
        var facts = RemoteFacts(entry.kind, of: nil)
        guard let id = facts.id, let other = try transaction.node(id: id), other.inode != inode
        else {
            // A local-only name cannot be its place either.
            guard let node, !node.flags.contains(.localOnly) else {
                try becameUnwanted(entry, sentFor: inode)
                return nil
            }
            return node
        }
        if other.staged == nil, let node, node.remote == .absent, node.place != nil,
            !node.flags.contains(.localOnly)
        {
            // The feed has added the server's new file as a separate node before the response came.
            try useApplier { try $0.absorb(other, into: node) }
            return try transaction.node(inode)
        }
        facts.keepTarget(of: other)
        // The identity was transferred: the revision belongs to the other node.
        if isOwnContent || facts.hash == other.facts.hash {
            try transaction.setFacts(facts, of: other.inode)
        }
        try useApplier { applier in
            let place = try applier.place(of: entry)
            try applier.vacate(place, for: other.inode)
            try applier.moveRemote(other, to: place)
            if let moved = try applier.transaction.node(other.inode), moved.facts != facts {
                try applier.updateFile(moved, facts)
            } else if other.staged == nil {
                applier.announceContent(of: other.inode)
            }
        }
        return nil
    }

    /// Records a node that users deleted while it was being sent, and that the server must delete
    /// now.
    private mutating func becameUnwanted(_ entry: RemoteEntry, sentFor inode: InodeID) throws {
        let facts = RemoteFacts(entry.kind, of: nil)
        let kind: NodeKind = if case .folder = entry.kind { .folder } else { facts.kind }
        try useApplier { applier in
            let place = try applier.place(of: entry)
            try applier.vacate(place, besides: inode)
            let inode = try applier.transaction.insertTombstone(kind, at: place, facts: facts)
            try applier.mark(inode, facts.size)
        }
    }

    /// Records that the server already has this content.
    package mutating func settle(_ inode: InodeID) throws {
        guard let node = try transaction.node(inode), !node.flags.contains(.localOnly) else {
            return
        }
        // The server may have lost it since the decision: then the staged content is the only copy.
        if node.remote == .absent && node.place != nil && node.staged != nil { return }
        if let staged = node.staged, try transaction.isOnServer(staged.knownHash, as: node) {
            try retireStaged(of: node, generation: staged.generation, node.facts)
            // The content has not carried them, nor its time.
            try transaction.settleFacts(of: inode, by: context.posix, timeIsSet: true)
        }
        if let place = try transaction.remotePlace(of: node) {
            try transaction.setRemotePlace(inode, place)
        }
    }

    /// Records that the server no longer has a node, nor its contents.
    package mutating func deleted(_ inode: InodeID) throws {
        guard let node = try transaction.node(inode) else { return }
        try useApplier { applier in
            try applier.clearRemotePlace(of: node)
        }
    }

    /// Undoes a move or a deletion that will never be allowed, unless users have changed it since.
    package mutating func undo(_ step: UploadStep, of inode: InodeID) throws {
        guard let node = try transaction.node(inode), node.remote == .displaced,
            try step.isWanted(for: node, transaction)
        else { return }
        try useApplier { applier in
            let transaction = applier.transaction
            if let home = try transaction.remotePlace(of: node)?.parent {
                try applier.bringBack(home)
                if try transaction.isInode(home, within: inode) {
                    try applier.undoMoves(from: home, upTo: inode)
                }
            }
            if let place = node.place {
                try applier.transaction.move(inode, to: nil)
                applier.announce(place)
            }
            try applier.bringBack(inode)
        }
    }

    /// Applies entries by the rules for deltas.
    package mutating func apply(_ entries: [RemoteEntry]) throws {
        try useApplier { applier in
            try applier.apply(entries)
        }
    }

    /// Applies the findings after a node's step was refused: at paths that the step needs, and by
    /// IDs.
    package mutating func found(_ findings: MetadataFindings, insteadOf inode: InodeID) throws {
        try useApplier { applier in
            for (path, entry) in findings.atPaths {
                try applier.learnKey(of: inode, from: entry, at: path)
            }
            let missing = try findings.missingPaths.compactMap {
                try RemoteEntry(deleted: $0, in: applier.transaction)
            }
            let present = findings.atPaths.map(\.entry)
            try applier.apply([findings.byID, present, missing].flatMap(\.self))
        }
        try useApplier { applier in
            for id in findings.missingIDs { try applier.removeMissing(id) }
        }
    }

    mutating func useApplier(_ body: (inout DeltaApplier) throws -> Void) throws {
        var applier = try DeltaApplier(transaction: transaction, context: context)
        try body(&applier)
        try applier.touchFolders()
        changes.append(contentsOf: applier.outcome.changes)
        conflicts.append(contentsOf: applier.outcome.conflicts)
    }

    private mutating func retireStaged(
        of node: Node, generation: Int64, _ facts: RemoteFacts
    ) throws {
        guard let staged = node.staged, let revision = facts.revision, let hash = facts.hash else {
            return
        }
        let content = FileVersion(revision: revision, hash: hash, size: facts.size)
        guard let file = try context.staging.file(of: node) else { return }
        let isWhatWasSent = file.contentToSend()?.hash.map { $0 == hash } ?? true
        guard isWhatWasSent, file.retire(generation: generation, as: content) else {
            // Written to since: the rows must not name this content as the committed one.
            // It may only have been emptied so far: closing it completes it.
            return try file.persist(in: transaction, isComplete: false)
        }
        try transaction.removeStaged(of: node.inode)
        try transaction.notePendingCopies(of: node.inode, generation: generation, became: revision)
        // Handles may have it open: they continue with it if its rows are kept.
        transaction.afterUndo { file.revive() }
        retired.append((staged.file, file.missingRanges.isEmpty ? content : nil))
    }

    /// Records the server's place of a node. That may be another folder than the planned one, if
    /// another client has moved that: Dropbox then creates a new one of its name.
    private mutating func finish(
        _ inode: InodeID, at entry: RemoteEntry, sentTo path: RemotePath
    ) throws {
        var place: Place?
        try useApplier { applier in
            let told = try applier.place(of: entry)
            if let node = try applier.transaction.node(inode) {
                try applier.noteMove(of: node, to: told)
            }
            try applier.vacate(told, for: inode)
            try applier.mark(inode)
            place = told
        }
        guard let place else { return }
        try transaction.setRemotePlace(inode, place)
        try takeAlias(place, for: inode, sentTo: path)
    }

    /// Takes a name that the server has given in place of the one that was sent for an alias: to
    /// send that again would have the same result.
    private func takeAlias(_ place: Place, for inode: InodeID, sentTo path: RemotePath) throws {
        guard let sent = path.components.last, place.name.string != sent,
            let node = try transaction.node(inode), node.remote == .displaced,
            let here = node.place, here.parent == place.parent, here.name.string == sent
        else { return }
        let alias = try place.name.shown(as: OwnName(here.name.shown))
        try transaction.move(inode, to: Place(parent: here.parent, name: alias))
    }
}

extension RemoteFacts {
    /// The facts of a response about a node, or about an unknown one; one that tells of nothing
    /// leaves them unchanged.
    init(_ kind: RemoteEntry.Kind, of node: Node?) {
        switch kind {
        case .file(let file): self.init(file)
        case .folder(let folder): self.init(folder)
        case .deleted: self = node?.facts ?? RemoteFacts()
        }
        if let node { keepTarget(of: node) }
    }
}

/// The result of a metadata read.
package struct MetadataFindings: Sendable {
    /// The entries at requested paths.
    package var atPaths: [(path: RemotePath, entry: RemoteEntry)] = []
    /// The entries of requested IDs, after unknown folders above them.
    package var byID: [RemoteEntry] = []
    /// IDs without a node, if the absence is certain enough.
    package var missingIDs: [FileID] = []
    /// The same for nodes of unknown ID.
    package var missingPaths: [RemotePath] = []

    package init() {}
}
