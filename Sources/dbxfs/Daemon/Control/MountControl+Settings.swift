// Settings that commands change while a mount runs, and the parts that adopt them; limits that change by the time of day, and a
// pause that a user has asked for.

import BlockCache
import DropboxAPI
import FileSystem
import Glibc
import Logging
import Mounting
import Saturating
import Sync
import Synchronization

extension MountControl {
    /// The present settings of the mount.
    var liveSettings: LiveSettings { live.withLock { $0 } }

    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        // Under the lock to the end, so that of two commands the same one is the last for every
        // part.
        let result = live.withLock { live -> Result<LiveSettings, CommandError> in
            do throws(CommandError) {
                let changed = try live.changed(by: settings)
                    .at(minute: RateSchedule.presentMinute)
                adopt(changed, insteadOf: live)
                live = changed
                return .success(changed)
            } catch {
                return .failure(error)
            }
        }
        let changed = try result.get()
        followTime()
        log.notice("settings changed", metadata: ["settings": "\(settings.map(\.text))"])
        return changed
    }

    /// Has the parts adopt settings.
    func adopt(_ settings: LiveSettings, insteadOf old: LiveSettings) {
        client.limitBandwidth(
            up: settings.uploadRate.map { UInt64(clamping: $0) },
            down: settings.downloadRate.map { UInt64(clamping: $0) })
        if settings.writeDelay != old.writeDelay {
            engine.setWriteDelay(WriteDelay(seconds: settings.writeDelay))
        }
        sink.setLevel(settings.logLevel)
        if settings.cacheSize != old.cacheSize {
            cache.setLimit(settings.cacheSize)
            // Pins may exceed the new limit.
            pinner.checkAgain()
        }
    }
}

extension MountOptionSetting {
    fileprivate var text: String { name + (value.map { "=" + $0 } ?? "") }
}

/// The pause that a user has asked for.
struct UserPause {
    /// When the mount goes on by itself; nil for never.
    var end: ContinuousClock.Instant?
    /// The task that waits for the end.
    var timer: Task<Void, Never>?
}

// MARK: Pause

extension MountControl {
    func setPaused(_ isPaused: Bool, seconds: Double?) {
        setPaused(isPaused, seconds: seconds, byTimer: false)
    }

    private func setPaused(_ isPaused: Bool, seconds: Double?, byTimer: Bool) {
        userPause.withLock { pause in
            // The pause whose end the timer waited for has been replaced.
            if byTimer, Task.isCancelled { return }
            pause?.timer?.cancel()
            pause = nil
            if isPaused {
                let end = seconds.map { ContinuousClock.now.advanced(by: .seconds(clamping: $0)) }
                pause = UserPause(end: end, timer: end.map { resumption(at: $0) })
            }
            engine.setPaused(isPaused)
        }
        if !isPaused { pinner.checkAgain() }
        log.notice(isPaused ? "paused" : "resumed")
    }

    private func resumption(at end: ContinuousClock.Instant) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
            self?.setPaused(false, seconds: nil, byTimer: true)
        }
    }

    /// Seconds until the mount goes on by itself; nil if it is not paused, or waits for a user.
    var pauseSecondsLeft: Double? {
        userPause.withLock { $0?.end }
            .map { Double.maximum(ContinuousClock.now.duration(to: $0) / .seconds(1), 0) }
    }

    // MARK: Time of day

    /// Adopts the limits of the present minute, and of each later one while limits depend on the time. Without such limits,
    /// nothing waits.
    func followTime() {
        limitTimer.withLock { timer in
            timer?.cancel()
            timer = nil
            guard liveSettings.followsTime else { return }
            timer = Task { [weak self] in
                repeat {
                    self?.adoptTime()
                    let rest = 60.0 - Double(time(nil) % 60)
                    guard (try? await Task.sleep(for: .seconds(clamping: rest))) != nil else {
                        return
                    }
                } while self != nil
            }
        }
    }

    private func adoptTime() {
        let minute = RateSchedule.presentMinute
        live.withLock { live in
            let present = live.at(minute: minute)
            guard present != live else { return }
            adopt(present, insteadOf: live)
            live = present
            log.notice(
                "limits of this time of day",
                metadata: [
                    "up": "\(present.uploadRate.map { "\($0)" } ?? "none")",
                    "down": "\(present.downloadRate.map { "\($0)" } ?? "none")",
                ])
        }
    }

    /// Ends what waits for a later time.
    func stopTimers() {
        userPause.withLock { $0?.timer?.cancel() }
        limitTimer.withLock { $0?.cancel() }
    }
}
