// Old revisions of files: finding the server's path for a local path, and applying a restored
// revision.

package import Core
import MetadataStore
package import RemoteStore
import Tree

extension SyncEngine {
    /// The newest revisions of the file at a local path, which may be deleted. With `folding`, a
    /// node whose name differs in case counts, too.
    package func revisions(
        of names: [FileName], folding: Bool = false, limit: Int, from history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteRevisions {
        let target = try await target(names, folding: folding)
        return try await revisions(at: target.path, limit: limit, history)
    }

    /// Makes an old revision of a file the current one: on the server, and at once here. Without a
    /// revision, the newest one of a deleted file.
    ///
    /// The present content becomes an old revision. A file with unsent changes is refused, because
    /// these would be an edit of the content before; if it gets them during the request, the rules
    /// for conflicts apply: then both versions stay.
    package func restore(
        _ names: [FileName], folding: Bool = false, to revision: Revision?,
        from history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteFile {
        // No delta may be applied between the server's change and its recording.
        try await account.gate.commit { () async throws(HistoryError) in
            try await restoreNow(target(names, folding: folding), to: revision, history)
        }
    }

    private func restoreNow(
        _ target: HistoryTarget, to revision: Revision?, _ history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteFile {
        if target.hasUnsentChanges { throw .unsentChanges }
        let version: Revision
        if let revision {
            version = revision
        } else {
            let known = try await revisions(at: target.path, limit: 1, history)
            guard known.isDeleted else { throw .notDeleted }
            guard let newest = known.versions.first else { throw .unknown }
            version = newest.file.revision
        }
        let entry: RemoteEntry
        do {
            entry = try await history.restore(target.path, to: version)
        } catch {
            throw error == .notFound ? .noSuchVersion : .remote(error)
        }
        guard case .file(let file) = entry.kind else {
            throw .remote(.malformed("a restored file that is none"))
        }
        guard case .success = await account.recorder.record({ try $0.apply([entry]) }) else {
            throw .store("what was restored shows here with the next news")
        }
        return file
    }

    // MARK: Parts

    private func revisions(
        at path: RemotePath, limit: Int, _ history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteRevisions {
        do {
            return try await history.revisions(of: path, limit: limit)
        } catch {
            switch error {
            case .notFound: throw .unknown
            case .notAFile: throw .isFolder
            default: throw .remote(error)
            }
        }
    }

    private func target(
        _ names: [FileName], folding: Bool
    ) async throws(HistoryError) -> HistoryTarget {
        try await readTree { try HistoryTarget(names, folding: folding, in: $0) }
    }

    /// Reads the tree for a history.
    func readTree<Value: Sendable>(
        _ find: @escaping @Sendable (Snapshot) throws -> Value
    ) async throws(HistoryError) -> Value {
        do {
            return try await account.store.read(find)
        } catch let error as HistoryError {
            throw error
        } catch {
            throw .store("\(error)")
        }
    }
}

/// The remote path for a local one, present or former.
struct HistoryTarget: Hashable, Sendable {
    var path: RemotePath
    /// Whether the node at the path, a former one, or a parent has unsent changes.
    var hasUnsentChanges = false

    /// Names below the last known folder are used unchanged, because the nodes there may be
    /// deleted.
    init(_ names: [FileName], folding: Bool, in tree: some TreeReading) throws {
        guard let last = names.last else { throw HistoryError.isFolder }
        var folder = InodeID.root
        var rest: [FileName] = []
        for name in names.dropLast() {
            guard rest.isEmpty, let node = try Self.child(name, folding, of: folder, in: tree)
            else {
                // Its deletion, or move, would be sent later, and take the restored file along.
                if rest.isEmpty, try Self.isUnsentThere(name, of: folder, in: tree) {
                    hasUnsentChanges = true
                }
                rest.append(name)
                continue
            }
            guard node.kind == .folder else { throw HistoryError.unknown }
            if node.flags.contains(.localOnly) { throw HistoryError.localOnly }
            if try tree.journalEntry(of: node.inode) != nil { hasUnsentChanges = true }
            folder = node.inode
        }
        // The server never knew a new local folder by another name.
        guard let parent = try tree.remotePath(of: folder) else { throw HistoryError.unknown }
        path = rest.reduce(RemotePath(rawValue: parent)) { $0.appending($1) }.appending(last)
        guard rest.isEmpty else { return }
        if let node = try Self.child(last, folding, of: folder, in: tree) {
            if node.kind == .folder { throw HistoryError.isFolder }
            if node.flags.contains(.localOnly) { throw HistoryError.localOnly }
            if let known = try tree.remotePath(of: node.inode) {
                path = RemotePath(rawValue: known)
            }
            if try Self.isUnsent(node, in: tree) { hasUnsentChanges = true }
        }
        if try Self.isUnsentThere(last, of: folder, in: tree) { hasUnsentChanges = true }
    }

    /// Whether the node that has a name on the server is unsent.
    private static func isUnsentThere(
        _ name: FileName, of folder: InodeID, in tree: some TreeReading
    ) throws -> Bool {
        guard let known = try tree.remoteChild(like: name, of: folder) else { return false }
        return try isUnsent(known, in: tree)
    }

    private static func isUnsent(_ node: Node, in tree: some TreeReading) throws -> Bool {
        try node.staged != nil || tree.journalEntry(of: node.inode) != nil
    }

    /// The child that users see under a name. Where they see another one that collides with it, the
    /// server has had no file of that name.
    private static func child(
        _ name: FileName, _ folding: Bool, of folder: InodeID, in tree: some TreeReading
    ) throws -> Node? {
        if let node = try tree.child(name, of: folder) { return node }
        let other = try tree.child(like: name, of: folder)
        guard other == nil || folding else { throw HistoryError.unknown }
        return other
    }
}
