// Waiting until pinned content is on this disk: what there is to say meanwhile, when to go on and when to
// give up. The fetching goes on in the mount, whoever waits for it.

/// How much of what is pinned is here.
public struct PinProgress: Hashable, Sendable, Codable {
    /// Files, and their bytes.
    public var files: Int
    /// Bytes of these files.
    public var bytes: Int64
    /// Files that are here.
    public var presentFiles: Int
    /// Bytes that are here.
    public var presentBytes: Int64
    /// Files that cannot be downloaded (cloud documents).
    public var unavailableFiles: Int
    /// Bytes that are still to come.
    public var missingBytes: Int64
    /// How the mount stands with the server.
    public var state: MountStatus.State
    /// Whether all of the account's tree is known, so that no file is left out.
    public var isTreeKnown: Bool
    /// Whether nothing can be fetched for now.
    public var isStuck = false
    /// What went wrong last.
    public var problem: String?
    /// What the user should know of the cache's size.
    public var notice: String?

    /// Names what is always known.
    public init(
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

    /// Files that are still to come.
    public var missingFiles: Int { files.minus(presentFiles).minus(unavailableFiles) }
}

/// How waiting for pinned content ended.
public struct PinOutcome: Hashable, Sendable, Codable {
    /// What is here by then.
    public var progress: PinProgress
    /// Why not everything is; nil when it is.
    public var reason: String?

    /// Names both.
    public init(progress: PinProgress, reason: String? = nil) {
        self.progress = progress
        self.reason = reason
    }
}

/// One pin, as `dbxfs pins` lists it.
public struct PinReport: Hashable, Sendable, Codable {
    /// Its path on the mount, without the mountpoint.
    public var path: String
    /// How much of it is here.
    public var progress: PinProgress

    /// Names both.
    public init(path: String, progress: PinProgress) {
        self.path = path
        self.progress = progress
    }
}

/// One wait for pinned content.
public struct PinWait: Sendable {
    /// Seconds to wait at most; nil for as long as it takes.
    public var limit: Double?

    /// Waits for at most `limit` seconds.
    public init(limit: Double?) {
        self.limit = limit
    }

    /// The outcome, if what is here now ends the wait after that many seconds.
    ///
    /// Being offline ends it: the pin is set, and what is missing comes by itself.
    public func outcome(of progress: PinProgress, after seconds: Double) -> PinOutcome? {
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
        case .offline: return seconds >= Self.offlinePatience ? "offline" : nil
        case .authRequired: return "Dropbox does not accept the access token"
        case .finishing: return "the mount is ending"
        case .connecting, .online: break
        }
        guard progress.isStuck, seconds >= Self.stuckPatience else { return nil }
        return progress.problem ?? "Dropbox does not hand it out"
    }

    /// Waits, calling `report` with what is here until it returns false (nobody listens any more) or the
    /// wait is over. `isHurried` ends it early.
    public func run(
        _ service: any MountService, _ paths: [String], isHurried: Signal,
        report: (PinProgress) -> Bool
    ) throws(CommandError) -> PinOutcome {
        let start = ContinuousClock.now
        var last: PinProgress?
        while true {
            let asked = ContinuousClock.now
            let progress = try service.pinProgress(of: paths)
            let now = ContinuousClock.now
            if let outcome = outcome(of: progress, after: (now - start) / .seconds(1)) {
                return outcome
            }
            if progress != last {
                guard report(progress) else {
                    return PinOutcome(progress: progress, reason: "not waited for")
                }
                last = progress
            }
            // To ask takes time in proportion to what is pinned.
            let pause = min(
                max(Self.interval, Self.pauseFactor * ((now - asked) / .seconds(1))),
                Self.longestInterval)
            if isHurried.wait(seconds: pause) {
                return PinOutcome(progress: progress, reason: "interrupted")
            }
        }
    }

    /// Seconds after which a mount that was offline when it was asked is believed to be.
    private static let offlinePatience = 1.0
    /// Seconds after which a mount that can fetch nothing is given up: all was tried several times.
    private static let stuckPatience = 5.0
    /// Seconds between two looks, and how many times as long as a look.
    private static let interval = 0.2
    private static let pauseFactor = 10.0
    private static let longestInterval = 5.0
}
