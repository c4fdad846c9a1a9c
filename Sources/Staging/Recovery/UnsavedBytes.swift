// Bytes that a killed process has written to a staging file, and of which no row tells. Not
// responsible for those behind the row's size (`StagingArea`).

import CLinux
import Core
import Glibc
import MetadataStore
import Saturating

enum UnsavedBytes {
    /// Removes the bytes behind the base's limit that are in blocks which the row does not have:
    /// the content has zeros there. Up to the limit, the base's bytes replace such bytes before
    /// anything is written to their block.
    ///
    /// A filesystem without holes keeps them.
    static func remove(
        from descriptor: Int32, of content: StagedContent, _ bytes: UnflushedBytes
    ) throws(StagingError) {
        guard let base = content.base, base.limit < content.size else { return }
        let blocks = BlockBitmap(bytes: content.blocks)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StagingError(code: errno) }
        // By a later time, a start would take the content for changed.
        let times = [status.st_atim, status.st_mtim]
        defer { _ = times.withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) } }
        var position = base.limit
        while let data = try? DataRange.next(in: descriptor, from: position),
            data.lowerBound < content.size
        {
            let block = data.lowerBound / StagedFile.blockSize
            let end = min((block +| 1) *| StagedFile.blockSize, content.size)
            if !blocks[Int(clamping: block)] {
                let range = data.lowerBound..<end
                guard try punch(range, descriptor, bytes) else { return }
            }
            position = end
        }
    }

    /// Makes a hole of a range. Returns false if the filesystem has none.
    private static func punch(
        _ range: Range<Int64>, _ descriptor: Int32, _ bytes: UnflushedBytes
    ) throws(StagingError) -> Bool {
        try bytes.change { () throws(StagingError) in
            while clinux_punch_hole(descriptor, Int(clamping: range.lowerBound), range.count) != 0 {
                if errno == EOPNOTSUPP { return false }
                guard errno == EINTR else { throw StagingError(code: errno) }
            }
            return true
        }
    }
}
