// Times for people and scripts.

import Glibc
import LocalIO
import Saturating

extension Terminal {
    /// Seconds since 1970 as a local date and time: `2026-11-22 03:14:07`.
    package static func time(_ seconds: Int64) -> String {
        var (moment, parts) = (time_t(clamping: seconds), tm())
        localtime_r(&moment, &parts)
        return text(&parts, "%04Y-%m-%d %H:%M:%S")
    }

    /// Seconds since 1970 as ISO 8601 in UTC: `2026-11-22T03:14:07Z`.
    package static func isoTime(_ seconds: Int64) -> String {
        var (moment, parts) = (time_t(clamping: seconds), tm())
        gmtime_r(&moment, &parts)
        return text(&parts, "%04Y-%m-%dT%H:%M:%SZ")
    }

    /// Seconds in the two largest units: `19 s`, `3 min 5 s`, `2 h 5 min`, `3 d 4 h`.
    package static func duration(_ seconds: Double) -> String {
        let whole = max(0, Int64(clamping: seconds.rounded(.up)))
        let units: [(size: Int64, name: String)] = [
            (86_400, "d"), (3600, "h"), (60, "min"), (1, "s"),
        ]
        let first = units.firstIndex { whole >= $0.size } ?? 3
        let large = units[first]
        let text = "\(whole.divided(by: large.size)) \(large.name)"
        guard first < 3 else { return text }
        let small = units[first +| 1]
        let rest = whole.remainder(by: large.size).divided(by: small.size)
        return rest == 0 ? text : "\(text) \(rest) \(small.name)"
    }

    private static func text(_ parts: inout tm, _ form: String) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        strftime(&buffer, buffer.count, form, &parts)
        return LocalIO.text(of: buffer)
    }

    /// Parses a date and perhaps a time: `2026-11-22`, `2026-11-22 03:14`, `2026-11-22T03:14:07`,
    /// in local time or with `Z` in UTC. Seconds since 1970; nil for anything else.
    package static func seconds(parsing text: String) -> Int64? {
        let isUTC = text.hasSuffix("Z")
        let digits = isUTC ? text.utf8.dropLast() : text.utf8[...]
        let form = digits.map { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt8(ascii: "d") : byte
        }
        guard timeForms.contains(String(decoding: form, as: UTF8.self)) else { return nil }
        let numbers = digits.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .compactMap { Int32(String(decoding: $0, as: UTF8.self), radix: 10) }
        var parts = tm()
        guard numbers.count >= 3, numbers[0] >= 1970 else { return nil }
        parts.tm_year = numbers[0] -| 1900
        parts.tm_mon = numbers[1] -| 1
        parts.tm_mday = numbers[2]
        if numbers.count > 3 { parts.tm_hour = numbers[3] }
        if numbers.count > 4 { parts.tm_min = numbers[4] }
        if numbers.count > 5 { parts.tm_sec = numbers[5] }
        parts.tm_isdst = -1
        let wanted = parts
        let moment = isUTC ? timegm(&parts) : mktime(&parts)
        // Both functions carry over what cannot be, such as 30 February. The hour that a change to
        // summer time leaves out is carried over, too.
        guard parts.tm_mon == wanted.tm_mon, parts.tm_mday == wanted.tm_mday,
            parts.tm_min == wanted.tm_min, parts.tm_sec == wanted.tm_sec, wanted.tm_hour < 24
        else { return nil }
        return Int64(clamping: moment)
    }

    private static let timeForms: Set<String> = Set(
        ["", " dd:dd", "Tdd:dd", " dd:dd:dd", "Tdd:dd:dd"].map { "dddd-dd-dd" + $0 })
}
