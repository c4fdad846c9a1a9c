// Sums of numbers that others say end at the largest number there is, not the process.

import Saturating
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

    @Test("a sign is turned round, up to the limits")
    func negated() {
        let numbers: [Int64] = [.min, 5, -5, .max]
        #expect(numbers.map(\.negated) == [.max, -5, 5, -.max])
        #expect(UInt8(7).negated == 0)
    }

    @Test(
        "ranges and parts of collections are empty or whole where they cannot be, and end nothing")
    func parts() {
        #expect([1 ..<| 3, 3 ..<| 1, Int.max ..<| Int.min] == [1..<3, 3..<3, Int.max..<Int.max])
        let list = [1, 2, 3]
        #expect(list.prefix(clamping: -1) == [] && list.prefix(clamping: 2) == [1, 2])
        #expect(list.suffix(clamping: .min) == [] && list.suffix(clamping: 9) == [1, 2, 3])
        #expect(list.dropFirst(clamping: -1) == [1, 2, 3] && list.dropFirst(clamping: 2) == [3])
        #expect(list.dropLast(clamping: -1) == [1, 2, 3] && list.dropLast(clamping: .max) == [])
        #expect([Int](repeating: 7, clamping: -1) == [] && [Int](repeating: 7, clamping: 1) == [7])
        #expect(String(repeating: "ab", clamping: .min).isEmpty)
        #expect(String(repeating: "ab", clamping: 2) == "abab")
    }

    @Test("any number is a duration")
    func seconds() {
        #expect(Duration.seconds(clamping: UInt64.max) == .seconds(Int64.max))
        #expect(Duration.seconds(clamping: -3) == .seconds(-3))
        #expect(Duration.seconds(clamping: Double.nan) == .zero)
        #expect(Duration.seconds(clamping: 0.5) == .milliseconds(500))
    }

    @Test("a duration is doubled up to what there can be, however often")
    func doubled() {
        #expect(Duration.milliseconds(100).doubled(times: 4) == .milliseconds(1600))
        #expect(Duration.seconds(1).doubled(times: 0) == .seconds(1))
        #expect(Duration.seconds(1).doubled(times: -1) == .seconds(1))
        #expect(Duration.seconds(1).doubled(times: .max) > .seconds(Int64.max / 4))
        #expect(Duration.seconds(Int64.max).doubled(times: .max) == .seconds(Int64.max))
    }

    @Test("sums and differences of durations end at their limits")
    func durations() {
        #expect(Duration.seconds(1) +| .milliseconds(1) == .milliseconds(1001))
        #expect(Duration.seconds(1) -| .milliseconds(1) == .milliseconds(999))
        #expect(Duration.milliseconds(250) *| 4 == .seconds(1))
        #expect(Duration.seconds(Int64.max) *| .max == .seconds(Int64.max))
        #expect(Duration.seconds(Int64.max) +| .seconds(1) == .seconds(Int64.max))
        #expect(Duration.seconds(Int64.min) -| .seconds(1) == .seconds(Int64.min))
        #expect(Duration.seconds(clamping: 1.5) == .milliseconds(1500))
        #expect(Duration.seconds(clamping: .nan) == .zero)
        #expect(Duration.seconds(clamping: .infinity) == .seconds(Int64.max))
        #expect(Duration.seconds(clamping: -1e300) == .seconds(Int64.min))
    }

    @Test("a division by zero, and the one that overflows, have a result")
    func divisions() {
        #expect([7.divided(by: 2), 7.divided(by: 0), Int.min.divided(by: -1)] == [3, 0, .max])
        #expect([7.remainder(by: 4), 7.remainder(by: 0), Int.min.remainder(by: -1)] == [3, 0, 0])
    }

    @Test("any Double has a whole part that fits")
    func wholeParts() {
        let numbers: [Double] = [1.9, -1.9, .nan, .infinity, -.infinity, 1e300, 0x1p63, -0x1p63]
        let parts: [Int64] = [1, -1, 0, .max, .min, .max, .max, .min]
        #expect(numbers.map { Int64(clamping: $0) } == parts)
        #expect(UInt8(clamping: 255.5) == 255)
        #expect(UInt8(clamping: -0.5) == 0)
    }
}
