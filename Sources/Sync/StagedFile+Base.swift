// What staged content takes from an older revision: ranges that become its base, and bytes of the base
// that were fetched because a block is written to.

public import Core
import MetadataStore
public import RemoteStore
import Synchronization

extension StagedFile {
    /// Continues the content with a range of a revision, without moving bytes: it becomes the base, or
    /// more of the base. Returns nil, with nothing changed, unless the range begins where the content
    /// ends and the content so far is what the revision has there.
    public func clone(
        _ revision: FileContent, range: Range<Int64>, now: Timestamp
    ) throws(StagingError) -> StagedWrite? {
        try state.withLock { (state) throws(StagingError) in
            if let revision = state.retired {
                return .retired(revision)
            }
            guard !range.isEmpty, range.lowerBound == state.content.size,
                range.upperBound <= revision.size
            else { return nil }
            if range.lowerBound == 0 {
                state.blocks = BlockBitmap()
            } else {
                // Blocks that were cut off are still marked as staged.
                let blocks =
                    range.lowerBound / Self.blockSize...(range.upperBound - 1) / Self.blockSize
                guard let base = state.content.base, base.revision == revision.revision,
                    base.limit == range.lowerBound,
                    !blocks.contains(where: { state.blocks[Int($0)] })
                else { return nil }
            }
            try removeCut(&state)
            try setFileSize(range.upperBound)
            state.content.size = range.upperBound
            state.content.base = StagedContent.Base(
                revision: revision.revision, hash: revision.hash, size: revision.size,
                limit: range.upperBound)
            noteChange(&state, now: now)
            return .written
        }
    }

    /// Puts fetched bytes of the base where they belong; a block that has been staged meanwhile keeps
    /// what it has. `range` is one that `needsBase` named.
    public func fill(_ range: Range<Int64>, with bytes: [UInt8]) throws(StagingError) {
        try state.withLock { (state) throws(StagingError) in
            let block = Int(range.lowerBound / Self.blockSize)
            guard state.retired == nil, !state.blocks[block], let base = state.content.base else {
                return
            }
            let upper = min(range.upperBound, base.limit)
            if range.lowerBound < upper {
                let count = Int(upper - range.lowerBound)
                let failure: StagingError? = bytes.withUnsafeBytes { buffer in
                    do throws(StagingError) {
                        try store(
                            UnsafeRawBufferPointer(rebasing: buffer.prefix(count)),
                            at: range.lowerBound)
                        return nil
                    } catch {
                        return error
                    }
                }
                if let failure {
                    throw failure
                }
            }
            state.blocks.insert(block)
        }
    }

    /// The ranges of the base that are not in the staging file, block by block.
    public var missingRanges: [Range<Int64>] {
        state.withLock { state in
            guard let base = state.content.base else { return [] }
            return missing(in: 0..<base.limit, of: state, base: base) { _ in false }
        }
    }
}
