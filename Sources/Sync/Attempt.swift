// The last look before a step is sent, in the commit's turn: news may have come since it was decided, and
// from here on they cannot. What is new is noted, so that it is known as this mount's own if the answer is
// lost.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging

/// A step that is about to be sent.
struct Attempt: Sendable {
    var inode: InodeID
    var step: UploadStep
    /// The content's, if there is content.
    var hash: ContentHash?

    var item: StepBatch.Item { StepBatch.Item(inode: inode, step: step) }

    /// Returns nil if the step is not to be sent.
    fileprivate func note(
        in transaction: Transaction, index: Int, at time: Timestamp
    ) throws -> Sent? {
        guard let node = try transaction.node(inode), try step.holds(for: node, transaction) else {
            return nil
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

    /// Where the step makes something, whose folder is the node's.
    private func place(of node: Node) throws -> Place? {
        guard let parent = node.place?.parent, let last = step.paths.first?.components.last
        else { return nil }
        return Place(parent: parent, name: try FileName(last))
    }
}

/// A part of a commit: its index among what was to be sent, and the number of its note, if it has one.
struct Sent: Sendable {
    var index: Int
    var attempt: Int64?
}

extension Uploader {
    /// Notes what is about to be committed. Throws `cancelled` if the step does not hold any more.
    func note(_ attempt: Attempt) async throws(RemoteError) -> Sent {
        guard let sent = try await note([attempt]).first else { throw .cancelled }
        return sent
    }

    /// Notes what is about to be committed together, and leaves out what does not hold any more: all of it
    /// when nobody knows what became of a folder's move, because it may be about what is in there, or when
    /// its paths start from another root now.
    ///
    /// When it returns, the disk has the content, the notes, and every change that led to the steps. So a power
    /// cut leaves no older state here than the server has: this mount knows its own commits again, and neither
    /// takes them for another client's nor sends what they replaced.
    func note(_ attempts: [Attempt]) async throws(RemoteError) -> [Sent] {
        let sent = try await noteInStore(attempts)
        guard !sent.isEmpty else { return [] }
        let staging = environment.staging
        do throws(RemoteError) {
            try await local { try staging.flush() }
        } catch {
            await forget(sent)
            throw error
        }
        return sent
    }

    private func noteInStore(_ attempts: [Attempt]) async throws(RemoteError) -> [Sent] {
        if environment.state.current.isRootNew { return [] }
        let store = environment.store
        let time = environment.clock.date()
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

extension Uploader {
    /// Sends what was noted. When the server says that it did not do it, the note goes; after any other failure
    /// it may have been done, or be done later.
    func forgettingRefusal(
        of sent: Sent, _ body: () async throws(RemoteError) -> Void
    ) async throws(RemoteError) {
        do throws(RemoteError) {
            try await body()
        } catch {
            if error.saysNotDone { await forget([sent]) }
            throw error
        }
    }

    /// What was noted has not been done, and will not be.
    func forget(_ refused: [Sent]) async {
        let ids = refused.compactMap(\.attempt)
        guard !ids.isEmpty else { return }
        let store = environment.store
        await attempt {
            try await store.write { transaction in
                for id in ids { try transaction.forgetAttempt(id) }
            }
        }
    }
}

extension RemoteError {
    /// Whether a change was refused, and no earlier request for it can have been carried out. A conflict may be
    /// with one's own earlier request.
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

    /// Whether it gives something a new identity.
    fileprivate var isNew: Bool {
        switch self {
        case .makeFolder: true
        case .upload(let upload), .copy(_, let upload):
            if case .absent = upload.expectation { true } else { false }
        case .settled, .waitFor, .waitForWriters, .move, .deleteFile, .deleteFolder: false
        }
    }

    /// Whether the paths in the step still are those of the node, and users still want it there.
    fileprivate func holds(for node: Node, _ transaction: Transaction) throws -> Bool {
        switch self {
        case .settled, .waitFor, .waitForWriters: return true
        case .makeFolder(let path):
            return try node.remote == .absent && isParent(of: path, node.place, transaction)
        case .upload(let upload), .copy(_, let upload):
            if isNew && node.remote != .absent || node.flags.contains(.localOnly) { return false }
            // By the name, too: users may have given it another one, which is another step.
            return try isParent(of: upload.path, node.place, transaction)
                && node.place?.name.string == upload.path.components.last
        case .move(let move):
            // What is in another's way, deleted or not, goes to a name beside it first.
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
