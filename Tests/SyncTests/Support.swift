// Clocks for the tests of this module: a fast one, and one that moves with each reading.

import Core
import Synchronization

@testable import Sync

/// The machine's clock, a hundred times as fast: waiting before the next try takes no test's time.
struct FastClock: SyncClock {
    private static let speed: Int64 = 100
    private let start = WallTime.now()

    func now() -> WallTime {
        let passed = WallTime.now().nanoseconds - start.nanoseconds
        return WallTime(nanoseconds: start.nanoseconds + passed * Self.speed)
    }

    func sleep(until time: WallTime) async throws(CancellationError) {
        let rest = max(0, time.nanoseconds - now().nanoseconds) / Self.speed
        do {
            // A clock that is faster than the machine's has to wait for that.
            try await Task.sleep(nanoseconds: UInt64(rest))
        } catch {
            throw CancellationError()
        }
    }
}

/// A clock that moves by a second with each reading, and by the length of each sleep.
final class TickingClock: SyncClock {
    private let time = Mutex(WallTime.now())

    func now() -> WallTime {
        time.withLock { time in
            time = time.adding(seconds: 1)
            return time
        }
    }

    func sleep(until target: WallTime) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        time.withLock { $0 = max($0, target) }
    }
}

/// A clock, by default a fast one, whose date is another than its time, as after a user has set it.
final class ShiftedClock: SyncClock {
    private let clock: any SyncClock
    private let shift: Mutex<Double>

    init(by seconds: Double = 0, of clock: any SyncClock = FastClock()) {
        self.clock = clock
        shift = Mutex(seconds)
    }

    /// Sets the date on, or back.
    func setDate(by seconds: Double) {
        shift.withLock { $0 += seconds }
    }

    func now() -> WallTime { clock.now() }
    func date() -> WallTime { WallTime.now().adding(seconds: shift.withLock { $0 }) }

    func sleep(until time: WallTime) async throws(CancellationError) {
        try await clock.sleep(until: time)
    }
}
