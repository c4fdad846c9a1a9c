// The part of a disk that stays free for users' writes: cached content leaves it, and so do the
// changes of other clients, unless the queue waits for them. Not responsible for the space without
// which the queue could not be sent (`SpaceReserve`).

import Saturating

/// The free space of a disk below which no content is cached, and deltas wait.
package enum LowWaterMark {
    /// Bytes that stay free: room for a day's text and code, until a user reads the status.
    private static let bytes: Int64 = 64 << 20
    /// The divisor of the size of a small disk that gives its mark.
    private static let part: Int64 = 20

    /// Bytes that a disk lacks to the mark; not above 0 if it lacks none.
    package static func shortage(free: Int64, of total: Int64) -> Int64 {
        min(bytes, total.divided(by: part)) -| free
    }
}
