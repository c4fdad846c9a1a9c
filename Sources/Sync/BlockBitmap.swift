// Which blocks of a staged file are in its staging file.

/// One bit per block of 4 MiB, lowest bit of the first byte first; blocks beyond the end are absent.
struct BlockBitmap: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    subscript(block: Int) -> Bool {
        let index = block / 8
        return index < bytes.count && bytes[index] & (1 << UInt8(block % 8)) != 0
    }

    /// The blocks that are there, in rising order.
    var members: [Int] {
        (0..<bytes.count * 8).filter { self[$0] }
    }

    mutating func insert(_ block: Int) {
        let index = block / 8
        if index >= bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: index + 1 - bytes.count))
        }
        bytes[index] |= 1 << UInt8(block % 8)
    }
}
