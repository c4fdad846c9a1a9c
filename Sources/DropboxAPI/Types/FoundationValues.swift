// Foundation's dates beside the library's own timestamps. Not responsible for arguments with dates:
// DateArguments.

public import Essentials

extension Timestamp {
    /// The moment of a date, in whole seconds; dates before year 1 or after year 9999 become these.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        self.init(
            secondsSince1970: seconds.isNaN
                ? 0 : Int64(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max))
    }

    /// The moment as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }
}
