// While the account is full: writes are refused, what the server refused waits, and room is looked for,
// because nothing tells of it.

import Core
import MetadataStore
import RemoteStore

extension Uploader {
    /// Seconds between two looks. One small request each, and only while the account is full.
    private static let lookInterval = 10.0

    /// The server has refused content for want of space.
    func noteFull() async {
        environment.state.update { $0.isQuotaExceeded = true }
        roomWhenFull = await askForRoom() ?? roomWhenFull
        guard roomWatch == nil else { return }
        let clock = environment.clock
        roomWatch = Task { [weak self] in
            repeat {
                let next = clock.now().adding(seconds: Self.lookInterval)
                guard (try? await clock.sleep(until: next)) != nil else { return }
            } while await self?.lookForRoom() == true
        }
    }

    /// Takes writes again, and sends what was refused, when there is more room than there was, or when
    /// nothing is left that was refused. Returns whether the account is full as before.
    @discardableResult
    func lookForRoom() async -> Bool {
        guard environment.state.current.isQuotaExceeded else { return false }
        let room = await askForRoom()
        let hasGrown = room.map { $0 > roomWhenFull } ?? false
        let now = environment.clock.now()
        let refused = await attempt {
            try await self.environment.store.write { transaction in
                if hasGrown {
                    try transaction.makeDue(problem: UploadReaction.fullAccount, at: now)
                }
                return try transaction.entryCount(problem: UploadReaction.fullAccount)
            }
        }
        guard hasGrown || refused == 0 else { return true }
        environment.state.update { $0.isQuotaExceeded = false }
        roomWatch?.cancel()
        roomWatch = nil
        wake()
        return false
    }

    /// Bytes that are free; nil if they cannot be asked for now.
    private func askForRoom() async -> Int64? {
        guard let space = try? await environment.remote.space() else { return nil }
        environment.state.update { $0.space = space }
        return space.allocated -| space.used
    }
}
