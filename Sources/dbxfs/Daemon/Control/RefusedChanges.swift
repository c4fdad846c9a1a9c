// The changes of a database that the server refused, for people.

import Core
import MetadataStore
import Mounting

extension Snapshot {
    /// Maximum number of refused changes to list; the queue's count has all.
    private static let refusedLimit = 20

    /// The first changes that the server refused and that wait for an action of the user.
    func refusedChanges() throws -> [MountStatus.Problem] {
        try journalEntries(limit: 10_000)
            .filter { $0.problem != nil }
            .prefix(Self.refusedLimit)
            .map { entry in
                let names = try localPath(of: entry.inode) ?? []
                return MountStatus.Problem(
                    path: names.map { "/" + $0.string }.joined(), reason: entry.problem ?? "")
            }
    }
}
