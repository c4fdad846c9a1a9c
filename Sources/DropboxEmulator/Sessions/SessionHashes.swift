// The running hashes of sequential upload sessions, and who is writing to which session.

import Synchronization

/// Remembers how far the data of each session has been hashed.
final class SessionHashes: Sendable {
    private struct State {
        var hashers: [String: (size: Int64, hasher: BlockHasher)] = [:]
        var busy: Set<String> = []
    }

    private let state = Mutex(State())

    /// Reserves the file of a session for one writer; false while another has it.
    func claim(_ session: String) -> Bool {
        state.withLock { $0.busy.insert(session).inserted }
    }

    /// Gives the file back.
    func release(_ session: String) {
        _ = state.withLock { $0.busy.remove(session) }
    }

    /// The hash of a session's first bytes; nil if it has to be computed from the file, as after a
    /// restart.
    func hasher(of session: String, size: Int64) -> BlockHasher? {
        if size == 0 { return BlockHasher() }
        return state.withLock { state in
            guard let known = state.hashers[session], known.size == size else { return nil }
            return known.hasher
        }
    }

    /// Remembers the hash of a session's first bytes.
    func remember(_ hasher: BlockHasher, of session: String, size: Int64) {
        state.withLock { $0.hashers[session] = (size, hasher) }
    }

    /// Forgets a session.
    func forget(_ session: String) {
        _ = state.withLock { $0.hashers.removeValue(forKey: session) }
    }
}
