// The errors of a queue as errors of the library: lines for a log, and sentences.

import CLibrary
public import DropboxAPI
import Foundation

extension TransferQueueError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .inUse: "another queue has this folder open"
        case .folder(let errno): "the folder cannot be used: \(String(cString: strerror(errno)))"
        case .database(let text): "the queue cannot be read or written: \(text)"
        case .source(let failure): "the file cannot be read: \(failure)"
        case .unknownTransfer: "there is no such transfer"
        case .notEnded: "the transfer has not ended"
        case .closed: "the queue is closed"
        }
    }
}

extension TransferFailure: DropboxError {
    /// Returns the same text as `message`.
    public var summary: String { message }
    /// Whether an upload may be stored, whole or damaged.
    public var mayHaveTakenEffect: Bool { reason == .uncertain || reason == .damaged }
}
