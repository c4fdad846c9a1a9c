// The changes of a folder since a cursor, as an endless sequence. Not responsible for applying them
// to the consumer's own tree.

import Saturating

/// One step of a folder's history.
@nonexhaustive public enum FolderUpdate: Hashable, Sendable {
    /// New, changed or deleted entries, to be applied in order. There may be none, still with a new
    /// cursor. `hasMore` is false on the last page up to the present.
    case changes([Files.Metadata], cursor: Files.ListFolderCursor, hasMore: Bool)
    /// No earlier state is known: list the folder now. Changes since this cursor follow; the
    /// listing may already contain some of them.
    case relist(cursor: Files.ListFolderCursor)

    /// The cursor to persist once this update has been applied, and to resume from.
    public var cursor: Files.ListFolderCursor {
        switch self {
        case .changes(_, let cursor, _), .relist(let cursor): cursor
        }
    }
}

/// The changes of a folder; the sequence ends only with an error.
///
/// Without a cursor, when the server has expired it, and when the changes since have more bytes in
/// a page than the client accepts, a new one is taken and delivered as `.relist`. Network and
/// server failures are retried by the client's policy without limit; permanent ones, such as a
/// revoked token or a deleted folder, are thrown. Cancelling the task ends a wait at once, with
/// `.cancelled`.
public struct FolderChanges: AsyncSequence, Sendable {
    /// One update of the folder.
    public typealias Element = FolderUpdate
    /// The error that ends the sequence.
    public typealias Failure = FolderListingError

    let calls: Files.Calls
    let cursor: Files.ListFolderCursor?
    let argument: Files.ListFolderArg
    /// Server-side timeout of one longpoll, in seconds.
    let wait: UInt64
    let options: CallOptions

    /// Iterates over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let changes: FolderChanges
        private var feed: ChangeFeed
        /// The argument of the next cursor.
        private var argument: Files.ListFolderArg
        private var backoff = OperationBackoff()
        /// Cursor resets since the last page.
        private var resets = 0

        fileprivate init(_ changes: FolderChanges) {
            self.changes = changes
            feed = ChangeFeed(cursor: changes.cursor)
            argument = changes.argument
        }

        /// The next update, as soon as there is one; nil after an error only.
        public mutating func next() async throws(FolderListingError) -> FolderUpdate? {
            while feed.question != nil {
                do throws(FolderListingError) {
                    if let update = try await step() { return update }
                } catch {
                    if error.isTooLarge,
                        let limit = ListingRules.smallerPage(than: argument.limit)
                    {
                        // A cursor keeps the size of pages that it began with.
                        argument.limit = limit
                        feed.reset()
                        continue
                    }
                    if error.isReset {
                        feed.reset()
                        resets +|= 1
                    }
                    // A server that expires every cursor at once is treated like one that fails.
                    if resets > 1 || !error.isReset { try await pauseOrEnd(error) }
                }
            }
            return nil
        }

        /// The next update, as soon as there is one; nil after an error only.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FolderListingError) -> FolderUpdate? {
            try await next()
        }

        /// Sends the next request; nil when its response holds no update.
        private mutating func step() async throws(FolderListingError) -> FolderUpdate? {
            switch feed.question {
            case nil: return nil
            case .cursor:
                return feed.begins(at: try await changes.latestCursor(of: argument))
            case .page(let cursor):
                let page = try await changes.calls.page(
                    after: cursor, options: changes.options)
                (backoff, resets) = (OperationBackoff(), 0)
                return feed.has(page)
            case .change(let cursor, let pause):
                if let pause { try await changes.sleep(pause) }
                feed.waited(try await changes.waitForChange(after: cursor))
                backoff = OperationBackoff()
                return nil
            }
        }

        private mutating func pauseOrEnd(
            _ error: FolderListingError
        ) async throws(FolderListingError) {
            let goesOn = await backoff.pause(
                after: error.isReset ? .serverFault : error.retryEvent, of: changes.calls.client,
                maxAttempts: .max,
                deadline: changes.options.deadline)
            guard !goesOn else { return }
            feed.end()
            throw Task.isCancelled ? .cancelled : error
        }
    }

    /// An iterator that starts at the sequence's cursor, like every other one.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

