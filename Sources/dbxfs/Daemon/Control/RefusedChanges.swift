// The changes of a database that the server refused, for people.

import Core
import MetadataStore
import Mounting

extension Snapshot {
    /// Maximum number of refused changes to list; the queue's count has all.
    private static let refusedLimit = 20
    /// Entries of the journal that are read for them, so that a status takes no longer with a long
    /// queue.
    private static let examinedLimit = 10_000

    /// The first changes that the server refused and that wait for an action of the user.
    func refusedChanges() throws -> [MountStatus.Problem] {
        try journalEntries(limit: Self.examinedLimit)
            .filter { $0.problem != nil }
            .prefix(Self.refusedLimit)
            .map { entry in
                let names = try knownNames(of: entry.inode) ?? []
                return MountStatus.Problem(
                    path: MountStatus.shortPath(of: names.map(\.string)),
                    reason: entry.problem ?? "")
            }
    }
}
