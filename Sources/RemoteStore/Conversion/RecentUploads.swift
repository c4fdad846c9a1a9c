// Recently uploaded files. Dropbox may respond `not_found` to a move or copy of such a file
// (rclone/rclone#8881), which then does not mean that it is gone. Pure.

import Core

/// Paths of recent uploads.
struct RecentUploads {
    /// How long an upload is recent.
    static let span = Duration.seconds(60)
    /// Pauses before the retries of a call that did not find its recently uploaded source.
    static let pauses: [Duration] = [.milliseconds(500), .milliseconds(1500), .seconds(3)]

    /// Times by folded path, oldest first.
    private var uploads: [(path: String, time: ContinuousClock.Instant)] = []

    mutating func note(_ path: RemotePath, at time: ContinuousClock.Instant) {
        forgetOld(at: time)
        uploads.append((Folding.fold(path.rawValue), time))
    }

    mutating func contains(_ path: RemotePath, at time: ContinuousClock.Instant) -> Bool {
        forgetOld(at: time)
        let folded = Folding.fold(path.rawValue)
        return uploads.contains { $0.path == folded }
    }

    private mutating func forgetOld(at time: ContinuousClock.Instant) {
        let old = uploads.prefix { $0.time.duration(to: time) >= Self.span }
        uploads.removeFirst(old.count)
    }
}
