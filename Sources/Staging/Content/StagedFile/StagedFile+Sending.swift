// Staged content for an upload: its state, its bytes, and whether they still equal the bytes sent.

package import ContentHashing
package import Core
package import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// A snapshot of the content for an upload; nil once it is committed.
    package func contentToSend() -> StagedContent? {
        state.withLock { $0.end == nil ? $0.row : nil }
    }

    /// Notes the hash of a generation, unless the content has changed since.
    package func noteHash(_ hash: ContentHash, generation: Int64) {
        state.withLock { $0.noteHash(hash, generation: generation) }
    }

    /// Ends this staged content as `revision` if nothing changed since `generation`. Called in the
    /// transaction that records the commit. Returns false if there is more to send.
    package func retire(generation: Int64, as revision: FileVersion) -> Bool {
        state.withLock { $0.retire(generation: generation, as: revision) }
    }

    /// Undoes `retire`, because its transaction was rolled back.
    package func revive() {
        state.withLock { $0.revive() }
    }

    /// Reads for an upload, from the staging file only: fills the buffer, with zeros behind the
    /// content's end. Throws when the disk cannot be read, when the file lacks bytes of the
    /// content, and when it is not vouched for, after another try to flush it.
    package func readForUpload(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(StagingError) {
        if bytes.isDoubtful { try bytes.flush() }
        try readBytes(at: offset, into: buffer)
    }

    /// Throws if a flush of the bytes has failed, and none has succeeded since: the bytes read may
    /// not be those written.
    package func vouch() throws(StagingError) {
        if bytes.isDoubtful { throw .doubtful }
    }

    // MARK: Pieces

    /// Whether a write ends a piece, which may then be sent before the file is closed.
    package static func endsPiece(from offset: Int64, count: Int) -> Bool {
        let end = offset +| Int64(clamping: count)
        return end / PieceLayout.pieceSize > offset / PieceLayout.pieceSize
    }

    /// Notes that a piece is about to be read and sent: changes of it are noted from here on.
    /// Returns false if a piece of this session has changed since it was sent.
    package func beginSending(_ piece: Range<Int64>, session: String) -> Bool {
        state.withLock { $0.beginSending(piece, session: session) }
    }

    /// Forgets which pieces were sent, so that it is unknown whether they are unchanged.
    package func endSending() { state.withLock { $0.endSending() } }

    /// Whether the bytes that a session was given are unchanged; nil if unknown.
    package func agrees(with session: String) -> Bool? {
        state.withLock { $0.agrees(with: session) }
    }

    /// The next piece of a sequentially written file that can be sent although the file is still
    /// being written, and that is a piece for every final size.
    package var nextPieceAhead: Range<Int64>? { state.withLock { $0.nextPieceAhead } }
}
