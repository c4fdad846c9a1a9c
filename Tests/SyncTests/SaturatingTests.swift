// Sums of numbers that others say end at the largest number there is, not the process.

import Core
import Testing

@Suite struct SaturatingTests {
    @Test("sums, differences and products end at the limits, in the right direction")
    func limits() {
        let largest = Int64.max
        let smallest = Int64.min
        #expect([largest +| 1, smallest +| -1, 1 +| 2] == [largest, smallest, 3])
        #expect([smallest -| 1, largest -| -1, 1 -| 2] == [smallest, largest, -1])
        #expect([largest *| 2, largest *| -2, 3 *| -2] == [largest, smallest, -6])
        #expect(smallest *| smallest == largest)
        let bytes: [UInt8] = [200 +| 100, 1 -| 2, 16 *| 16]
        #expect(bytes == [255, 0, 255])
        var sum: Int64 = largest - 1
        sum +|= 5
        #expect(sum == largest)
        sum -|= -1
        #expect(sum == largest)
        sum = smallest + 1
        sum -|= 5
        #expect(sum == smallest)
    }

    @Test("a duration is doubled up to what there can be, however often")
    func doubled() {
        #expect(Duration.milliseconds(100).doubled(times: 4) == .milliseconds(1600))
        #expect(Duration.seconds(1).doubled(times: 0) == .seconds(1))
        #expect(Duration.seconds(1).doubled(times: -1) == .seconds(1))
        #expect(Duration.seconds(1).doubled(times: .max) > .seconds(Int64.max / 4))
        #expect(Duration.seconds(Int64.max).doubled(times: .max) == .seconds(Int64.max))
    }
}
