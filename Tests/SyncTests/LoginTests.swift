// A token that is refused, and what a new login changes.

import Core
import Foundation
import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Time stands still: a pause ends only when something else ends it.
private final class StandingClock: SyncClock {
    private let time = WallTime.now()
    /// Sleeps that have ended, without time passing.
    let sleeps = Mutex(0)

    func now() -> WallTime { time }

    func sleep(until time: WallTime) async throws(CancellationError) {
        defer { sleeps.withLock { $0 += 1 } }
        do {
            // Other tasks run; the pause of the code under test has no end by itself.
            try await Task.sleep(for: .milliseconds(1))
        } catch {
            throw CancellationError()
        }
    }
}

@Suite struct LoginTests {
    @Test("a new login ends the pause after a refused token, and sends what waits")
    func newLogin() async throws {
        let clock = StandingClock()
        let harness = try Harness(clock: clock)
        try await harness.write("/waiting", "written meanwhile")
        harness.faulty.inject(.failBefore(.unauthorized("revoked")), times: nil) { _ in true }
        try await harness.start()
        try await waitWhile { !harness.isRefused }
        harness.faulty.removeFaults()
        // Every pause looks at its clock again and again.
        let before = clock.sleeps.withLock { $0 }
        try await waitWhile { clock.sleeps.withLock { $0 } < before + 20 }
        #expect(harness.isRefused, "nobody knows yet that another token would do")
        await harness.noteLogin()
        try await waitWhile { !harness.isOnline }
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree()["/waiting"] == "written meanwhile")
    }
}
