// The number of nodes for those who ask often: `status`, which a program may call several times a
// second, and `statfs`.

import Core
import Saturating

/// The last count, and until when it holds.
struct NodeCount: Sendable {
    private var value = 0
    private var since = WallTime.distantPast
    private var until = WallTime.distantPast

    /// Nanoseconds for each counted node: fifty times what counting takes, so that it takes two
    /// hundredths of the time at most.
    private static let lifetimePerNode: Int64 = 7_500

    /// The number at `now`; nil if it has to be counted again. A clock that was set back ends it,
    /// too.
    func value(at now: WallTime) -> Int? {
        since <= now && now < until ? value : nil
    }

    mutating func note(_ count: Int, at now: WallTime) {
        value = count
        since = now
        until = now.adding(nanoseconds: Int64(clamping: count) *| Self.lifetimePerNode)
    }
}
