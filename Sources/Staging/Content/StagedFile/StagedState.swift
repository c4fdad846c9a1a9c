// The state of staged content: which bytes are staged, which of its versions the row and the disk
// have, and which pieces were sent. Memory only: `StagedFile` has the lock, the bytes and the rows.

import ContentHashing
import Core
import MetadataStore
import Saturating

/// The state of one staging file. A change is noted after the bytes are stored.
struct StagedState {
    /// The content. Its block map and its stamp are the row's first ones; `row` has the present
    /// map.
    private(set) var content: StagedContent
    private(set) var blocks: BlockBitmap
    /// When the content last changed, if that is not in the store yet.
    private(set) var modified: WallTime?
    /// The revision of its commit; nil before that.
    private(set) var retired: FileVersion?
    /// Whether another staging file has replaced this one.
    private(set) var isReplaced = false
    /// Beginning of truncated bytes that the file still has.
    private(set) var cutFrom: Int64?
    /// How many blocks of the base were filled in, and how many of those a flush has covered.
    /// The content stays the same, and so does its generation.
    private(set) var fills = (all: 0, flushed: 0)
    /// Whether the file's name has reached the disk.
    private(set) var isNameFlushed = false
    /// The generation that the row has.
    private(set) var persistedGeneration: Int64
    /// Size of the content that the row has.
    private var persistedSize: Int64
    /// Size of the content that the row is about to have; 0 if no save is running.
    private var savingSize: Int64 = 0
    /// Size of the content that a row called flushed, until the disk has a later row; 0 without
    /// one. A power cut may bring that row back, and with it the bytes that are in the file then.
    private var vouchedSize: Int64
    /// The promise that the row has.
    private var persistedPromise: Int64
    /// Whether bytes of the row's content were written over since it was saved.
    private var isRewritten = false
    /// The generation that a pending copy names; nil if none does.
    private var copiedGeneration: Int64?
    /// The generation with which the base became another one, until a row has it.
    private(set) var unsavedBase: Int64?
    private var written = WrittenPrefix()
    private var sent: SentPieces?

    /// The state of content that a row has; with `isInvalidated`, the disk's row calls no bytes
    /// flushed, and otherwise it may, if any ever were.
    init(_ content: StagedContent, isInvalidated: Bool) {
        self.content = content
        blocks = BlockBitmap(bytes: content.blocks)
        persistedGeneration = content.generation
        persistedSize = content.size
        vouchedSize = content.flushed > 0 && !isInvalidated ? content.size : 0
        persistedPromise = content.promised
    }

    /// The content with its present block map.
    var row: StagedContent {
        var content = content
        content.blocks = blocks.bytes
        return content
    }

    /// Why the content can no longer be changed; nil while it can.
    var end: StagedWrite? {
        if isReplaced { return .replaced }
        return retired.map { .retired($0) }
    }

    /// The base's parts of the unstaged blocks that a range touches, without those that
    /// `isReplaced` says will be overwritten wholly.
    func missing(
        in range: Range<Int64>, isReplaced: (Range<Int64>) -> Bool = { _ in false }
    ) -> [Range<Int64>] {
        guard let base = content.base, !range.isEmpty else { return [] }
        var parts: [Range<Int64>] = []
        for block in Self.blocks(of: range) where !blocks[Int(clamping: block)] {
            let lower = block *| StagedFile.blockSize
            let upper = min(lower +| StagedFile.blockSize, base.limit)
            if lower < upper && !isReplaced(lower..<upper) {
                parts.append(lower..<upper)
            }
        }
        return parts
    }

    /// The base's parts that are needed before a range is written: it does not replace all of them.
    func needed(for range: Range<Int64>) -> [Range<Int64>] {
        missing(in: range) { part in
            range.lowerBound <= part.lowerBound && part.upperBound <= range.upperBound
        }
    }

    /// The beginning of a range that was written up to where the disk refused more. A block of
    /// whose base only a part was replaced stays the base's.
    func usable(_ range: Range<Int64>) -> Range<Int64> {
        guard let block = needed(for: range).first else { return range }
        return range.lowerBound ..<| max(range.lowerBound, block.lowerBound)
    }

    /// Whether an offset is in a block that the staging file has.
    func isStaged(_ offset: Int64) -> Bool {
        content.base == nil || blocks[Int(clamping: offset / StagedFile.blockSize)]
    }

    /// The blocks that a range touches.
    static func blocks(of range: Range<Int64>) -> Range<Int64> {
        range.lowerBound / StagedFile.blockSize ..<| (range.upperBound -| 1) / StagedFile.blockSize
            +| 1
    }

    // MARK: Changing

    /// Notes that bytes of a range are written over.
    mutating func noteRewritten(_ range: Range<Int64>) {
        if range.lowerBound < max(persistedSize, savingSize) { isRewritten = true }
    }

    /// Notes bytes that were written.
    mutating func noteWritten(_ range: Range<Int64>) {
        noteRewritten(range)
        grow(to: range.upperBound)
        written.add(range)
    }

