// Folders in which only the beginnings of files are read, as file managers do for icons.

import Core
import Saturating
import Synchronization

/// How the last files of each folder were read.
final class HeaderProbes: Sendable {
    private struct State {
        /// Number of consecutive files that were closed after a header probe.
        var runs: [InodeID: Int] = [:]
        var order: [InodeID] = []
    }

    /// Files up to this size are fetched whole after any read, because the round trip is the cost.
    static let smallSize: Int64 = 256 << 10
    private static let evidence = 3
    /// Number of folders to remember.
    private static let memory = 64

    /// Lock: a leaf; no other lock is taken under it.
    private let state = Mutex(State())

    /// Whether the next file of a folder is likely to get a header probe.
    func isProbed(_ folder: InodeID) -> Bool {
        state.withLock { $0.runs[folder, default: 0] >= Self.evidence }
    }

    /// Notes that a file of a folder was closed, after its first `read` bytes were read.
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
