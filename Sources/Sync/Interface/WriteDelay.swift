// The user's choice of how long changes may wait. `ChangeBursts` decides with it when they are due.

import Core
import Saturating

/// How long a user's change may wait for others, which are sent together with it.
package struct WriteDelay: Hashable, Sendable {
    /// Nanoseconds from a change to its upload, at most.
    package var nanoseconds: Int64 = 5_000_000_000
    /// Nanoseconds for which further changes may postpone the upload of a place that changes all
    /// the time; a log that grows every second is uploaded at this interval.
    package var maximumNanoseconds: Int64 = 30_000_000_000

    /// 5 seconds, postponed to 30 at most.
    package init() {}

    /// Takes a delay in seconds; further changes may postpone to six times that.
    package init(seconds: Double) {
        nanoseconds = Int64(clamping: max(0, min(seconds, 86_400)) * 1e9)
        maximumNanoseconds = 6 *| nanoseconds
    }

    /// The delay in seconds.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Nanoseconds without a change that end a burst: 0.3 of 5 seconds. Editors, archivers and
    /// compilers pause for less between the changes that belong together.
    var quietNanoseconds: Int64 { nanoseconds / 100 *| 6 }

    /// The latest end of a burst that began at this time.
    func limit(from start: WallTime) -> WallTime { start.adding(nanoseconds: nanoseconds) }

    /// The end of a burst whose last change was at this time.
    func quiet(after change: WallTime) -> WallTime {
        change.adding(nanoseconds: quietNanoseconds)
    }

    /// When changes since this time are sent even if further ones follow, or are forgotten.
    func maximum(from start: WallTime) -> WallTime {
        start.adding(nanoseconds: maximumNanoseconds)
    }
}
