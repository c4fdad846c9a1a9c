// A user's requests for old revisions, by a mount's connection. Not responsible for those of the
// mount itself (`Link.swift`).

import Core
import RemoteStore
import RemoteStoreTesting

extension Link {
    func restore(
        _ path: RemotePath, to revision: Revision, _ world: World?
    ) async throws(RemoteError) -> RemoteEntry {
        let request = "restore \(path.rawValue)"
        restorations += 1
        defer { restorations -= 1 }
        return try await perform(request, changes: true) { () async throws(RemoteError) in
            let isOther = world?.willRestore(path, to: revision) ?? false
            let entry = try await base.restore(path, to: revision)
            if isOther { world?.noteRestored(revision) }
            return entry
        }
    }

    func revisions(
        of path: RemotePath, limit: Int
    ) async throws(RemoteError) -> RemoteRevisions {
        try await perform("revisions \(path.rawValue)") { () async throws(RemoteError) in
            try await base.revisions(of: path, limit: limit)
        }
    }
}

/// A user's requests for old revisions by a mount's connection.
struct UserHistory: RemoteHistory {
    let link: Link
    let world: World

    func revisions(
        of path: RemotePath, limit: Int
    ) async throws(RemoteError) -> RemoteRevisions {
        try await link.revisions(of: path, limit: limit)
    }

    func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        try await link.restore(path, to: revision, world)
    }
}
