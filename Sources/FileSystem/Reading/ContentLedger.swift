// Which blocks of one content have passed by, so that the whole can be checked before its last bytes are
// served. Pure.

import Core

/// What is known of a content while it is being fetched.
///
/// Only the hash of the whole content is known beforehand, so wrong bytes in a large file show when its
/// last block has passed by. Whoever reads it from end to end must get an error instead of that last
/// block; so the fetch that completes a content holds its bytes back until the content was checked.
struct ContentLedger {
    private let blockCount: Int
    private var passed: Set<Int> = []
    private var inFlight: [Int: Int] = [:]
    /// Fetches in memory, on their way or arrived.
    private(set) var fetchCount = 0

    init(blockCount: Int) {
        self.blockCount = blockCount
    }

    /// Whether nothing is on its way.
    var isSettled: Bool { inFlight.isEmpty }

    /// A fetch of a part of a block was made.
    mutating func began(_ block: Int) {
        fetchCount +|= 1
        inFlight[block, default: 0] +|= 1
    }

    /// A fetch of a part of a block has arrived or failed. `passes` says that all of the block has
    /// passed by.
    mutating func ended(_ block: Int, passes: Bool) {
        let left = (inFlight[block] ?? 1) -| 1
        inFlight[block] = left > 0 ? left : nil
        if passes { passed.insert(block) }
    }

    /// A fetch left memory.
    mutating func left() { fetchCount -|= 1 }

    /// A block is on disk.
    mutating func found(_ block: Int) { passed.insert(block) }

    /// The last block, other than the given one, of which nobody knows whether it has passed by; nil
    /// when the given one completes the content.
    func unknownBlock(besides block: Int) -> Int? {
        (0..<blockCount).last { $0 != block && !passed.contains($0) && inFlight[$0] == nil }
    }
}
