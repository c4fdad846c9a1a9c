// Edits of this mount that arrived without a response, and that other clients have undone since:
// the server tells the last revision only, and its bytes are those of the edit's base. Without the
// ones between, the edit would be sent again, over what others have restored. Not responsible for
// what follows from them: `DeltaApplier`.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

/// Finds the revisions between the known one of a file and the one that the server tells.
struct UndoneEdits: Sendable {
    /// Files to ask for before one batch; that of more, the edit is sent again.
    private static let most = 32

    let account: SyncedAccount

    /// The entries, each with the revisions before it that an edit of this mount may be among.
    /// Called while the gate is held, with no commit in flight.
    func tell(before entries: [RemoteEntry]) async throws(SyncError) -> [RemoteEntry] {
        let doubted = try await fromStore {
            try await account.store.read { try $0.returns(in: entries, limit: Self.most) }
        }
        guard !doubted.isEmpty else { return entries }
        var told: [RemoteEntry] = []
        for (index, entry) in entries.enumerated() {
            if let base = doubted[index], case .file(let file) = entry.kind {
                for version in try await versions(of: file, since: base) {
                    var earlier = entry
                    earlier.kind = .file(version)
                    told.append(earlier)
                }
            }
            told.append(entry)
        }
        return told
    }

    /// The revisions of a file between a known one and this one, oldest first; none if the known
    /// one is not among those that the server keeps.
    private func versions(
        of file: RemoteFile, since base: Revision
    ) async throws(SyncError) -> [RemoteFile] {
        do throws(RemoteError) {
            let kept = try await account.remote.revisions(of: file.id)
            guard let known = kept.firstIndex(where: { $0.revision == base }) else { return [] }
            return kept[..<known].reversed().filter { $0.revision != file.revision }
                .map { version in
                    var version = version
                    version.posix = .untold
                    return version
                }
        } catch {
            guard error.isAboutNode else { throw .remote(error) }
            account.log.notice(
                "the server does not say which revisions a file had",
                metadata: ["id": "\(file.id)", "error": "\(error)"])
            return []
        }
    }
}

extension TreeReading {
    /// The entries whose file has the bytes of its known revision in another one, although this
    /// mount may have stored other bytes since; with the known revision, by their indices.
    fileprivate func returns(
        in entries: [RemoteEntry], limit: Int
    ) throws -> [Int: Revision] {
        guard try hasIntents() else { return [:] }
        var found: [Int: Revision] = [:]
        for (index, entry) in entries.enumerated() {
            guard found.count < limit, case .file(let file) = entry.kind, let hash = file.hash,
                let node = try node(id: file.id), node.facts.hash == hash,
                let known = node.facts.revision, known != file.revision,
                try hasIntent(withOtherHashThan: hash, for: node.inode)
            else { continue }
            found[index] = known
        }
        return found
    }
}
