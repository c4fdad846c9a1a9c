// Limits of transfer rates: one for all of the day, or one for each part of it.

import Glibc
import Saturating

/// The limit of a direction, as a user writes it.
enum RateLimit: Hashable, Sendable {
    /// Bytes per second; nil for no limit.
    case constant(Int64?)
    /// Another one for each part of the day.
    case byTime(RateSchedule)
}

/// Limits by the time of day: `500K@08:00/none@18:00` is 500 KiB per second from eight in the
/// morning, and no limit from six in the evening.
package struct RateSchedule: Hashable, Sendable {
    /// A limit that begins.
    private struct Change: Hashable {
        /// Minutes since midnight, local time.
        var minute: Int
        /// Bytes per second; nil for no limit.
        var rate: Int64?
    }

    private static let longest = 48

    /// Sorted by time, at least two.
    private let changes: [Change]
    /// As a user has written it.
    package let text: String

    /// Parses limits with their times; nil for anything else.
    package init?(parsing text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard (2...Self.longest).contains(parts.count) else { return nil }
        var changes: [Change] = []
        for part in parts {
            let halves = part.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard halves.count == 2, let rate = Self.rate(halves[0]),
                let minute = Self.minute(halves[1])
            else { return nil }
            changes.append(Change(minute: minute, rate: rate))
        }
        guard Set(changes.map(\.minute)).count == changes.count else { return nil }
        self.changes = changes.sorted { $0.minute < $1.minute }
        self.text = text
    }

    /// The limit at a minute of the day: that of the last change, which may have been yesterday.
    package func rate(atMinute minute: Int) -> Int64? {
        (changes.last { $0.minute <= minute } ?? changes.last).flatMap(\.rate)
    }

    /// The present minute of the day, local time.
    package static var presentMinute: Int {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        return Int(clamping: parts.tm_hour) *| 60 +| Int(clamping: parts.tm_min)
    }

    private static func rate(_ text: String) -> Int64?? {
        if text == "none" { return .some(nil) }
        guard let bytes = OptionValue.largeBytes(text), bytes > 0 else { return nil }
        return .some(bytes)
    }

    private static func minute(_ text: String) -> Int? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
            parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let hour = Int(parts[0], radix: 10), let minute = Int(parts[1], radix: 10),
            hour < 24, minute < 60
        else { return nil }
        return hour *| 60 +| minute
    }
}

extension RateSchedule: Codable {
    /// Reads the limits from their text.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let schedule = RateSchedule(parsing: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no limits by time"))
        }
        self = schedule
    }

    /// Writes the limits as their text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ValueForm<RateLimit> {
    private static var forms: String { "bytes per second such as 500K or 2M, with their unit" }
    private static var byTime: String { "limits by time such as 500K@08:00/none@18:00" }

    /// A rate limit, or none: for a mount that lifts the limit of the configuration file, too.
    static var limitOrNone: Self {
        Self(
            placeholder: "SIZE", expected: "\(forms), none, or \(byTime)", words: ["none"]
        ) { text in
            if text == "none" { return .constant(nil) }
            if let schedule = RateSchedule(parsing: text) { return .byTime(schedule) }
            return OptionValue.largeBytes(text).map { .constant($0 > 0 ? $0 : nil) }
        }
    }
}