/// Chooses the next request from the last response. Pure.
struct ChangeFeed {
    enum Question: Hashable {
        /// Take the latest cursor.
        case cursor
        /// Fetch the changes since a cursor.
        case page(after: Files.ListFolderCursor)
        /// Longpoll for changes, after the backoff that the server asked for.
        case change(after: Files.ListFolderCursor, pause: Duration?)
    }

    /// Nil after the end.
    private(set) var question: Question?
    /// The backoff that the server asked for, until the next longpoll.
    private var pause: Duration?

    init(cursor: Files.ListFolderCursor?) {
        question = cursor.map { .page(after: $0) } ?? .cursor
    }

    /// Resumes from a cursor taken before the consumer lists, so that no change is missed in
    /// between.
    mutating func begins(at cursor: Files.ListFolderCursor) -> FolderUpdate {
        question = .page(after: cursor)
        return .relist(cursor: cursor)
    }

    /// Returns nil for a page without entries and with an unchanged cursor.
    mutating func has(_ page: Files.ListFolderResult) -> FolderUpdate? {
        guard case .page(let old) = question else { return nil }
        question =
            page.hasMore
            ? .page(after: page.cursor) : .change(after: page.cursor, pause: pause)
        guard !page.entries.isEmpty || page.cursor != old else { return nil }
        return .changes(page.entries, cursor: page.cursor, hasMore: page.hasMore)
    }

    mutating func waited(_ result: Files.ListFolderLongpollResult) {
        guard case .change(let cursor, _) = question else { return }
        pause = ListingRules.pause(after: result).map { .seconds(clamping: $0) }
        question = result.changes ? .page(after: cursor) : .change(after: cursor, pause: pause)
    }

    mutating func reset() {
        question = .cursor
    }

    mutating func end() {
        question = nil
    }
}

extension FolderChanges {
    fileprivate func latestCursor(
        of argument: Files.ListFolderArg
    ) async throws(FolderListingError) -> Files.ListFolderCursor {
        do throws(CallError<Files.ListFolderError>) {
            return try await calls.listFolderGetLatestCursor(argument, options: options).cursor
        } catch {
            throw FolderListingError(error)
        }
    }

    fileprivate func waitForChange(
        after cursor: Files.ListFolderCursor
    ) async throws(FolderListingError) -> Files.ListFolderLongpollResult {
        do throws(CallError<Files.ListFolderLongpollError>) {
            return try await calls.listFolderLongpoll(
                cursor: cursor, timeout: wait, options: options)
        } catch {
            throw FolderListingError(error)
        }
    }

    fileprivate func sleep(_ pause: Duration) async throws(FolderListingError) {
        do {
            try await calls.client.clock.sleep(pause)
        } catch {
            throw .cancelled
        }
    }
}

extension Files.Calls {
    /// The changes of a folder from now on.
    ///
    /// `cursor` is that of the last update, or of a listing's last page, made with the same
    /// argument; nil begins with `.relist`. One longpoll lasts `wait` seconds, from 30 to 480, and
    /// up to 90 more; then the next begins. A deadline of `options` ends the sequence, other
    /// options hold for each request.
    public func changes(
        since cursor: Files.ListFolderCursor?, in argument: Files.ListFolderArg, wait: UInt64 = 240,
        options: CallOptions = .init()
    ) -> FolderChanges {
        FolderChanges(
            calls: self, cursor: cursor, argument: argument, wait: ListingRules.timeout(wait),
            options: options)
    }

    /// The changes of a folder from now on. The root is the empty path.
    public func changes(
        since cursor: Files.ListFolderCursor?, path: Files.PathROrID, recursive: Bool = true,
        wait: UInt64 = 240, options: CallOptions = .init()
    ) -> FolderChanges {
        changes(
            since: cursor, in: .init(path: path, recursive: recursive), wait: wait, options: options
        )
    }
}
