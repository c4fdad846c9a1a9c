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
    }
}
