// What happens in a folder from a cursor on, as a sequence without end. Not responsible for applying it: the
// consumer's own tree is the consumer's.

/// One step of a folder's history.
public enum FolderUpdate: Hashable, Sendable {
    /// Entries that are new, changed or deleted, to be applied in order. There may be none, with a new cursor all
    /// the same. After the last page up to the present, `hasMore` is false.
    case changes([Files.Metadata], cursor: Files.ListFolderCursor, hasMore: Bool)
    /// Nothing is known of what was before: list the folder now. Its changes from before this moment on follow; the
    /// listing may have seen some of them already.
    case relist(cursor: Files.ListFolderCursor)

    /// What to keep once this update has been applied, and to begin with next time.
    public var cursor: Files.ListFolderCursor {
        switch self {
        case .changes(_, let cursor, _), .relist(let cursor): cursor
        }
    }
}

/// The changes of a folder: it ends with an error only.
///
/// Without a cursor, and when the server has forgotten it, a new one is taken and comes as `.relist`. The network's and
/// the server's failures are waited out by the client's policy, however many they are; what stays, such as a
/// revoked token or a folder that is gone, is thrown. Cancelling the task ends a wait at once, with `.cancelled`.
public struct FolderChanges: AsyncSequence, Sendable {
    /// One step.
    public typealias Element = FolderUpdate
    /// What ends it.
    public typealias Failure = FolderListingError

    let calls: Files.Calls
    let cursor: Files.ListFolderCursor?
    let argument: Files.ListFolderArg
    /// Seconds that one wait lasts on the server's side.
    let wait: UInt64
    let options: CallOptions

    /// Follows the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let changes: FolderChanges
        private var feed: ChangeFeed
        private var patience = Patience()
        /// Since the last answer that was not about a new cursor.
        private var resets = 0

        fileprivate init(_ changes: FolderChanges) {
            self.changes = changes
            feed = ChangeFeed(cursor: changes.cursor)
        }

        /// The next step, as soon as there is one; nil after an error only.
        public mutating func next() async throws(FolderListingError) -> FolderUpdate? {
            while feed.question != nil {
                do throws(FolderListingError) {
                    if let update = try await step() { return update }
                } catch {
                    if error.isReset { feed.reset() }
                    resets += error.isReset ? 1 : 0
                    // A server that forgets each cursor at once is treated like one that fails.
                    if resets > 1 || !error.isReset { try await pauseOrEnd(error) }
                }
            }
            return nil
        }

        /// The next step, as soon as there is one; nil after an error only.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FolderListingError) -> FolderUpdate? {
            try await next()
        }

        /// Asks what is to be asked next; nil when the answer is no news.
        private mutating func step() async throws(FolderListingError) -> FolderUpdate? {
            switch feed.question {
            case nil: return nil
            case .cursor:
                return feed.begins(at: try await changes.latestCursor())
            case .page(let cursor):
                let page = try await changes.page(after: cursor)
                (patience, resets) = (Patience(), 0)
                return feed.has(page)
            case .change(let cursor, let pause):
                if let pause { try await changes.sleep(pause) }
                feed.waited(try await changes.waitForChange(after: cursor))
                patience = Patience()
                return nil
            }
        }

        private mutating func pauseOrEnd(
            _ error: FolderListingError
        ) async throws(FolderListingError) {
            let goesOn = await patience.pause(
                after: error.isReset ? .serverFault : error.retryEvent, of: changes.calls.client,
                maxAttempts: .max,
                deadline: changes.options.deadline)
            guard !goesOn else { return }
            feed.end()
            throw Task.isCancelled ? .cancelled : error
        }
    }

    /// Follows the changes, from the same beginning as each other iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

/// Which question comes next, by what was answered. Pure.
struct ChangeFeed {
    enum Question: Hashable {
        /// From where on there will be changes.
        case cursor
        /// What has changed since.
        case page(after: Files.ListFolderCursor)
        /// Whether something has changed, once the pause that the server asked for is over.
        case change(after: Files.ListFolderCursor, pause: Duration?)
    }

    /// Nil after the end.
    private(set) var question: Question?
    /// What the server asked for, until the next wait.
    private var pause: Duration?

    init(cursor: Files.ListFolderCursor?) {
        question = cursor.map { .page(after: $0) } ?? .cursor
    }

    /// Taken before the consumer lists, so that nothing is missed in between.
    mutating func begins(at cursor: Files.ListFolderCursor) -> FolderUpdate {
        question = .page(after: cursor)
        return .relist(cursor: cursor)
    }

    /// A page without entries that changes no cursor is no news.
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
        pause = result.backoff.map { .seconds(Int64(clamping: min($0, 1 << 30))) }
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
    fileprivate func latestCursor() async throws(FolderListingError) -> Files.ListFolderCursor {
        do throws(CallError<Files.ListFolderError>) {
            return try await calls.listFolderGetLatestCursor(argument, options: options).cursor
        } catch {
            throw FolderListingError(error)
        }
    }

    fileprivate func page(
        after cursor: Files.ListFolderCursor
    ) async throws(FolderListingError) -> Files.ListFolderResult {
        do throws(CallError<Files.ListFolderContinueError>) {
            return try await calls.listFolderContinue(cursor: cursor, options: options)
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
    /// What happens in a folder from now on.
    ///
    /// `cursor` is that of the last update, or of a listing's last page, made with the same argument; nil begins with
    /// `.relist`. One wait for changes lasts `wait` seconds, from 30 to 480, and up to 90 more; then the next begins.
    /// A deadline of `options` ends the sequence, other options hold for each request.
    public func changes(
        since cursor: Files.ListFolderCursor?, in argument: Files.ListFolderArg, wait: UInt64 = 240,
        options: CallOptions = .init()
    ) -> FolderChanges {
        FolderChanges(
            calls: self, cursor: cursor, argument: argument, wait: min(max(wait, 30), 480),
            options: options)
    }

    /// What happens in a folder from now on. The root is the empty path.
    public func changes(
        since cursor: Files.ListFolderCursor?, path: Files.PathROrID, recursive: Bool = true,
        wait: UInt64 = 240, options: CallOptions = .init()
    ) -> FolderChanges {
        changes(
            since: cursor, in: .init(path: path, recursive: recursive), wait: wait, options: options
        )
    }
}
