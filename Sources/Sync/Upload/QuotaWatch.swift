// The quota probe: while the account is full, writes are refused, refused uploads wait, and the
// free space is polled, because no notification exists.

import Core
import MetadataStore
import RemoteStore
import Saturating

/// Watches the space of a full account.
actor QuotaWatch {
    /// Polling interval in seconds. One small request each, and only while the account is full.
    private static let checkInterval = 10.0

    private let account: SyncedAccount
    /// Wakes the uploader, because uploads may be retried.
    private let wake: @Sendable () -> Void
    /// The polling while the account is full.
    private var polling: Task<Void, Never>?
    /// Free bytes when the account was found full.
    private var roomWhenFull: Int64 = 0

    init(account: SyncedAccount, wake: @escaping @Sendable () -> Void) {
        self.account = account
        self.wake = wake
    }

    /// Ends the polling of the quota.
    func cancel() {
        polling?.cancel()
    }

    /// Handles an upload that was refused for lack of space.
    func noteFull() async {
        account.state.update { $0.isQuotaExceeded = true }
        roomWhenFull = await askForRoom() ?? roomWhenFull
        guard polling == nil else { return }
        let clock = account.clock
        polling = Task { [weak self] in
            repeat {
                let next = clock.now().adding(seconds: Self.checkInterval)
                guard (try? await clock.sleep(until: next)) != nil else { return }
            } while await self?.check() == true
        }
    }

    /// Accepts writes again, and retries refused uploads, if the free space has grown, or if no
    /// refused upload is left. Returns whether the account is still full.
    @discardableResult
    func check() async -> Bool {
        guard account.state.current.isQuotaExceeded else { return false }
        let room = await askForRoom()
        let hasGrown = room.map { $0 > roomWhenFull } ?? false
        let now = account.clock.now()
        let refused = await account.local.attempt {
            try await self.account.store.write { transaction in
                if hasGrown {
                    try transaction.makeDue(problem: UploadReaction.fullAccount, at: now)
                }
                return try transaction.entryCount(problem: UploadReaction.fullAccount)
            }
        }
        guard hasGrown || refused == 0 else { return true }
        account.state.update { $0.isQuotaExceeded = false }
        polling?.cancel()
        polling = nil
        wake()
        return false
    }

    /// Bytes that are free; nil if the request fails.
    private func askForRoom() async -> Int64? {
        guard let space = try? await fromServer(await account.remote.space()) else {
            return nil
        }
        account.state.update { $0.space = space }
        return space.allocated -| space.used
    }
}
