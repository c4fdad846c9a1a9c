// Sums of times and pauses, with any pause that a server may name.

import Core
import Testing

@Suite struct WallTimeTests {
    @Test("a pause that is no number or out of range does not end the process")
    func addition() {
        let now = WallTime(seconds: 1_700_000_000)
        #expect(now.adding(seconds: 1.5).nanoseconds == now.nanoseconds + 1_500_000_000)
        #expect(now.adding(seconds: -1) < now)
        #expect(now.adding(seconds: .nan) == now)
        for seconds in [2e10, 1e300, .infinity] {
            #expect(now.adding(seconds: seconds).nanoseconds == .max)
            #expect(now.adding(seconds: -seconds).nanoseconds == .min)
        }
        #expect(now.adding(seconds: 9.2e9).nanoseconds == .max)
        #expect(now.adding(seconds: .infinity) == .distantFuture)
        #expect(now.adding(seconds: -1e19) == .distantPast)
    }

    /// Where the arithmetic of nanoseconds and of seconds ends, and one beside each.
    private static let edges: [WallTime] =
        [
            Int64.min, .min + 1, -9_223_372_037, -9_223_372_036, -1, 0, 1, 9_223_372_036, .max - 1,
            .max,
        ]
        .flatMap { seconds in
            [0, 1, 145_224_192, 854_775_807, 854_775_808, 999_999_999].map {
                WallTime(seconds: seconds, nanoseconds: $0)
            }
        }

    @Test("nanoseconds are right where 64 bits hold them, and the nearest that they hold elsewhere")
    func nanoseconds() {
        for nanoseconds in [Int64.min, .min + 1, -1_000_000_001, -1, 0, 1, .max - 1, .max] {
            #expect(WallTime(nanoseconds: nanoseconds).exactNanoseconds == nanoseconds)
        }
        for time in Self.edges {
            if let exact = time.exactNanoseconds {
                #expect(WallTime(nanoseconds: exact) == time)
            } else {
                #expect(time.nanoseconds == (time.seconds < 0 ? .min : .max))
            }
        }
        #expect(WallTime(seconds: -9_223_372_037).exactNanoseconds == nil)
        #expect(WallTime(seconds: .min, nanoseconds: -1) == .distantPast)
        #expect(WallTime(seconds: .max, nanoseconds: .max) == .distantFuture)
        #expect(WallTime(seconds: 1, nanoseconds: -1) == WallTime(nanoseconds: 999_999_999))
    }

    @Test("times are ordered, added and told apart at every edge")
    func edges() {
        #expect(Self.edges.sorted() == Self.edges)
        for time in Self.edges {
            for added in [Int64.min, -1_000_000_000, -1, 0, 1, .max] {
                let sum = time.adding(nanoseconds: added)
                #expect(added < 0 ? sum <= time : sum >= time)
            }
            for other in Self.edges {
                let apart = time.seconds(since: other)
                #expect(time < other ? apart <= 0 : apart >= 0)
            }
            #expect((-62_135_596_800...253_402_300_799).contains(time.storable.seconds))
            #expect(time.storable.nanosecondsWithinSecond == 0)
        }
    }
}
