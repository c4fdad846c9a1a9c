// The state of a piece, from the server's refusal of it: the response to an earlier request may
// have been lost, and no other client writes to the session. Pure. Not responsible for the
// reaction: a resumed upload asks for the offset, all others send or give up.

import Saturating

/// The state of a piece whose append was refused.
package enum PieceFate: Hashable, Sendable {
    /// The session ends with the piece: the server has it.
    case arrived
    /// The session goes on behind the piece.
    case overtaken
    /// The session is closed. Only a piece of this client can have closed it; if another one is
    /// missing, the commit reports it.
    case closed
    /// The server has a part of the piece; this range is missing.
    case partly(missing: Range<UInt64>)
    /// The refusal is about something else, or the piece does not fit the session.
    case refused

    /// `range` is the piece's place in the session.
    package init(_ refusal: Files.UploadSessionAppendError?, range: Range<UInt64>) {
        switch refusal {
        case .closed: self = .closed
        case .incorrectOffset(let place): self.init(sessionEnd: place.correctOffset, range)
        case .notFound, .tooLarge, .concurrentSessionInvalidOffset,
            .concurrentSessionInvalidDataSize, .payloadTooLarge, .contentHashMismatch, .unknown,
            nil:
            self = .refused
        }
    }

    /// The same for one of several pieces in a request.
    package init(_ refusal: Files.UploadSessionAppendBatchEntryError, range: Range<UInt64>) {
        switch refusal {
        case .closed: self = .closed
        case .incorrectOffset(let place): self.init(sessionEnd: place.correctOffset, range)
        case .notFound, .tooLarge, .concurrentSessionInvalidOffset,
            .concurrentSessionInvalidDataSize, .unknown:
            self = .refused
        }
    }

    private init(sessionEnd: UInt64, _ range: Range<UInt64>) {
        if sessionEnd == range.upperBound {
            self = .arrived
        } else if sessionEnd > range.upperBound {
            // No file has more bytes than a signed number can count.
            self = sessionEnd > UInt64(clamping: Int64.max) ? .refused : .overtaken
        } else if sessionEnd > range.lowerBound {
            self = .partly(missing: sessionEnd ..<| range.upperBound)
        } else {
            self = .refused
        }
    }
}
