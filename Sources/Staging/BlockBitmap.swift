// Which blocks of a staged file are in its staging file.

import Core

/// One bit per block of 4 MiB, lowest bit of the first byte first; blocks beyond the end are absent.
struct BlockBitmap: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    subscript(block: Int) -> Bool {
        let index = block / 8
        return block >= 0 && index < bytes.count && bytes[index] & Self.bit(of: block) != 0
    }

    /// The blocks that are there, in rising order.
    var members: [Int] {
        (0..<(bytes.count *| 8)).filter { self[$0] }
    }

    /// Notes that a block is there. A content has no blocks of negative numbers.
    mutating func insert(_ block: Int) {
        guard block >= 0 else { return }
        let index = block / 8
        if index >= bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: index +| 1 -| bytes.count))
        }
        bytes[index] |= Self.bit(of: block)
    }

    /// The block's bit in its byte.
    private static func bit(of block: Int) -> UInt8 {
        // Of a number of eight bits, the shift takes its remainder by eight.
        1 &<< UInt8(truncatingIfNeeded: block)
    }
}
