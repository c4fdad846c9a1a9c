// Hashes staged content before a batch, or the response to a move, is applied that may have the
// same bytes: otherwise a hash is computed only at the upload, and without one, equal bytes would
// be taken for a conflict.

import Blocking
import ContentHashing
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Hashes staged content before a batch.
struct UnsentHashes: Sendable {
    let account: SyncedAccount

    /// Hashes the staged content whose bytes entries of a batch may have: of the same file, or of
    /// one under the same name, and of the same size. Content that cannot be hashed stays without;
    /// then both contents are kept.
    func note(like entries: [RemoteEntry]) async {
        do {
            let nodes = try await account.store.read { try $0.unhashedNodes(like: entries) }
            guard !nodes.isEmpty else { return }
            let (staging, store) = (account.staging, account.store)
            try await account.disk.run { () throws(SyncError) in
                var failure: (any Error)?
                for node in nodes {
                    do { try Self.hash(node, staging, store) } catch { failure = error }
                }
                if let failure { throw SyncError(cause: failure) }
            }
        } catch {
            account.log.notice(
                "unsent content could not be hashed", metadata: ["error": "\(error)"])
        }
    }

    private static func hash(
        _ node: UnhashedNode, _ staging: StagingArea, _ store: MetadataStore
    ) throws {
        // The row of a file that a program has open may have an earlier size.
        guard let file = try staging.existing(node.inode), let content = file.contentToSend(),
            content.size == node.size, file.missingRanges.isEmpty
        else { return }
        let source = StagedSource(file: file, size: content.size)
        let hash =
            try content.hash
            ?? ContentHash(blockDigests: source.blockDigests(of: 0..<content.size))
        // A write since then began another generation, which has another hash.
        guard file.generation == content.generation else { return }
        file.noteHash(hash, generation: content.generation)
        // Other content of an open file is saved when the program closes it.
        if hash == node.hash || !file.hasUnsavedContent {
            try store.write { try file.persist(in: $0, isComplete: false) }
        }
    }
}

/// A node whose unhashed content equals that of an entry if it has this size and this hash.
private struct UnhashedNode {
    var inode: InodeID
    var size: Int64
    var hash: ContentHash
}

extension TreeReading {
    /// Nodes with unhashed staged content that may equal the content of one of the entries.
    fileprivate func unhashedNodes(like entries: [RemoteEntry]) throws -> [UnhashedNode] {
        guard try hasUnhashedContent() else { return [] }
        var folders: [RemotePath: InodeID] = [:]
        var found: [UnhashedNode] = []
        for entry in entries {
            guard case .file(let file) = entry.kind, let hash = file.hash else { continue }
            var known = try node(id: file.id)
            // Users may have made the file anew that they deleted.
            if known?.place == nil { known = try localNode(for: entry, &folders) }
            guard let node = known, let staged = node.staged, node.facts.hash != hash,
                // A row that still names its base may be that of a file which a program is writing.
                staged.hash == nil
            else { continue }
            found.append(UnhashedNode(inode: node.inode, size: file.size, hash: hash))
        }
        return found
    }

    /// The local node that an entry will meet: under the server's key, or under the predicted one
    /// until the batch tells that they are one.
    private func localNode(
        for entry: RemoteEntry, _ folders: inout [RemotePath: InodeID]
    ) throws -> Node? {
        guard let key = entry.foldedPath.components.last else { return nil }
        let path = entry.foldedPath.parent
        guard let folder = try folders[path] ?? self.folder(at: path) else { return nil }
        folders[path] = folder
        return try child(folded: key, of: folder)
            ?? child(folded: Folding.fold(entry.name.string), of: folder)
    }

    /// The folder at a path of the server, or the local folder with which it will be merged.
    private func folder(at path: RemotePath) throws -> InodeID? {
        var folder = InodeID.root
        for key in path.components {
            let next = try remoteChild(folded: key, of: folder) ?? child(folded: key, of: folder)
            guard let next, next.kind == .folder else { return nil }
            folder = next.inode
        }
        return folder
    }
}
