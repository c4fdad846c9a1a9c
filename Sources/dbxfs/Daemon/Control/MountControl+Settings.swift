// Settings that commands change while a mount runs, and the parts that adopt them.

import BlockCache
import DropboxAPI
import FileSystem
import Logging
import Mounting
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
                adopt(changed, insteadOf: live)
                live = changed
                return .success(changed)
            } catch {
                return .failure(error)
            }
        }
        let changed = try result.get()
        log.notice("settings changed", metadata: ["settings": "\(settings.map(\.text))"])
        return changed
    }

    private func adopt(_ settings: LiveSettings, insteadOf old: LiveSettings) {
        client.limitBandwidth(
            up: settings.uploadRate.map { UInt64(clamping: $0) },
            down: settings.downloadRate.map { UInt64(clamping: $0) })
        engine.setWriteDelay(WriteDelay(seconds: settings.writeDelay))
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
