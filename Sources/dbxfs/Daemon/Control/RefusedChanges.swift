// The changes of a database that the server refused, and why the first of them waits, for people.
// Not responsible for whether all of the queue is refused.

import Core
import MetadataStore
import Mounting

extension Snapshot {
    /// Maximum number of refused changes to list; the queue's count has all.
    private static let refusedLimit = 20
    /// Entries of the journal that are read for them.
    private static let examinedLimit = 10_000
    /// The same for the first one alone, for which a wait for the queue asks 20 times a second.
    private static let repeatedlyExaminedLimit = 1_000

    /// The first changes that the server refused and that wait for an action of the user.
    func refusedChanges() throws -> [MountStatus.Problem] {
        try entriesWithProblem(limit: Self.refusedLimit, among: Self.examinedLimit)
            .map { entry in
                let names = try knownNames(of: entry.inode) ?? []
                return MountStatus.Problem(
                    path: MountStatus.shortPath(of: names.map(\.string)),
                    reason: entry.problem ?? "")
            }
    }

    /// Why the first of them waits; nil if there is none.
    func firstRefusal() throws -> String? {
        try entriesWithProblem(limit: 1, among: Self.repeatedlyExaminedLimit).first?.problem
    }
}
