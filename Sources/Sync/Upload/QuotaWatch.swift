// The quota probe: while uploads wait for space in the account, the free space is polled, because
// no notification exists. While the account is full, writes are refused.

import Core
import MetadataStore
import RemoteStore
import Saturating

/// Watches the space of an account in which uploads wait for some.
actor QuotaWatch {
    /// Seconds between two questions, one small request each, while the account is full.
    private static let checkInterval = 10.0
    /// The same while nothing waits but files that are larger than the free space.
    private static let largeFileInterval = 60.0

    private let account: SyncedAccount
    /// Wakes the uploader, because uploads may be retried.
    private let wake: @Sendable () -> Void
    /// The polling while refused uploads wait for space.
    private var polling: Task<Void, Never>?
    /// Free bytes when the last upload was refused.
    private var roomWhenFull: Int64 = 0
    /// Free bytes with which an account is not full, although a larger file was refused: smaller
    /// ones can be stored.
    private static let leastRoom: Int64 = 16 << 20

    init(account: SyncedAccount, wake: @escaping @Sendable () -> Void) {
        self.account = account
        self.wake = wake
    }

    /// Ends the polling of the quota.
    func cancel() {
        polling?.cancel()
    }

    /// Handles an upload of so many bytes that was refused for lack of space. New writes are
    /// refused, too, unless only this file is too large for the space that is left.
    func noteFull(refused size: Int64) async {
        let room = await askForRoom()
        roomWhenFull = room ?? roomWhenFull
        let isOnlyThis = room.map { $0 >= Self.leastRoom && $0 < size } ?? false
        if !isOnlyThis { account.state.update { $0.isQuotaExceeded = true } }
        guard polling == nil else { return }
        let clock = account.clock
        polling = Task { [weak self] in
            repeat {
                let isFull = self?.account.state.current.isQuotaExceeded ?? false
                let seconds = isFull ? Self.checkInterval : Self.largeFileInterval
                let next = clock.now().adding(seconds: seconds)
                guard (try? await clock.sleep(until: next)) != nil else { return }
            } while await self?.askAgain() == true
        }
    }

    /// Handles a step that was sent, which may have made space or been the last one that waited for
    /// some. Files that are larger than the free space are left to the polling: the account works.
    func check() async {
        guard polling != nil else { return }
        let isFull = account.state.current.isQuotaExceeded
        if !isFull, await refusedCount() != 0 { return }
        await askAgain()
    }

    /// Accepts writes again, and retries refused uploads, if the free space has grown, or if no
    /// refused upload is left. Returns whether uploads still wait for space.
    @discardableResult
    private func askAgain() async -> Bool {
        let room = await askForRoom()
        let hasGrown = room.map { $0 > roomWhenFull } ?? false
        if hasGrown {
            let (store, now) = (account.store, account.clock.now())
            await account.local.attempt {
                try await store.write { transaction in
                    try transaction.makeDue(problem: UploadReaction.fullAccount, at: now)
                }
            }
        } else if await refusedCount() != 0 {
            return true
        }
        account.state.update { $0.isQuotaExceeded = false }
        polling?.cancel()
        polling = nil
        wake()
        return false
    }

    /// How many uploads wait for space; nil if the database cannot tell.
    private func refusedCount() async -> Int? {
        let store = account.store
        return await account.local.attempt {
            try await store.read { try $0.entryCount(problem: UploadReaction.fullAccount) }
        }
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
