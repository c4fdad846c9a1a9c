// The times of the latest changes of a Dropbox, for delayed longpolls.

/// The times of changes, as far back as a longpoll may need them.
struct ChangeTimes: Sendable {
    /// The longest delay of a longpoll, in milliseconds: older changes need no time.
    static let longestDelay: Int64 = 3_600_000
    private static let mostKept = 4096

    /// Each time with the position in the change log at which its changes begin, in order.
    private var times: [(start: Int, time: ContinuousClock.Instant)] = []

    /// Records the time of the change log's entries from a position on.
    mutating func note(from start: Int, at time: ContinuousClock.Instant) {
        if times.count >= Self.mostKept {
            let oldest = time - .milliseconds(Self.longestDelay)
            times.removeAll { $0.time < oldest }
        }
        times.append((start, time))
    }

    /// The time of the change at a position of the log; nil if it is long ago, or was before a
    /// restart.
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
