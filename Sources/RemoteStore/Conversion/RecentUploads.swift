// Recently uploaded files. Dropbox may respond `not_found` to a move or copy of such a file
// (rclone/rclone#8881), which then does not mean that it is gone. Pure.

import Core

/// Paths of recent uploads.
struct RecentUploads {
    /// How long an upload is recent.
    static let span = Duration.seconds(60)
    /// Pauses before the retries of a call that did not find its recently uploaded source.
    static let pauses: [Duration] = [.milliseconds(500), .milliseconds(1500), .seconds(3)]

    /// When each folded path was last uploaded to. Old ones stay until all are looked at, once in a
    /// span: a delta asks about each of its entries, and may have thousands.
    private var times: [String: ContinuousClock.Instant] = [:]
    private var lastCleaning: ContinuousClock.Instant?

    /// How many paths are remembered, some of which may be old.
    var count: Int { times.count }

    mutating func note(_ path: RemotePath, at time: ContinuousClock.Instant) {
        forgetOld(at: time)
        times[Folding.fold(path.rawValue)] = time
    }

    func contains(_ path: RemotePath, at time: ContinuousClock.Instant) -> Bool {
        guard let last = times[Folding.fold(path.rawValue)] else { return false }
        return Self.isRecent(last, at: time)
    }

    private mutating func forgetOld(at time: ContinuousClock.Instant) {
        if let lastCleaning, Self.isRecent(lastCleaning, at: time) { return }
        lastCleaning = time
        times = times.filter { Self.isRecent($0.value, at: time) }
    }

    private static func isRecent(
        _ past: ContinuousClock.Instant, at time: ContinuousClock.Instant
    ) -> Bool {
        past.duration(to: time) < span
    }
}
