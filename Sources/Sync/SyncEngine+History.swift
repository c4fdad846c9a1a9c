// Old versions of files: from the names that users see to the path that the server knows, and what a
// restored version changes here.

public import Core
import MetadataStore
public import RemoteStore

/// Why a file's history cannot be had, or a version not be restored.
public enum HistoryError: Error, Hashable, Sendable {
    /// The file, or a folder above it, has changes that the server does not have yet.
    case unsentChanges
    /// It is a folder.
    case isFolder
    /// It never leaves this machine.
    case localOnly
    /// Nothing was there that the server knows.
    case unknown
    /// It is not deleted, so the version to go back to has to be named.
    case notDeleted
    /// There is no such version.
    case noSuchVersion
    /// The server did not do it.
    case remote(RemoteError)
    /// The local database failed.
    case store(String)
}

extension SyncEngine {
    /// The newest versions of the file that users see at a path, or that was there.
    public func revisions(
        of names: [FileName], limit: Int, from history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteRevisions {
        let target = try await target(names)
        return try await revisions(at: target.path, limit: limit, history)
    }

    /// Makes an old version of a file the current one: on the server, and at once here. Without a
    /// version, the newest one of a deleted file.
    ///
    /// What is there now becomes an old version. A file with changes that the server does not have yet is
    /// refused, because these would be an edit of what was there before; so is one that gets them
    /// meanwhile, by the rules for conflicts: then both versions stay.
    public func restore(
        _ names: [FileName], to revision: Revision?, from history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteFile {
        // With no news coming in between the server's doing and this mount's knowing.
        try await environment.gate.commit { () async throws(HistoryError) in
            try await restoreNow(names, to: revision, history)
        }
    }

    private func restoreNow(
        _ names: [FileName], to revision: Revision?, _ history: any RemoteHistory
    ) async throws(HistoryError) -> RemoteFile {
        let target = try await target(names)
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
        guard case .success = await uploader.record({ try $0.apply([entry]) }) else {
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

    private func target(_ names: [FileName]) async throws(HistoryError) -> HistoryTarget {
        do {
            return try await environment.store.read { try HistoryTarget(names, in: $0) }
        } catch let error as HistoryError {
            throw error
        } catch {
            throw .store("\(error)")
        }
    }
}

/// Where the server has, or had, what users name.
struct HistoryTarget: Hashable, Sendable {
    var path: RemotePath
    /// Whether the server has yet to be told of something that is there, was there, or is above.
    var hasUnsentChanges = false

    /// Names below the last folder that is here are taken as they are: what was there may be gone.
    init(_ names: [FileName], in tree: some TreeReading) throws {
        guard let last = names.last else { throw HistoryError.isFolder }
        var folder = InodeID.root
        var rest: [FileName] = []
        for name in names.dropLast() {
            guard rest.isEmpty, let node = try Self.child(name, of: folder, in: tree) else {
                rest.append(name)
                continue
            }
            guard node.kind == .folder else { throw HistoryError.unknown }
            if node.flags.contains(.localOnly) { throw HistoryError.localOnly }
            if try tree.journalEntry(of: node.inode) != nil { hasUnsentChanges = true }
            folder = node.inode
        }
        // A folder that is new here was never known to the server by another name.
        guard let parent = try tree.remotePath(of: folder) else { throw HistoryError.unknown }
        path = rest.reduce(RemotePath(rawValue: parent)) { $0.appending($1) }.appending(last)
        guard rest.isEmpty else { return }
        if let node = try Self.child(last, of: folder, in: tree) {
            if node.kind == .folder { throw HistoryError.isFolder }
            if node.flags.contains(.localOnly) { throw HistoryError.localOnly }
            if let known = try tree.remotePath(of: node.inode) {
                path = RemotePath(rawValue: known)
            }
            if try isUnsent(node, in: tree) { hasUnsentChanges = true }
        }
        if let known = try tree.remoteChild(like: last, of: folder),
            try isUnsent(known, in: tree)
        {
            hasUnsentChanges = true
        }
    }

    private func isUnsent(_ node: Node, in tree: some TreeReading) throws -> Bool {
        try node.staged != nil || tree.journalEntry(of: node.inode) != nil
    }

    /// The server's names differ by more than their case.
    private static func child(
        _ name: FileName, of folder: InodeID, in tree: some TreeReading
    ) throws -> Node? {
        try tree.child(like: name, of: folder)
    }
}
