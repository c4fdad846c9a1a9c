// The base of staged content: ranges of a revision that become the base, and bytes of the base that
// are fetched because a block is written to.

package import Core
package import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// Continues the content with a range of a revision, without copying bytes: the range becomes
    /// the base, or extends it. Returns nil, with nothing changed, unless the range begins at the
    /// content's end and the content so far equals the revision.
    package func clone(
        _ revision: FileVersion, range: Range<Int64>, now: WallTime
    ) throws(StagingError) -> StagedWrite? {
        try state.withLock { (state) throws(StagingError) in
            if let end = state.end { return end }
            guard state.isContinued(by: revision, range) else { return nil }
            try removeCut(&state)
            try bytes.resize(to: range.upperBound)
            state.extend(with: revision, range, now: now)
            return .written
        }
    }

    /// Copies all content of another staged file, including its base; this one must be empty.
    /// Returns both generations, or nil, with this one still empty, if the other was changed
    /// concurrently, is committed, or is on a filesystem that the system cannot copy from.
    package func copy(
        _ source: StagedFile, now: WallTime
    ) throws(StagingError) -> (source: Int64, own: Int64)? {
        let original = source.state.withLock { $0 }
        guard original.end == nil, original.content.size > 0 else { return nil }
        let own: Int64? = try state.withLock { (state) throws(StagingError) in
            guard state.end == nil, state.content.size == 0, state.content.base == nil else {
                return nil
            }
            try removeCut(&state)
            let times = try bytes.times
            try bytes.resize(to: original.content.size)
            guard source.bytes.isLong(enoughFor: original.row), bytes.copyData(from: source.bytes)
            else {
                try bytes.resize(to: 0)
                bytes.set(times)
                return nil
            }
            // Without truncated bytes that the other's file still has.
            try bytes.resize(to: original.content.size)
            state.take(original, now: now)
            state.noteCopied(state.content.generation)
            return state.content.generation
        }
        guard let own else { return nil }
        // Not under both locks, which two copies could take in either order.
        let generation = original.content.generation
        let isUnchanged = source.state.withLock { state in
            guard state.content.generation == generation, state.end == nil else { return false }
            state.noteCopied(generation)
            return true
        }
        guard isUnchanged else {
            _ = try truncate(to: 0, now: now)
            state.withLock { $0.forgetBase() }
            return nil
        }
        return (generation, own)
    }

    /// Stores fetched bytes of a base. `range` comes from `needsBase`, for this base. A block that
    /// was staged since keeps its bytes, and nothing happens if the base has changed since.
    package func fill(
        _ range: Range<Int64>, with bytes: [UInt8], of source: StagedContent.Base
    ) throws(StagingError) {
        try state.withLock { (state) throws(StagingError) in
            let block = Int(clamping: range.lowerBound / Self.blockSize)
            let start = Int64(clamping: block) *| Self.blockSize
            guard state.end == nil, !state.blocks[block], let base = state.content.base,
                base.revision == source.revision, range.lowerBound == start,
                range.upperBound >= min(start +| Self.blockSize, base.limit)
            else { return }
            let upper = min(range.upperBound, base.limit)
            if range.lowerBound < upper {
                let count = Int(clamping: upper -| range.lowerBound)
                try writeFilled(bytes, count: count, at: range.lowerBound)
            }
            state.noteFilled(block)
        }
    }

    /// Writes the first bytes of a fetched block into the staging file, which keeps its times.
    private func writeFilled(
        _ block: [UInt8], count: Int, at offset: Int64
    ) throws(StagingError) {
        let failure: StagingError? = block.withUnsafeBytes { buffer in
            do throws(StagingError) {
                return try bytes.keepingTime { () throws(StagingError) in
                    try bytes.write(
                        UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), at: offset)?.refusal
                }
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// How many blocks of the base were filled in.
    var fills: Int { state.withLock { $0.fills.all } }

    /// The ranges of the base that are not in the staging file, block by block.
    package var missingRanges: [Range<Int64>] {
        missingRanges(in: 0..<Int64.max)
    }

    /// Those ranges, for blocks that a range touches.
    package func missingRanges(in range: Range<Int64>) -> [Range<Int64>] {
        state.withLock { state in
            guard let base = state.content.base else { return [] }
            return state.missing(in: range.clamped(to: 0..<base.limit))
        }
    }
}
