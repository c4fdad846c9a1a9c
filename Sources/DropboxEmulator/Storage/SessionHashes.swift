// The running hashes of sequential upload sessions, and the lock of each session's file.

import Synchronization

/// Keeps the hash state of each session's data.
final class SessionHashes: Sendable {
    private struct State {
        var hashers: [String: (size: Int64, hasher: BlockHasher)] = [:]
        var busy: Set<String> = []
    }

    private let state = Mutex(State())

    /// Locks the file of a session for one writer; false while another has it.
    func claim(_ session: String) -> Bool {
        state.withLock { $0.busy.insert(session).inserted }
    }

    /// Unlocks the file of a session.
    func release(_ session: String) {
        _ = state.withLock { $0.busy.remove(session) }
    }

    /// The hash state of a session's first bytes; nil if it has to be computed from the file, as
    /// after a restart.
    func hasher(of session: String, size: Int64) -> BlockHasher? {
        if size == 0 { return BlockHasher() }
        return state.withLock { state in
            guard let known = state.hashers[session], known.size == size else { return nil }
            return known.hasher
        }
    }

    /// Stores the hash state of a session's first bytes.
    func remember(_ hasher: BlockHasher, of session: String, size: Int64) {
        state.withLock { $0.hashers[session] = (size, hasher) }
    }

    func forget(_ session: String) {
        _ = state.withLock { $0.hashers.removeValue(forKey: session) }
    }
}
