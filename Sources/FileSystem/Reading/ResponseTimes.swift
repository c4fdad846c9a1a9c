// How long the server takes to answer, and when an answer is late. Pure: times in, patience out.

import DequeModule

/// The last answers' times, from the request to the first byte of content.
struct ResponseTimes {
    /// Answers that are remembered: those of minutes ago say little.
    private static let memory = 64
    /// Fewer say nothing.
    private static let evidence = 8
    /// gcsfuse gives up a request that is slower than all but a few of the last ones, after 1.5 s at the
    /// earliest.
    private static let shortest = Duration.milliseconds(1500)
    private static let longest = Duration.seconds(20)
    /// Before anything is known.
    private static let initial = Duration.seconds(4)
    /// What four times the slowest of twenty is late.
    private static let factor = 4

    private var times: Deque<Duration> = []

    /// Notes an answer.
    mutating func note(_ time: Duration) {
        times.append(time)
        if times.count > Self.memory { times.removeFirst() }
    }

    /// How long to wait for an answer before asking once more.
    var patience: Duration {
        guard times.count >= Self.evidence else { return Self.initial }
        let slow = times.sorted()[times.count * 19 / 20]
        return min(Self.longest, max(Self.shortest, slow * Self.factor))
    }
}
