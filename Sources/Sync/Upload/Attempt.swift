// Upload intents. Re-validates a step right before its request, holding the commit gate so that no
// delta is applied until the response is recorded. Creations, contents and folder moves get an
// intent row, so that the feed's delta is recognised as this mount's own if the response is lost.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging

/// A step that is about to be sent.
struct Attempt: Sendable {
    var inode: InodeID
    var step: UploadStep
    /// Hash of the content, if the step has content.
    var hash: ContentHash?

    var item: StepBatch.Item { StepBatch.Item(inode: inode, step: step) }

    /// Writes the intent; returns nil if the step no longer holds.
    fileprivate func note(
        in transaction: Transaction, index: Int, at time: Timestamp
    ) throws -> Sent? {
        guard let node = try transaction.node(inode), try step.holds(for: node, transaction) else {
            return nil
        }
        if case .deleteFile(_, let revision?) = step {
            try transaction.noteOwnDeletion(of: revision)
        }
        if case .move(let move) = step, move.isFolder {
            let id = try transaction.noteMove(of: inode, to: move.target.rawValue)
            return Sent(index: index, attempt: id)
        }
        guard step.isNew || hash != nil else { return Sent(index: index, attempt: nil) }
        let place = step.isNew ? try place(of: node) : nil
        return Sent(
            index: index,
            attempt: try transaction.noteAttempt(
                inode, at: place, hash: hash, modified: step.sentModified, sent: time))
    }

    /// The place of the node that the step creates.
    private func place(of node: Node) throws -> Place? {
        guard let parent = node.place?.parent, let last = step.paths.first?.components.last
        else { return nil }
        return Place(parent: parent, name: try FileName(last))
    }
}

/// A part of a commit: its index among the intended steps, and the number of its intent, if it has
/// one.
struct Sent: Sendable {
    var index: Int
    var attempt: Int64?
}

extension UploadEnvironment {
    /// Writes the intent of a commit. Throws `cancelled` if the step no longer holds.
    func note(_ attempt: Attempt) async throws(RemoteError) -> Sent {
        guard let sent = try await note([attempt]).first else { throw .cancelled }
        return sent
    }

    /// Writes the intents of a batch, and leaves out steps that no longer hold: all of them while
    /// the outcome of a folder's move is unknown, because they may be below it, or when their paths
    /// start from another root now.
    ///
    /// When it returns, the content, the intents, and every change that led to the steps are
    /// flushed. So a power cut leaves no older state here than on the server: this mount recognises
    /// its own commits, and neither takes them for another client's nor sends the replaced content
    /// again.
    func note(_ attempts: [Attempt]) async throws(RemoteError) -> [Sent] {
        let sent = try await noteInStore(attempts)
        guard !sent.isEmpty else { return [] }
        do throws(RemoteError) {
            try await local { try staging.flush() }
        } catch {
            await forget(sent)
            throw error
        }
        return sent
    }

    private func noteInStore(_ attempts: [Attempt]) async throws(RemoteError) -> [Sent] {
        if state.current.isRootNew { return [] }
        let time = clock.date()
        return try await local {
            try store.write { transaction in
                guard try transaction.attemptedMoves().isEmpty else { return [] }
                return try attempts.enumerated().compactMap { index, attempt in
                    try attempt.note(in: transaction, index: index, at: time)
                }
            }
        }
    }
}

extension UploadEnvironment {
    /// Sends an intended step. If the server refuses it, removes the intent; after any other
    /// failure it may have been done, or be done later.
    nonisolated(nonsending) func forgettingRefusal(
        of sent: Sent, _ body: () async throws(RemoteError) -> Void
    ) async throws(RemoteError) {
        do throws(RemoteError) {
            try await body()
        } catch {
            if error.saysNotDone { await forget([sent]) }
            throw error
        }
    }

    /// Removes the intents of steps that were not done, and will not be.
    func forget(_ refused: [Sent]) async {
        let ids = refused.compactMap(\.attempt)
        guard !ids.isEmpty else { return }
        await attempt {
            try await store.write { transaction in
                for id in ids { try transaction.forgetAttempt(id) }
            }
        }
    }
}

extension RemoteError {
    /// Whether a change was refused, and no earlier request for it can have succeeded. A conflict
    /// may be with this mount's own earlier request.
    var saysNotDone: Bool {
        switch self {
        case .notAFolder, .notAFile, .insufficientSpace, .tooLarge, .disallowedName, .forbidden,
            .protected, .contentMismatch, .rateLimited, .unauthorized, .busy:
            true
        default: false
        }
    }
}

extension UploadStep {
    /// The modification time that a commit sends.
    fileprivate var sentModified: Timestamp? {
        switch self {
        case .upload(let upload): upload.modified
        // A copy has its source's.
        case .copy, .settled, .waitFor, .waitForWriters, .makeFolder, .move, .deleteFile,
            .deleteFolder:
            nil
        }
    }

    /// Whether it creates a node with a new ID.
    fileprivate var isNew: Bool {
        switch self {
        case .makeFolder: true
        case .upload(let upload), .copy(_, let upload):
            if case .absent = upload.expectation { true } else { false }
        case .settled, .waitFor, .waitForWriters, .move, .deleteFile, .deleteFolder: false
        }
    }

    /// Whether the paths in the step still are the node's, and users still want it there.
    fileprivate func holds(for node: Node, _ transaction: Transaction) throws -> Bool {
        switch self {
        case .settled, .waitFor, .waitForWriters: return true
        case .makeFolder(let path):
            return try node.remote == .absent && isParent(of: path, node.place, transaction)
        case .upload(let upload), .copy(_, let upload):
            if isNew && node.remote != .absent || node.flags.contains(.localOnly) { return false }
            // The name too: a rename since then needs another step.
            return try isParent(of: upload.path, node.place, transaction)
                && node.place?.name.string == upload.path.components.last
        case .move(let move):
            // A node that blocks another one, deleted or not, first moves to a temporary name
            // beside its remote place.
            let there = try transaction.remotePlace(of: node)
            return try isPath(move.source, of: node, transaction)
                && (isParent(of: move.target, node.place, transaction)
                    || isParent(of: move.target, there, transaction))
        case .deleteFile(let deleted, _), .deleteFolder(let deleted):
            return try node.isTombstone && isPath(deleted.path, of: node, transaction)
        }
    }

    private func isPath(
        _ path: RemotePath, of node: Node, _ transaction: Transaction
    ) throws -> Bool {
        try transaction.remotePath(of: node.inode) == path.rawValue
    }

    private func isParent(
        of path: RemotePath, _ place: Place?, _ transaction: Transaction
    ) throws -> Bool {
        guard let place, let parent = try transaction.remotePath(of: place.parent) else {
            return false
        }
        return parent == path.parent.rawValue
    }
}
