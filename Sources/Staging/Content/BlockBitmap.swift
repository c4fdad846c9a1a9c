// The block map: which blocks of staged content are in the staging file.

import Core
import Saturating

/// One bit per block of 4 MiB, lowest bit of the first byte first; blocks beyond the end are
/// absent.
struct BlockBitmap: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    subscript(block: Int) -> Bool {
        let index = block / 8
        return block >= 0 && index < bytes.count && bytes[index] & Self.bit(of: block) != 0
    }

    /// The present blocks, in rising order.
    var members: [Int] {
        (0..<(bytes.count *| 8)).filter { self[$0] }
    }

    /// Marks a block as present. Negative numbers are ignored.
    mutating func insert(_ block: Int) {
        guard block >= 0 else { return }
        let index = block / 8
        if index >= bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: index +| 1 -| bytes.count))
        }
        bytes[index] |= Self.bit(of: block)
    }

    /// The mask of a block's bit in its byte.
    private static func bit(of block: Int) -> UInt8 {
        // `&<<` takes the shift modulo 8, the width of the number.
        1 &<< UInt8(truncatingIfNeeded: block)
    }
}
