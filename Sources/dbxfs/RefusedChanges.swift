// The changes of a database that the server refused, for people.

import Core
import MetadataStore
import Mounting

extension Snapshot {
    /// Refused changes that anybody is told of at most; the rest is in the count of the queue.
    private static let refusedLimit = 20

    /// The first changes that the server refused and that wait for somebody to do something about it.
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
