// The common side of the errors of uploads: lines for a log, sentences, and whether anything may be
// stored.

import Essentials

extension FileUploadError: DropboxError {
    /// The call that failed.
    public var failedCall: CallFailure? {
        switch self {
        case .start(let error), .finish(let error): CallFailure(error)
        case .send(let error): CallFailure(error)
        case .uncertain(let error): error.map { CallFailure($0) }
        default: nil
        }
    }
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .source(let error): "the content cannot be read: \(error)"
        case .changed: "the content changed while it was read"
        case .start(let error), .finish(let error): error.summary
        case .send(let error): error.summary
        case .refused(let error): "the content was refused: \(error)"
        case .commit(let error): "the file was refused: \(error.tagPath)"
        case .uncertain(let error):
            "it is unknown whether the file is stored" + (error.map { ": \($0.summary)" } ?? "")
        case .hashMismatch(let expected, let received):
            "the server stored other bytes: hash \(received?.hex ?? "unknown") instead of "
                + expected.hex
        case .malformedAnswer(let text): "the answer does not fit the request: \(text)"
        case .cancelled: "cancelled"
        }
    }
    /// Whether the file, or another one in its place, may be stored.
    public var mayHaveTakenEffect: Bool {
        switch self {
        case .uncertain, .hashMismatch, .malformedAnswer: true
        default: false
        }
    }
    /// Whether the caller's task was cancelled, before the commit or during it.
    public var isCancellation: Bool {
        if case .cancelled = self { true } else { failedCall?.kind == .cancelled }
    }
}

extension StreamUploadError: DropboxError {
    /// The call that failed.
    package var failedCall: CallFailure? {
        switch self {
        case .start(let error): CallFailure(error)
        case .append(let error): CallFailure(error)
        case .finish(let error), .uncertain(let error): CallFailure(error)
        case .source, .hashMismatch: nil
        }
    }
    /// One line: what happened, and what to do.
    package var summary: String {
        switch self {
        case .source(let error): "the bytes could not be read: \(error)"
        case .start(let error): error.summary
        case .append(let error): error.summary
        case .finish(let error): error.summary
        case .uncertain(let error): "it is unknown whether the file is stored: \(error.summary)"
        case .hashMismatch(let expected, let received):
            "the server stored other bytes: hash \(received?.hex ?? "unknown") instead of "
                + expected.hex
        }
    }
    /// Whether the file, or another one in its place, may be stored.
    package var mayHaveTakenEffect: Bool {
        switch self {
        case .uncertain, .hashMismatch: true
        default: false
        }
    }
}
