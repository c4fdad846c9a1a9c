// Times for people and scripts.

import Glibc
import LocalIO

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

    private static func text(_ parts: inout tm, _ form: String) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        strftime(&buffer, buffer.count, form, &parts)
        return LocalIO.text(of: buffer)
    }
}
