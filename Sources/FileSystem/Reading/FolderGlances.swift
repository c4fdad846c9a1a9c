// Folders in which somebody looks at the beginnings of files only, as file managers do for their icons.

import Core
import Synchronization

/// What readers did with the last files of each folder.
final class FolderGlances: Sendable {
    private struct State {
        /// How many files in a row were closed after a glance.
        var runs: [InodeID: Int] = [:]
        var order: [InodeID] = []
    }

    /// Files up to this size are fetched whole whatever is read of them: the round trip is what costs.
    static let smallSize: Int64 = 256 << 10
    private static let evidence = 3
    /// Folders that are remembered.
    private static let memory = 64

    /// Lock: a leaf.
    private let state = Mutex(State())

    /// Whether the next file of a folder is likely to be glanced at.
    func isGlancedAt(_ folder: InodeID) -> Bool {
        state.withLock { $0.runs[folder, default: 0] >= Self.evidence }
    }

    /// A file of a folder is closed, after its first `read` bytes were asked for.
    func noteClosed(in folder: InodeID, read: Int64, of size: Int64) {
        guard read > 0, size > Self.smallSize else { return }
        state.withLock { state in
            if state.runs[folder] == nil {
                state.order.append(folder)
                if state.order.count > Self.memory { state.runs[state.order.removeFirst()] = nil }
            }
            state.runs[folder] = read <= size / 4 ? state.runs[folder, default: 0] +| 1 : 0
        }
    }
}
