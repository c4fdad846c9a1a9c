// Points in time in the API's format. Not responsible for clocks or time zones.

/// A point in time with the API's resolution of one second, always UTC.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public let secondsSince1970: Int64

    /// The years that four digits can write.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Takes seconds since 1970, clamped to the years 1 to 9999, which the API can write.
    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = min(
            max(secondsSince1970, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Parses `2015-05-12T15:50:38Z`; a fraction of a second is dropped; nil for anything else.
    public init?(_ text: String) {
        var text = text
        guard let seconds = text.withUTF8({ Self.secondsSince1970(DigitScanner($0)) }) else {
            return nil
        }
        self.init(secondsSince1970: seconds)
    }

    private static func secondsSince1970(_ text: DigitScanner) -> Int64? {
        var scanner = text
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip("T"),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2)
        else { return nil }
        if scanner.skip(".") {
            guard scanner.skipDigits() > 0 else { return nil }
        }
        guard scanner.skip("Z"), scanner.rest.isEmpty, year >= 1, (1...12).contains(month),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return days &* 86_400 &+ hour &* 3_600 &+ minute &* 60 &+ second
    }

    /// Compares in chronological order.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// The API's format: `2015-05-12T15:50:38Z`.
    public var description: String {
        // Rounded down, also before 1970.
        let remainder = secondsSince1970 % 86_400
        let second = remainder < 0 ? remainder &+ 86_400 : remainder
        let date = Self.date(daysSince1970: (secondsSince1970 &- second) / 86_400)
        let fields = [
            Self.padded(date.year, to: 4), "-", Self.padded(date.month, to: 2), "-",
            Self.padded(date.day, to: 2), "T", Self.padded(second / 3_600, to: 2), ":",
            Self.padded(second / 60 % 60, to: 2), ":", Self.padded(second % 60, to: 2), "Z",
        ]
        return fields.joined()
    }

    // The two conversions of the proleptic Gregorian calendar, with years that start in March so
    // that the leap day is last: https://howardhinnant.github.io/date_algorithms.html
    // Years have four digits, so no sum comes near the limits.

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year &- 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear &- 399) / 400
        let yearOfEra = marchYear &- era &* 400
        let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return era &* 146_097 &+ dayOfEra &- 719_468
    }

    private static func date(
        daysSince1970: Int64
    ) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSince1970 &+ 719_468
        let era = (shifted >= 0 ? shifted : shifted &- 146_096) / 146_097
        let dayOfEra = shifted &- era &* 146_097
        let yearOfEra =
            (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let marchMonth = (5 &* dayOfYear &+ 2) / 153
        let month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
        let year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1)
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return "\(String(repeating: "0", count: max(0, width &- digits.count)))\(digits)"
    }
}

/// Parses a text digit by digit. A listing has two times for each file, so it works on bytes.
struct DigitScanner {
    private(set) var rest: Slice<UnsafeBufferPointer<UInt8>>

    /// Must not outlive the bytes.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        rest = text[...]
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = rest.first, (48...57).contains(digit) else { return nil }
            // Callers read a few digits only, so this cannot overflow.
            value = value &* 10 &+ Int64(clamping: digit &- 48)
            rest.removeFirst()
        }
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipDigits() -> Int {
        let digits = rest.prefix { (48...57).contains($0) }.count
        rest.removeFirst(digits)
        return digits
    }
}
