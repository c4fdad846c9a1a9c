// Settings that commands change while a mount runs, the parts that adopt them, and limits that
// change by the time of day. Not responsible for how a setting is written (`LiveSettings`).

import BlockCache
import DropboxAPI
import FileSystem
import Glibc
import Logging
import Mounting
import Saturating
import Sync
import Synchronization

/// The settings of a running mount.
final class RunningSettings: Sendable {
    private let client: DropboxClient
    private let engine: SyncEngine
    private let cache: DiskBlockCache
    private let pinner: Pinner
    private let sink: LogSink
    private let log: Logger
    /// Held while parts adopt settings, which take their own locks.
    private let live: Mutex<LiveSettings>
    /// Waits for the next minute while limits depend on the time of day.
    private let timer = Mutex<Task<Void, Never>?>(nil)

    /// Takes the settings of the start and the parts that adopt later ones.
    init(
        _ settings: LiveSettings, client: DropboxClient, engine: SyncEngine, cache: DiskBlockCache,
        pinner: Pinner, sink: LogSink, log: Logger
    ) {
        live = Mutex(settings)
        self.client = client
        self.engine = engine
        self.cache = cache
        self.pinner = pinner
        self.sink = sink
        self.log = log
    }

    /// The settings that the parts have now.
    var present: LiveSettings { live.withLock { $0 } }

    /// Changes settings for as long as the mount runs, and returns all of them.
    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        // The lock is held to the end, so that all parts obey the same one of two concurrent
        // commands.
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
    private func adopt(_ settings: LiveSettings, insteadOf old: LiveSettings) {
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

    // MARK: Time of day

    /// Adopts the limits of the present minute, and of each later one while limits depend on the
    /// time. Without such limits, nothing waits.
    func followTime() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
            guard present.followsTime else { return }
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

    /// Ends the timer of limits that depend on the time.
    func stopTimer() {
        timer.withLock { $0?.cancel() }
    }
}

extension MountOptionSetting {
    fileprivate var text: String { name + (value.map { "=" + $0 } ?? "") }
}
