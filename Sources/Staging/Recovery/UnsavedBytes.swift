// Bytes that a killed process has written to a staging file, and of which no row tells. Not
// responsible for those behind the row's size (`StagingArea`).

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
        do throws(StagingError) {
            try StagedBytes.keepingTime(of: descriptor) { () throws(StagingError) in
                var position = base.limit
                while let data = try? DataRange.next(in: descriptor, from: position),
                    data.lowerBound < content.size
                {
                    let block = data.lowerBound / StagedFile.blockSize
                    let end = min((block +| 1) *| StagedFile.blockSize, content.size)
                    if !blocks[Int(clamping: block)] {
                        try StagedBytes.zero(data.lowerBound..<end, in: descriptor, bytes)
                    }
                    position = end
                }
            }
        } catch {
            guard error.code == EOPNOTSUPP else { throw error }
        }
    }
}
