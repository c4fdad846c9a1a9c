// Waiting until pinned content is cached: progress, when to continue and when to give up. The mount
// fetches independently of such a wait.

package import Blocking
import Saturating

/// How much of the pinned content is cached.
package struct PinProgress: Hashable, Sendable, Codable {
    /// Number of pinned files.
    package var files: Int
    /// Sum of their sizes.
    package var bytes: Int64
    /// Files that are cached.
    package var presentFiles: Int
    /// Bytes that are cached.
    package var presentBytes: Int64
    /// Files that cannot be downloaded (cloud documents).
    package var unavailableFiles: Int
    /// Bytes that are still to be fetched.
    package var missingBytes: Int64
    /// Bytes that are here of files that are being fetched; nil from a mount of an earlier version.
    package var fetchedBytes: Int64?
    /// Bytes per second that are being received; nil if unknown.
    package var rate: Int64?
    /// The mount's connection to the server.
    package var state: MountStatus.State
    /// Whether all of the account's tree is known, so that no file is left out.
    package var isTreeKnown: Bool
    /// How far the listing of the account is; nil without one, and from a mount of an earlier
    /// version.
    package var listing: ListingStatus?
    /// Whether no content can be fetched for now.
    package var isStuck = false
    /// Whether a user has paused the mount; nil from a mount of an earlier version.
    package var isPaused: Bool?
    /// The last error of a fetch.
    package var problem: String?
    /// A notice about the cache limit.
    package var notice: String?

    /// Creates progress with the required fields.
    package init(
        files: Int, bytes: Int64, presentFiles: Int, presentBytes: Int64, unavailableFiles: Int,
        missingBytes: Int64, state: MountStatus.State, isTreeKnown: Bool
    ) {
        self.files = files
        self.bytes = bytes
        self.presentFiles = presentFiles
        self.presentBytes = presentBytes
        self.unavailableFiles = unavailableFiles
        self.missingBytes = missingBytes
        self.state = state
        self.isTreeKnown = isTreeKnown
    }

    /// Files that are still to be fetched.
    package var missingFiles: Int { files -| presentFiles -| unavailableFiles }
    /// Seconds until they are fetched; nil if unknown.
    package var secondsLeft: Double? {
        TimeLeft.seconds(for: missingBytes -| (fetchedBytes ?? 0), at: rate)
    }
}

/// The result of waiting for pinned content.
package struct PinOutcome: Hashable, Sendable, Codable {
    /// The progress at the end.
    package var progress: PinProgress
    /// Why content is missing; nil if none is.
    package var reason: String?

    /// Creates an outcome, by default without a reason.
    package init(progress: PinProgress, reason: String? = nil) {
        self.progress = progress
        self.reason = reason
    }
}

/// One wait for pinned content.
package struct PinWait: Sendable {
    /// Timeout in seconds; nil for none.
    package var limit: Double?

    /// Creates a wait of at most `limit` seconds.
    package init(limit: Double?) {
        self.limit = limit
    }

    /// The outcome, if the progress ends the wait after so many seconds; else nil.
    ///
    /// Being offline ends it: the pin is set, and the mount fetches the content later.
    package func outcome(of progress: PinProgress, after seconds: Double) -> PinOutcome? {
        if progress.missingFiles == 0, progress.isTreeKnown {
            return PinOutcome(progress: progress)
        }
        if let reason = hindrance(progress, after: seconds) {
            return PinOutcome(progress: progress, reason: reason)
        }
        guard let limit, seconds >= limit else { return nil }
        return PinOutcome(progress: progress, reason: progress.problem ?? "time was up")
    }

    private func hindrance(_ progress: PinProgress, after seconds: Double) -> String? {
        switch progress.state {
        case .offline: return seconds >= Self.offlineTimeout ? "offline" : nil
        case .authRequired: return "Dropbox does not accept the access token"
        case .finishing: return "the mount is ending"
        case .connecting, .online: break
        }
        if progress.isPaused == true { return Drain.paused }
        guard progress.isStuck, seconds >= Self.stuckTimeout else { return nil }
        return progress.problem ?? "Dropbox does not hand it out"
    }

    /// Waits, calling `report` with the progress until it returns false or `isAbandoned` returns
    /// true (the client has gone), or the wait is over. `isHurried` ends it early.
    package func run(
        _ service: any MountService, _ paths: [String], isHurried: Latch,
        isAbandoned: () -> Bool = { false }, report: (PinProgress) -> Bool
    ) throws(CommandError) -> PinOutcome {
        let start = ContinuousClock.now
        var last: PinProgress?
        while true {
            let asked = ContinuousClock.now
            let progress = try service.pinProgress(of: paths)
            let now = ContinuousClock.now
            if let outcome = outcome(of: progress, after: start.duration(to: now) / .seconds(1)) {
                return outcome
            }
            if isAbandoned() || progress != last && !report(progress) {
                return PinOutcome(progress: progress, reason: "not waited for")
            }
            last = progress
            // The cost of a request is proportional to the pinned content.
            let spent = asked.duration(to: now) / .seconds(1)
            let pause = min(
                Double.maximum(Self.interval, Self.pauseFactor * spent), Self.longestInterval)
            if isHurried.wait(seconds: pause) {
                return PinOutcome(progress: progress, reason: "interrupted")
            }
        }
    }

    /// Seconds of waiting before an offline state ends the wait.
    private static let offlineTimeout = 1.0
    /// Seconds after which a mount that cannot fetch is given up: all fetches were retried several
    /// times.
    private static let stuckTimeout = 5.0
    /// Polling interval in seconds, and as a multiple of a request's duration.
    private static let interval = 0.2
    private static let pauseFactor = 10.0
    private static let longestInterval = 5.0
}