    /// Notes that the content reaches at least up to an offset.
    mutating func grow(to end: Int64) {
        content.size = max(content.size, end)
    }

    /// Ends a change: its blocks are staged from now on. Not sooner: a block whose bytes could not
    /// be stored is still the base's.
    mutating func endChange(of range: Range<Int64>, now: WallTime) {
        if content.base != nil, !range.isEmpty {
            for block in Self.blocks(of: range) { blocks.insert(Int(clamping: block)) }
        }
        noteChange(in: range, now: now)
    }

    /// Notes that the file still has bytes behind a new end.
    mutating func noteCut(from size: Int64) {
        cutFrom = min(cutFrom ?? .max, size)
    }

    /// Notes that it has them no longer.
    mutating func noteCutRemoved() {
        cutFrom = nil
    }

    /// Truncates the content, or extends it with zeros.
    mutating func truncate(to size: Int64, now: WallTime) {
        let old = content.size
        content.size = size
        if let base = content.base { content.base?.limit = min(base.limit, size) }
        written.cut(to: size)
        noteChange(in: min(old, size)..<max(old, size), now: now)
    }

    private mutating func noteChange(in range: Range<Int64>, now: WallTime) {
        sent?.noteChange(in: range)
        content.generation +|= 1
        content.hash = nil
        modified = now
    }

    // MARK: The base

    /// Whether the content can be continued with a range of a revision, which becomes the base or
    /// extends it.
    func isContinued(by revision: FileVersion, _ range: Range<Int64>) -> Bool {
        guard !range.isEmpty, range.lowerBound == content.size, range.upperBound <= revision.size
        else { return false }
        guard range.lowerBound > 0 else { return true }
        // Truncated blocks are still marked as staged.
        guard let base = content.base, base.revision == revision.revision,
            base.limit == range.lowerBound
        else { return false }
        return !Self.blocks(of: range).contains { blocks[Int(clamping: $0)] }
    }

    /// Continues the content with a range of a revision, as `isContinued` allows.
    mutating func extend(with revision: FileVersion, _ range: Range<Int64>, now: WallTime) {
        let isNew = range.lowerBound == 0
        if isNew { blocks = BlockBitmap() }
        content.size = range.upperBound
        content.base = StagedContent.Base(
            revision: revision.revision, hash: revision.hash, size: revision.size,
            limit: range.upperBound)
        noteChange(in: range, now: now)
        if isNew { unsavedBase = content.generation }
    }

    /// Takes the content of another staging file, whose bytes were copied.
    mutating func take(_ original: StagedState, now: WallTime) {
        content.size = original.content.size
        content.base = original.content.base
        blocks = original.blocks
        noteChange(in: 0..<original.content.size, now: now)
        unsavedBase = content.generation
    }

    /// Ends the part of the base in empty content.
    mutating func forgetBase() {
        content.base = nil
    }

    /// Notes a block of the base that was filled in.
    mutating func noteFilled(_ block: Int) {
        blocks.insert(block)
        fills.all +|= 1
    }

    // MARK: Its row

    /// Whether there is content that the row does not name.
    var hasUnsavedContent: Bool { content.generation != persistedGeneration && end == nil }

    /// Whether the row has another content, or another promise.
    var hasUnsavedChanges: Bool {
        end == nil
            && (content.generation != persistedGeneration || content.promised != persistedPromise)
    }

    /// The generation, if the row has it and no flush has covered it.
    var savedUnflushedGeneration: Int64? {
        let isSaved = content.generation == persistedGeneration
        return isSaved && end == nil && content.flushed < content.generation
            ? content.generation : nil
    }

    /// Notes that the content is about to be saved: later changes are none of the row's.
    mutating func noteSaving() {
        savingSize = content.size
    }

    /// Notes a row that is committed.
    mutating func noteSaved(_ saved: StagedContent, modified time: WallTime?) {
        savingSize = 0
        if saved.generation >= persistedGeneration { persistedSize = saved.size }
        if saved.isVouched { vouchedSize = max(vouchedSize, saved.size) }
        if saved.generation == content.generation { isRewritten = false }
        if let base = unsavedBase, base <= saved.generation { unsavedBase = nil }
        persistedGeneration = max(persistedGeneration, saved.generation)
        persistedPromise = max(persistedPromise, saved.promised)
        if modified == time { modified = nil }
    }

    /// Makes the next row say that its bytes may not be on the disk, nor those of a pending copy.
    mutating func invalidateFlushedRow() {
        content.generation +|= 1
    }

    /// Notes that the disk has the row of a generation, or a later one. Returns whether it vouches
    /// for no bytes: a flush may have made a later row that does.
    mutating func noteRowOnDisk(_ generation: Int64) -> Bool {
        if content.flushed < generation {
            vouchedSize = 0
            return true
        }
        guard persistedGeneration == generation else { return false }
        vouchedSize = isRowVouched ? persistedSize : 0
        return !isRowVouched
    }

    /// Whether the row calls its bytes flushed, and no fsync has acknowledged any.
    var isRowVouched: Bool { content.isVouched(asOf: persistedGeneration) }

