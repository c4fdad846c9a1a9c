// Dates in the API's format. Not responsible for time zones: the server decides them.

/// A calendar date without a time.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int

    /// A date; nil for years that four digits cannot write, and for days that the month does not
    /// have.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9_999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses `2015-05-12`; nil for anything else.
    public init?(_ text: String) {
        var text = text
        guard let date = text.withUTF8({ Self.date(DigitScanner($0)) }) else { return nil }
        self = date
    }

    private static func date(_ text: DigitScanner) -> CalendarDate? {
        var scanner = text
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.rest.isEmpty
        else { return nil }
        return CalendarDate(
            year: Int(clamping: year), month: Int(clamping: month), day: Int(clamping: day))
    }

    /// Compares in calendar order.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The API's format: `2015-05-12`.
    public var description: String {
        let digits = String(year &* 10_000 &+ month &* 100 &+ day)
        let padded = "\(String(repeating: "0", count: max(0, 8 &- digits.count)))\(digits)"
        return "\(padded.prefix(4))-\(padded.dropFirst(4).prefix(2))-\(padded.suffix(2))"
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
