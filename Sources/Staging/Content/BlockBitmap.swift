// The block map: which blocks of staged content are in the staging file.

import CLinux
import Core
import Glibc
import Saturating

/// One bit per block of 4 MiB, lowest bit of the first byte first; blocks beyond the end are
/// absent.
struct BlockBitmap: Hashable, Sendable {
    /// Bytes of the largest file that Dropbox stores, and more.
    private static let largestFile: Int64 = 1 << 41

    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// The blocks of a file that have any data on the disk; nil if all have, or if the disk does
    /// not say. `size` is the file's in bytes.
    init?(dataOf path: String, size: Int64) {
        // Larger than any content.
        guard size <= Self.largestFile,
            let descriptor = try? StagingError.opening(path, O_RDONLY)
        else { return nil }
        defer { close(descriptor) }
        self.init()
        var position = lseek(descriptor, 0, CLINUX_SEEK_DATA)
        while position >= 0, Int64(clamping: position) < size {
            let end = lseek(descriptor, position, CLINUX_SEEK_HOLE)
            guard end > position else { return nil }
            let last = (Int64(clamping: end) -| 1) / StagedFile.blockSize
            for block in (Int64(clamping: position) / StagedFile.blockSize)...last {
                insert(Int(clamping: block))
            }
            position = lseek(descriptor, end, CLINUX_SEEK_DATA)
        }
        if position < 0, errno != ENXIO { return nil }
        let count = (size +| StagedFile.blockSize -| 1) / StagedFile.blockSize
        if members.count >= count { return nil }
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
