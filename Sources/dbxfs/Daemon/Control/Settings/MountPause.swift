// The pause that a user has asked for. Not responsible for pauses after failures (`UploadPause`).

import FileSystem
import Logging
import Saturating
import Sync
import Synchronization

/// Pauses a mount, for ever or for a time.
final class MountPause: Sendable {
    private struct Pause {
        /// When the mount goes on by itself; nil for never.
        var end: ContinuousClock.Instant?
        /// The task that waits for the end.
        var timer: Task<Void, Never>?
    }

    private let engine: SyncEngine
    private let pinner: Pinner
    private let log: Logger
    /// Nil without a pause. Held while the engine adopts it, which takes its own locks.
    private let pause = Mutex<Pause?>(nil)

    init(engine: SyncEngine, pinner: Pinner, log: Logger) {
        self.engine = engine
        self.pinner = pinner
        self.log = log
    }

    /// Begins or ends a pause. `seconds` is its length; nil if it waits for a user.
    func set(_ isPaused: Bool, seconds: Double?) {
        set(isPaused, seconds: seconds, byTimer: false)
    }

    private func set(_ isPaused: Bool, seconds: Double?, byTimer: Bool) {
        pause.withLock { pause in
            // The pause whose end the timer waited for has been replaced.
            if byTimer, Task.isCancelled { return }
            pause?.timer?.cancel()
            pause = nil
            if isPaused {
                let end = seconds.map { ContinuousClock.now.advanced(by: .seconds(clamping: $0)) }
                pause = Pause(end: end, timer: end.map { resumption(at: $0) })
            }
            engine.setPaused(isPaused)
        }
        if !isPaused { pinner.checkAgain() }
        log.notice(isPaused ? "paused" : "resumed")
    }

    private func resumption(at end: ContinuousClock.Instant) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
            self?.set(false, seconds: nil, byTimer: true)
        }
    }

    /// Seconds until the mount goes on by itself; nil if it is not paused, or waits for a user.
    var secondsLeft: Double? {
        pause.withLock { $0?.end }
            .map { Double.maximum(ContinuousClock.now.duration(to: $0) / .seconds(1), 0) }
    }

    /// Ends the timer that would resume the mount.
    func stopTimer() {
        pause.withLock { $0?.timer?.cancel() }
    }
}
