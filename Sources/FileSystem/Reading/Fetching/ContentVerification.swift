// Which blocks of one content were seen, so that the whole can be checked before its last bytes are
// served. Pure.

import Core
import Saturating

/// The progress of the verification of a content that is being fetched.
///
/// Only the hash of the whole content is known in advance, so wrong bytes in a large file show when
/// its last block was seen. A reader of the whole file must get an error instead of that last
/// block; so the fetch that completes a content withholds its bytes until the content was checked.
struct ContentVerification {
    private let blockCount: Int
    private var passed: Set<Int> = []
    private var inFlight: [Int: Int] = [:]
    /// Fetches in memory, running or arrived.
    private(set) var fetchCount = 0

    init(blockCount: Int) {
        self.blockCount = blockCount
    }

    /// Whether no fetch is running.
    var isSettled: Bool { inFlight.isEmpty }

    /// Counts a new fetch of a part of a block.
    mutating func began(_ block: Int) {
        fetchCount +|= 1
        inFlight[block, default: 0] +|= 1
    }

    /// Ends a fetch of a part of a block, arrived or failed. `passes`: all of the block was seen.
    mutating func ended(_ block: Int, passes: Bool) {
        let left = (inFlight[block] ?? 1) -| 1
        inFlight[block] = left > 0 ? left : nil
        if passes { passed.insert(block) }
    }

    /// Counts a fetch that left memory.
    mutating func left() { fetchCount -|= 1 }

    /// Notes that a block is on disk.
    mutating func found(_ block: Int) { passed.insert(block) }

    /// The last block, other than the given one, that is neither seen nor in flight; nil if the
    /// given one completes the content.
    func unknownBlock(besides block: Int) -> Int? {
        (0..<blockCount).last { $0 != block && !passed.contains($0) && inFlight[$0] == nil }
    }
}
