// Frees memory when no reader is active.

import Synchronization

extension ContentReader {
    /// Notes an arrival, which keeps bytes in memory for a while longer.
    func postponeIdle() {
        let isWatched = state.withLock { state in
            state.lastArrival = .now
            defer { state.isWatched = true }
            return state.isWatched
        }
        if !isWatched { Task { [weak self] in await self?.awaitIdle() } }
    }

    /// Waits until no fetch has arrived for a while, and frees their memory.
    private func awaitIdle() async {
        while true {
            try? await Task.sleep(for: limits.idleTime)
            let turns = state.withLock { state -> Turns? in
                guard state.lastArrival.duration(to: .now) >= limits.idleTime else { return nil }
                state.isWatched = false
                return Self.perform(state.queue.evictAll(), &state)
            }
            guard let turns else { continue }
            buffers.drop()
            return turns.take()
        }
    }
}
