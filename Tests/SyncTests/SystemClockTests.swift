// The clock by which changes become due: it does not follow the machine's date.

import Core
import Synchronization
import Testing

@testable import Sync

struct SystemClockTests {
    /// The date and the uptime of a machine whose users set its date.
    private final class Machine: Sendable {
        let date = Mutex(WallTime(seconds: 1_700_000_000))
        let uptime = Mutex<Int64>(1_000_000_000)
    }

    @Test("a date that is set moves no due time, forward or back", arguments: [-86_400, 86_400])
    func dateIsSet(by seconds: Int64) {
        let machine = Machine()
        let clock = SystemClock(
            date: { machine.date.withLock { $0 } }, uptime: { machine.uptime.withLock { $0 } })
        let before = clock.now()
        machine.date.withLock { $0 = WallTime(seconds: 1_700_000_000 + seconds) }
        #expect(clock.now() == before)
        #expect(clock.date() == WallTime(seconds: 1_700_000_000 + seconds))
        machine.uptime.withLock { $0 += 5_000_000_000 }
        #expect(clock.now() == WallTime(seconds: 1_700_000_005))
    }

    @Test("all clocks of a machine agree, and go on")
    func machine() async throws {
        let clock = SystemClock()
        let before = clock.now()
        try await clock.sleep(until: before.adding(seconds: 0.02))
        let after = clock.now()
        #expect(after >= before.adding(seconds: 0.02))
        #expect(SystemClock().now() >= after.adding(seconds: -1))
    }
}
