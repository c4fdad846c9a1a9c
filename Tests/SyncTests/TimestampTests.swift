// Sums of times and pauses, whatever a server may have said that a pause is.

import Core
import Testing

@Suite struct TimestampTests {
    @Test("a pause that is no number or out of range does not end the process")
    func addition() {
        let now = Timestamp(seconds: 1_700_000_000)
        #expect(now.adding(seconds: 1.5).nanoseconds == now.nanoseconds + 1_500_000_000)
        #expect(now.adding(seconds: -1) < now)
        #expect(now.adding(seconds: .nan) == now)
        for seconds in [9.3e9, 1e300, .infinity] {
            #expect(now.adding(seconds: seconds).nanoseconds == .max)
            #expect(now.adding(seconds: -seconds).nanoseconds == .min)
        }
        #expect(now.adding(seconds: 9.2e9).nanoseconds == .max)
    }
}
