// How long the server takes to respond, and when a response is late. Pure: times in, hedge delay
// out.

import DequeModule
import Saturating

/// The last response times, from the request to the first byte of content.
struct ResponseTimes {
    /// Responses to remember; those of minutes ago say little.
    private static let memory = 64
    /// Responses that are needed for an estimate.
    private static let evidence = 8
    /// gcsfuse gives up a request that is slower than all but a few of the last ones, after 1.5 s
    /// at the earliest.
    private static let shortest = Duration.milliseconds(1500)
    private static let longest = Duration.seconds(20)
    /// Delay before enough responses are known.
    private static let initial = Duration.seconds(4)
    /// A response is late after so many times the 95th percentile.
    private static let factor = 4

    private var times: Deque<Duration> = []

    /// Adds a response time.
    mutating func note(_ time: Duration) {
        times.append(time)
        if times.count > Self.memory { times.removeFirst() }
    }

    /// The hedge delay: how long to wait before a second request.
    var hedgeDelay: Duration {
        guard times.count >= Self.evidence else { return Self.initial }
        let slow = times.sorted()[times.count *| 19 / 20]
        return min(Self.longest, max(Self.shortest, slow *| Self.factor))
    }
}