    /// Notes that a pending copy has a generation of the content: after a kill, its row must have
    /// the same bytes, or another generation.
    mutating func noteCopied(_ generation: Int64) {
        copiedGeneration = generation
    }

    /// Whether a row says something of bytes from an offset on that a change would make untrue.
    /// - It may say that they are flushed, also an earlier row that a power cut may bring back:
    ///   that could leave a mixture of versions, because the disk may have the bytes before the
    ///   file's new time. Content that an fsync has acknowledged may be written over as on any
    ///   local disk, once the disk has a row that says so.
    /// - It may have the generation of a pending copy: a kill would leave the new bytes under it.
    func isVouched(from offset: Int64) -> Bool {
        if offset < vouchedSize { return true }
        return offset < persistedSize
            && (isRowVouched || copiedGeneration == persistedGeneration)
    }

    // MARK: The disk

    /// Whether its bytes must be flushed before a row names them, because an fsync has
    /// acknowledged an older generation.
    var owesFlush: Bool {
        end == nil && content.promised > 0
            && (content.flushed < content.generation || fills.flushed < fills.all)
    }

    /// Whether the disk has the content that the row names.
    var isRowFlushed: Bool { content.flushed >= persistedGeneration }

    /// Notes a flush of all bytes, during which nothing changed.
    mutating func noteAllFlushed() {
        content.flushed = content.generation
        fills.flushed = fills.all
    }

    /// Notes a flush of a generation with so many filled blocks, and of the file's name. With
    /// `promising`, the generation is acknowledged to a user.
    mutating func noteFlushed(_ generation: Int64, fills count: Int, promising: Bool) {
        isNameFlushed = true
        content.flushed = max(content.flushed, generation)
        fills.flushed = max(fills.flushed, count)
        if promising { content.promised = max(content.promised, generation) }
    }

    /// Notes a flush of the row's content. Returns false if bytes of it were written over, or
    /// blocks filled in, before the flush ended: the disk may have a mixture then.
    mutating func noteRowFlushed(_ generation: Int64, fills count: Int) -> Bool {
        isNameFlushed = true
        fills.flushed = max(fills.flushed, count)
        if isRewritten || count < fills.all { return false }
        content.flushed = max(content.flushed, generation)
        if isRowVouched { vouchedSize = max(vouchedSize, persistedSize) }
        return true
    }

    /// Notes that an fsync has acknowledged a flushed generation, and that the row says so.
    mutating func notePromise(_ generation: Int64) {
        content.promised = max(content.promised, generation)
        persistedPromise = max(persistedPromise, generation)
    }

    // MARK: Its end

    /// Ends the content as a revision if nothing has changed since a generation. Returns whether it
    /// did.
    mutating func retire(generation: Int64, as revision: FileVersion) -> Bool {
        guard content.generation == generation, end == nil else { return false }
        retired = revision
        return true
    }

    /// Undoes `retire`, because its transaction was rolled back.
    mutating func revive() {
        retired = nil
    }

    /// Says whether another staging file has replaced this one.
    mutating func setReplaced(_ isReplaced: Bool) {
        self.isReplaced = isReplaced
    }

    // MARK: Sending

    /// Notes the hash of a generation, unless the content has changed since.
    mutating func noteHash(_ hash: ContentHash, generation: Int64) {
        if content.generation == generation { content.hash = hash }
    }

    /// Notes that a piece is about to be read and sent. Returns false if a piece of this session
    /// has changed since it was sent.
    mutating func beginSending(_ piece: Range<Int64>, session: String) -> Bool {
        guard end == nil else { return false }
        var sent = sent ?? SentPieces(session: session)
        if sent.session != session { sent = SentPieces(session: session) }
        guard !sent.isOutdated else { return false }
        sent.add(piece)
        self.sent = sent
        return true
    }

    /// Forgets which pieces were sent.
    mutating func endSending() { sent = nil }

    /// Whether the bytes that a session was given are unchanged; nil if unknown.
    func agrees(with session: String) -> Bool? {
        guard let sent, sent.session == session else { return unsavedBase == nil ? nil : false }
        return !sent.isOutdated
    }

    /// The next piece of a sequentially written file that can be sent although the file is still
    /// being written, and that is a piece for every final size.
    var nextPieceAhead: Range<Int64>? {
        guard end == nil, content.base == nil, written.end >= PieceLayout.smallestAhead,
            sent?.isOutdated != true
        else { return nil }
        let start = sent?.end ?? 0
        let end = start +| PieceLayout.pieceSize
        return start % PieceLayout.pieceSize == 0 && end < written.end ? start..<end : nil
    }
}

extension StagedContent {
    /// Whether this row calls its bytes flushed, and no fsync has acknowledged any.
    var isVouched: Bool { isVouched(asOf: generation) }

    /// The same of a row with these flushes and another generation.
    fileprivate func isVouched(asOf generation: Int64) -> Bool {
        promised == 0 && flushed > 0 && flushed >= generation
    }
}
