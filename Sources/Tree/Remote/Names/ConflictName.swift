// The names of conflicted copies.

package import Core
import Saturating

/// Builds names of conflicted copies, in the form of Dropbox's own client.
package struct ConflictName: Sendable {
    /// The machine whose version is renamed.
    package var host: String
    /// The day, as year-month-day in UTC.
    package var day: String

    package init(host: String, at time: WallTime) {
        self.host = host
        self.day = Self.day(of: time)
    }

    /// `NAME (HOST's conflicted copy YYYY-MM-DD).EXT`, with a number from the second one on.
    ///
    /// A name that would be too long loses the end of its stem, never its extension.
    package func name(for original: FileName, number: Int) -> FileName {
        let counter = number > 1 ? " (\(number))" : ""
        let mark = " (\(host)'s conflicted copy \(day))\(counter)"
        // The mark is a fixed pattern and the host's name was cut, so this is a valid name; the
        // original, which always is, only satisfies the compiler.
        return (try? FileName(NameParts(original.string).marked(mark))) ?? original
    }

    /// Civil date from days since 1970: Howard Hinnant's `civil_from_days`
    /// (https://howardhinnant.github.io/date_algorithms.html), without a time zone.
    private static func day(of time: WallTime) -> String {
        let days = Int(clamping: time.seconds / 86_400) +| 719_468
        let era = (days >= 0 ? days : days -| 146_096) / 146_097
        let dayOfEra = days -| era *| 146_097
        let leapDays = dayOfEra / 1460 -| dayOfEra / 36_524 +| dayOfEra / 146_096
        let yearOfEra = (dayOfEra -| leapDays) / 365
        let leapYears = yearOfEra / 4 -| yearOfEra / 100
        let dayOfYear = dayOfEra -| 365 *| yearOfEra -| leapYears
        let shifted = (5 *| dayOfYear +| 2) / 153
        let monthStart = (153 *| shifted +| 2) / 5
        let day = dayOfYear -| monthStart +| 1
        let month = shifted < 10 ? shifted +| 3 : shifted -| 9
        let year = yearOfEra +| era *| 400 +| (month <= 2 ? 1 : 0)
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(padded(month))-\(padded(day))"
    }
}
