// When the latest changes of a Dropbox happened, for longpolls that are to tell of them late.

/// The times of changes, as far back as a longpoll may ask.
struct ChangeTimes: Sendable {
    /// The longest delay of a longpoll, in milliseconds: older changes need no time.
    static let longestDelay: Int64 = 3_600_000
    private static let mostKept = 4096

    /// Each with the position in the change log where what happened then begins, in order.
    private var times: [(start: Int, time: ContinuousClock.Instant)] = []

    /// Notes that what the change log has from a position on happens now.
    mutating func note(from start: Int, at time: ContinuousClock.Instant) {
        if times.count >= Self.mostKept {
            let oldest = time - .milliseconds(Self.longestDelay)
            times.removeAll { $0.time < oldest }
        }
        times.append((start, time))
    }

    /// When the change at a position of the log happened; nil if that is long ago, or was before a restart.
    func time(of position: Int) -> ContinuousClock.Instant? {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle].start <= position { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? times[low - 1].time : nil
    }
}
