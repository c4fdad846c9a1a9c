// One thread, one clock and one order of jobs for a whole process: which ready job runs next is
// drawn from a seed, and time passes only while no job is ready. Not responsible for what the jobs
// do.

import Blocking
@preconcurrency import CConcurrency
import Core
import Sync
import TestSupport

/// Runs all of the process's concurrency on the thread that calls `run`.
///
/// `unchecked`: only that thread ever touches it, because the hook takes every job before another
/// thread can.
final class Scheduler: @unchecked Sendable {
    /// The jobs after which a task is taken for stuck.
    static let mostJobs = 2_000_000

    /// The hook is a plain C function, which can reach its scheduler only through a global.
    nonisolated(unsafe) private static var current: Scheduler?

    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

    private struct Timer {
        var time: Int64
        var number: Int
        var fire: () -> Void
    }

    private var ready: [UnownedJob] = []
    private var timers: [Timer] = []
    private var lastTimer = 0
    private var random = SeededRandom(seed: 0)
    private let executor = JobExecutor()
    /// The present, in nanoseconds of the virtual clock.
    private(set) var now: Int64 = 0
    /// Number of jobs that have run.
    private(set) var jobs = 0
    /// A digest of every choice and of everything noted: equal for two runs of one history.
    private(set) var digest: UInt64 = 0

    /// Takes over the concurrency of this process for good.
    func install() {
        Self.current = self
        executor.scheduler = self
        let hook: Hook = { job, _ in Scheduler.current?.enqueue(job) }
        swift_task_enqueueGlobal_hook = unsafeBitCast(hook, to: UnsafeMutableRawPointer.self)
    }

    /// Begins a history. Nothing of an earlier one may be left.
    func begin(seed: UInt64) {
        ready = []
        timers = []
        random = SeededRandom(seed: seed)
        (now, jobs, digest) = (1_700_000_000_000_000_000, 0, seed)
    }

    fileprivate func enqueue(_ job: UnownedJob) {
        ready.append(job)
    }

    // MARK: Choices

    /// A number below `limit`, which is at least 1.
    func draw(_ limit: Int) -> Int {
        let number = Int(truncatingIfNeeded: random.next() % UInt64(limit))
        note(UInt64(number))
        return number
    }

    /// Whether something of this many percent happens.
    func happens(_ percent: Int) -> Bool { percent > 0 && draw(100) < percent }

    /// Adds to the digest.
    func note(_ value: UInt64) {
        digest = (digest ^ value) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    func note(_ text: String) {
        for byte in text.utf8 { note(UInt64(byte)) }
    }

    // MARK: Time

    /// Calls `fire` at a time of the clock; returns the number by which it is cancelled.
    func addTimer(at time: Int64, _ fire: @escaping () -> Void) -> Int {
        lastTimer += 1
        timers.append(Timer(time: max(time, now), number: lastTimer, fire: fire))
        return lastTimer
    }

    func removeTimer(_ number: Int) -> (() -> Void)? {
        guard let index = timers.firstIndex(where: { $0.number == number }) else { return nil }
        return timers.remove(at: index).fire
    }

    // MARK: Running

    /// Runs one job, or lets time pass to the next timer. False if there is neither, and if all
    /// wait forever.
    func step() -> Bool {
        if !ready.isEmpty {
            // The order of a list does not matter to a random choice, so the gap is filled by the
            // last one.
            let index = draw(ready.count)
            let job = ready[index]
            ready.swapAt(index, ready.count - 1)
            ready.removeLast()
            jobs += 1
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
            return true
        }
        guard let next = timers.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }),
            next.time < .max
        else { return false }
        _ = removeTimer(next.number)
        now = max(now, next.time)
        note(UInt64(bitPattern: now))
        next.fire()
        return true
    }

    /// Runs jobs until there is none, and then lets time pass, for so many nanoseconds. `check` is
    /// called after each.
    func run(nanoseconds: Int64, check: () throws -> Void) rethrows {
        let end = now + nanoseconds
        let isOver = Mark()
        _ = addTimer(at: end) { isOver.isSet = true }
        while !isOver.isSet, step() { try check() }
    }

    /// Runs at most so many jobs, without letting time pass.
    func run(jobs count: Int, check: () throws -> Void) rethrows {
        for _ in 0..<count where !ready.isEmpty {
            _ = step()
            try check()
        }
    }

    /// Runs a task to its end. Throws `Stuck` if it does not end within so many jobs.
    func value<Value: Sendable>(
        within limit: Int = mostJobs, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = ResultBox<Value>()
        Task.detached {
            do {
                result.value = .success(try await body())
            } catch {
                result.value = .failure(error)
            }
        }
        var left = limit
        while true {
            if let value = result.value { return try value.get() }
            left -= 1
            guard left > 0, step() else { throw Stuck() }
        }
    }

    /// A task waits for what never comes.
    struct Stuck: Error {}
}

/// A value that one thread sets and reads.
final class Mark: @unchecked Sendable {
    var isSet = false
}

private final class ResultBox<Value>: @unchecked Sendable {
    var value: Result<Value, any Error>?
}

/// Passes the jobs of tasks that already run here back to the scheduler.
private final class JobExecutor: TaskExecutor, @unchecked Sendable {
    weak var scheduler: Scheduler?

    func enqueue(_ job: consuming ExecutorJob) {
        scheduler?.enqueue(UnownedJob(job))
    }
}

/// The scheduler's time as the clock of a mount.
struct VirtualClock: SyncClock {
    let scheduler: Scheduler

    func now() -> WallTime { WallTime(nanoseconds: scheduler.now) }

    func sleep(until time: WallTime) async throws(CancellationError) {
        await scheduler.sleep(until: time.nanoseconds)
        if Task.isCancelled { throw CancellationError() }
    }
}

extension Scheduler {
    /// Waits for a time of the clock, or until the task is cancelled.
    func sleep(until time: Int64) async {
        let number = Number()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                if Task.isCancelled { return continuation.resume() }
                number.value = addTimer(at: time) { continuation.resume() }
            }
        } onCancel: {
            removeTimer(number.value)?()
        }
    }

    /// Waits forever, that is until the task is cancelled.
    func hang() async { await sleep(until: .max) }

    private final class Number: @unchecked Sendable {
        var value = 0
    }
}

/// The background work of a mount, on the scheduler's time.
struct VirtualQueue: BackgroundQueue {
    let scheduler: Scheduler
    /// Set when the mount's process has died: no job of it runs after that.
    let isDead: Mark

    func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        let isDead = isDead
        _ = scheduler.addTimer(at: scheduler.now + Int64(seconds * 1e9)) {
            if !isDead.isSet { work() }
        }
    }

    func run<Value>(_ work: () throws -> Value) rethrows -> Value { try work() }
}
