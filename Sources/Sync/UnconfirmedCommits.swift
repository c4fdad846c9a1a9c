// What this mount has made on the server and the changes have not told yet. An answer says by which path
// something was made; if others had moved the folder before, the server has made a new folder of the old name
// for it, and only the changes tell. When these are in and do not have it, it is gone again, or elsewhere: it is
// asked for by its id.

import Core
import RemoteStore
import Synchronization

/// The ids of new files and folders, from the answer until the changes tell of them.
final class UnconfirmedCommits: Sendable {
    /// Ids that one step of changes makes this mount ask for, at most; the others are asked for at later ones.
    private static let limit = 32

    /// Lock: a leaf.
    private let ids = Mutex<Set<FileID>>([])

    /// Something new has arrived.
    func add(_ entry: RemoteEntry) {
        guard let id = entry.id else { return }
        ids.withLock { _ = $0.insert(id) }
    }

    /// These could not be asked for.
    func add(_ unasked: [FileID]) {
        ids.withLock { $0.formUnion(unasked) }
    }

    /// All changes up to now are in, with no commit on its way. Returns those that they do not tell of.
    func untold(by entries: [RemoteEntry]) -> [FileID] {
        let told = Set(entries.compactMap(\.id))
        return ids.withLock { ids in
            ids.subtract(told)
            let asked = ids.prefix(Self.limit)
            ids.subtract(asked)
            return Array(asked)
        }
    }
}
