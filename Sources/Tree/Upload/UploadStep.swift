// The steps by which the server learns of a node, and the conditions under which one still holds.
// Not responsible for the choice of a step (`UploadPlanner.swift`).

import ContentHashing
package import Core
package import MetadataStore
package import RemoteStore

/// The next step for one node of the journal.
package enum UploadStep: Hashable, Sendable {
    /// No step: the remote state equals the local one.
    case settled
    /// Another node must be sent first.
    case waitFor(InodeID)
    /// The file is still being written.
    case waitForWriters
    /// Create the folder on the server.
    case makeFolder(at: RemotePath)
    /// Upload the staged content.
    case upload(ContentUpload)
    /// Let the server copy its own content: the staged base, or content with the noted hash.
    case copy(from: RemoteReference, ContentUpload)
    /// Move to the local place, or to a temporary name.
    case move(NodeMove)
    /// Send modes, times and attributes alone.
    case setFacts(FactsUpdate)
    /// Delete a file, if it still has this revision.
    case deleteFile(RemoteReference, Revision?)
    /// Delete a folder and the contents that users deleted.
    case deleteFolder(RemoteReference)

    /// Whether it changes the paths of other nodes, or frees a place: then no other step may be in
    /// flight, except other moves of files.
    package var isExclusive: Bool {
        switch self {
        case .move, .deleteFolder: true
        case .settled, .waitFor, .waitForWriters, .makeFolder, .upload, .copy, .setFacts,
            .deleteFile:
            false
        }
    }
}

/// Facts of a node that the server has, and its name there.
package struct FactsUpdate: Hashable, Sendable {
    package var node: RemoteReference
    package var facts: PosixFacts
}

/// A move of a node on the server.
package struct NodeMove: Hashable, Sendable {
    /// The present remote path.
    package var source: RemotePath
    /// The intended remote path.
    package var target: RemotePath
    /// ID on the server, if known.
    package var id: FileID?
    /// Whether other nodes' paths change with its own.
    package var isFolder: Bool
    /// Whether users see it under the target's name and in its folder already, as one whose own
    /// name has become free: nothing that they have done asks for the move.
    package var isUnseen = false
    /// Of a move to a temporary name: where users have the node.
    package var seen: Place?
}

extension NodeMove {
    /// The node to move, by path and ID.
    package var node: RemoteReference {
        RemoteReference(path: source, id: id, isOnlyAtPath: isUnseen)
    }

    package init(
        _ node: Node, from source: RemotePath, to target: RemotePath, isUnseen: Bool = false
    ) {
        self.init(
            source: source, target: target, id: node.facts.id, isFolder: node.kind == .folder,
            isUnseen: isUnseen)
    }
}

extension UploadStep {
    /// The paths whose state decides the next step: targets first, so that a node moved there by a
    /// request with a lost response is found before it is missed at its source.
    package var paths: [RemotePath] {
        switch self {
        case .settled, .waitFor, .waitForWriters: []
        case .makeFolder(let path): [path]
        case .deleteFile(let node, _), .deleteFolder(let node): [node.path]
        case .setFacts(let update): [update.node.path]
        case .upload(let upload): [upload.path]
        case .copy(let source, let upload): [upload.path, source.path]
        case .move(let move): [move.target, move.source]
        }
    }
}

extension UploadStep {
    /// Bytes that the server is to store; 0 for a step without content.
    package var contentSize: Int64 {
        switch self {
        case .upload(let upload), .copy(_, let upload): upload.staged.size
        case .settled, .waitFor, .waitForWriters, .makeFolder, .move, .setFacts, .deleteFile,
            .deleteFolder:
            0
        }
    }

    /// The modification time that a commit sends.
    var sentModified: WallTime? {
        switch self {
        case .upload(let upload): upload.modified
        // A copy has its source's.
        case .copy, .settled, .waitFor, .waitForWriters, .makeFolder, .move, .setFacts, .deleteFile,
            .deleteFolder:
            nil
        }
    }

    /// Whether it creates a node with a new ID.
    var isNew: Bool {
        switch self {
        case .makeFolder: true
        case .upload(let upload), .copy(_, let upload):
            if case .absent = upload.expectation { true } else { false }
        case .settled, .waitFor, .waitForWriters, .move, .setFacts, .deleteFile, .deleteFolder:
            false
        }
    }

    /// Whether the paths in the step still are the node's, and users still want it there.
    func holds(for node: Node, _ transaction: Transaction) throws -> Bool {
        switch self {
        case .settled, .waitFor, .waitForWriters: return true
        case .makeFolder(let path):
            return try node.remote == .absent
                && isTarget(path, of: node, transaction)
        case .upload(let upload), .copy(_, let upload):
            if isNew && node.remote != .absent || node.flags.contains(.localOnly) { return false }
            return try isTarget(upload.path, of: node, transaction)
        case .move(let move):
            // A node that blocks another one, deleted or not, first moves to a temporary name
            // beside its remote place.
            let there = try transaction.remotePlace(of: node)
            return try isPath(move.source, of: node, transaction)
                && (isParent(of: move.target, node.place, transaction)
                    || isParent(of: move.target, there, transaction))
        case .setFacts(let update):
            // Users may have set them back since: no request would set back those on the server.
            return try node.remote != .absent && node.place != nil
                && node.flags.contains(.factsOwed)
                && isPath(update.node.path, of: node, transaction)
        case .deleteFile(let deleted, _):
            // A file that users have made in its place since is to have its history.
            return try node.isTombstone && isPath(deleted.path, of: node, transaction)
                && (node.kind != .file || transaction.successor(of: node) == nil)
        case .deleteFolder(let deleted):
            return try node.isTombstone && isPath(deleted.path, of: node, transaction)
        }
    }

    /// Whether users still want a step that moves or deletes a node. One that blocks another node
    /// goes to a temporary name first: that is on the way to the place that it had then.
    func isWanted(for node: Node, _ transaction: Transaction) throws -> Bool {
        switch self {
        case .deleteFile, .deleteFolder: return node.place == nil
        case .move(let move):
            if let seen = move.seen { return node.place == seen }
            return try isTarget(move.target, of: node, transaction)
        case .settled, .waitFor, .waitForWriters, .makeFolder, .upload, .copy, .setFacts:
            return false
        }
    }

    /// Whether users have a node at a path, under its name, too: a rename since then needs
    /// another step, and another client's node may have the former name.
    private func isTarget(
        _ path: RemotePath, of node: Node, _ transaction: Transaction
    ) throws -> Bool {
        try isParent(of: path, node.place, transaction)
            && node.place?.name.string == path.components.last
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
