// The block map: which blocks of staged content are in the staging file.

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
        var end: Int64 = 0
        do throws(StagingError) {
            while end < size, let range = try DataRange.next(in: descriptor, from: end) {
                end = range.upperBound
                for block in StagedState.blocks(of: range) { insert(Int(clamping: block)) }
            }
        } catch {
            return nil
        }
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
