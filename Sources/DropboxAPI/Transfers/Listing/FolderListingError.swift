// Why a sequence of a folder's entries or changes ended.

import Essentials

/// The error that ends a folder's listing or change sequence early.
@nonexhaustive public enum FolderListingError: Error, Hashable, Sendable {
    /// The first page, or a cursor, was refused.
    case start(CallError<Files.ListFolderError>)
    /// A further page was refused.
    case proceed(CallError<Files.ListFolderContinueError>)
    /// The longpoll was refused.
    case wait(CallError<Files.ListFolderLongpollError>)
    /// A page leads to itself: the listing would never end.
    case endless
    /// The task was cancelled.
    case cancelled

    init(_ error: CallError<Files.ListFolderError>) {
        self = error.kind == .cancelled ? .cancelled : .start(error)
    }

    init(_ error: CallError<Files.ListFolderContinueError>) {
        self = error.kind == .cancelled ? .cancelled : .proceed(error)
    }

    init(_ error: CallError<Files.ListFolderLongpollError>) {
        self = error.kind == .cancelled ? .cancelled : .wait(error)
    }

    /// Whether the server has expired the cursor, or does not understand it, so that only a new
    /// listing helps.
    public var isReset: Bool {
        switch self {
        case .proceed(let error): error.routeError == .reset || error.isAboutCursor
        case .wait(let error): error.routeError == .reset || error.isAboutCursor
        case .start, .endless, .cancelled: false
        }
    }

    /// Whether a page had more bytes than `DropboxConfiguration.resultLimit`: its entries have very
    /// long paths. A new listing with a smaller `limit` helps; a first page is requested again with
    /// fewer entries before this is thrown.
    public var isTooLarge: Bool {
        switch self {
        case .start(let error): error.isTooLarge
        case .proceed(let error): error.isTooLarge
        case .wait(let error): error.isTooLarge
        case .endless, .cancelled: false
        }
    }

    /// One line: the route, what happened, what to do, and the request's id.
    public var summary: String {
        switch self {
        case .start(let error): error.summary
        case .proceed(let error): error.summary
        case .wait(let error): error.summary
        case .endless: "the server's listing leads back to itself"
        case .cancelled: "cancelled"
        }
    }

    /// The event that the retry policy decides on.
    var retryEvent: RetryPolicy.Event {
        switch self {
        case .start(let error): error.kind.retryEvent
        case .proceed(let error): error.kind.retryEvent
        case .wait(let error): error.kind.retryEvent
        case .endless: .serverFault
        case .cancelled: .permanent
        }
    }
}

extension FolderListingError: DropboxError {
    /// The call that ended the listing.
    public var failedCall: CallFailure? {
        switch self {
        case .start(let error): CallFailure(error)
        case .proceed(let error): CallFailure(error)
        case .wait(let error): CallFailure(error)
        case .endless, .cancelled: nil
        }
    }
    /// Always false: a listing changes nothing.
    public var mayHaveTakenEffect: Bool { false }
    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool { self == .cancelled }
}
