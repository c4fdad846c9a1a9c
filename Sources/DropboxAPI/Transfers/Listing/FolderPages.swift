// A folder's listing as sequences of pages and of entries. Not responsible for later changes: see
// FolderChanges.

/// The pages of a listing, requested on demand.
///
/// No page is prefetched: no request runs unless the consumer waits for it, none is left when the
/// consumer stops, and a page's cursor is the position of the consumer. A page has up to 2,000
/// entries, which a consumer processes faster than the server makes the next page.
///
/// A first page with more bytes than `DropboxConfiguration.resultLimit` is requested again with
/// fewer entries. A later one ends the listing with an error that `isTooLarge`, because entries
/// before it have been delivered: begin anew with a smaller `limit`.
public struct FolderPages: AsyncSequence, Sendable {
    /// A page; it may have no entries although more follow.
    public typealias Element = Files.ListFolderResult
    /// The error that ends a listing early.
    public typealias Failure = FolderListingError

    let calls: Files.Calls
    let argument: Files.ListFolderArg
    let options: CallOptions

    /// Requests one page after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Position {
            case start
            case after(Files.ListFolderCursor)
            case end
        }

        private let pages: FolderPages
        private var position = Position.start

        fileprivate init(_ pages: FolderPages) {
            self.pages = pages
        }

        /// The next page; nil after the last one, and after an error.
        public mutating func next() async throws(FolderListingError) -> Files.ListFolderResult? {
            let page: Files.ListFolderResult
            do throws(FolderListingError) {
                switch position {
                case .end: return nil
                case .start: page = try await pages.first()
                case .after(let cursor):
                    page = try await pages.calls.page(after: cursor, options: pages.options)
                }
            } catch {
                position = .end
                throw error
            }
            position = page.hasMore ? .after(page.cursor) : .end
            return page
        }

        /// The next page; nil after the last one, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FolderListingError) -> Files.ListFolderResult? {
            try await next()
        }
    }

    /// Starts a new listing.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }

    /// The first page. If it has more bytes than the client accepts, fewer entries are requested,
    /// and the server sends no more of them in later pages.
    private func first() async throws(FolderListingError) -> Files.ListFolderResult {
        var argument = argument
        while true {
            do throws(CallError<Files.ListFolderError>) {
                return try await calls.listFolder(argument, options: options)
            } catch {
                guard error.isTooLarge,
                    let limit = ListingRules.smallerPage(than: argument.limit)
                else { throw FolderListingError(error) }
                argument.limit = limit
            }
        }
    }
}

extension Files.Calls {
    /// The page after a cursor: of a listing, or of the changes since.
    func page(
        after cursor: Files.ListFolderCursor, options: CallOptions
    ) async throws(FolderListingError) -> Files.ListFolderResult {
        let page: Files.ListFolderResult
        do throws(CallError<Files.ListFolderContinueError>) {
            page = try await listFolderContinue(cursor: cursor, options: options)
        } catch {
            throw FolderListingError(error)
        }
        let isEndless = ListingRules.isEndless(
            next: page.cursor, hasMore: page.hasMore, after: cursor)
        if isEndless { throw .endless }
        return page
    }
}

/// The entries of a listing, page by page; one page is held in memory.
public struct FolderEntries: AsyncSequence, Sendable {
    /// A file, a folder, or a deleted entry.
    public typealias Element = Files.Metadata
    /// The error that ends a listing early.
    public typealias Failure = FolderListingError

    let pages: FolderPages

    /// Iterates over the entries of each page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: FolderPages.AsyncIterator
        private var entries: IndexingIterator<[Files.Metadata]> = [].makeIterator()

        fileprivate init(_ pages: FolderPages.AsyncIterator) {
            self.pages = pages
        }

        /// The next entry; nil after the last one, and after an error.
        public mutating func next() async throws(FolderListingError) -> Files.Metadata? {
            while true {
                if let entry = entries.next() { return entry }
                guard let page = try await pages.next() else { return nil }
                entries = page.entries.makeIterator()
            }
        }

        /// The next entry; nil after the last one, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FolderListingError) -> Files.Metadata? {
            try await next()
        }
    }

    /// Starts a new listing.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages.makeAsyncIterator())
    }
}

extension Files.Calls {
    /// The pages of a folder's listing; changes continue from the cursor of the last one.
    ///
    /// `options` apply to each request.
    public func pages(
        _ argument: Files.ListFolderArg, options: CallOptions = .init()
    ) -> FolderPages {
        FolderPages(calls: self, argument: argument, options: options)
    }

    /// The pages of a folder's listing. The root is the empty path.
    public func pages(
        of path: Files.PathROrID, recursive: Bool = false, limit: UInt32? = nil,
        options: CallOptions = .init()
    ) -> FolderPages {
        pages(.init(path: path, recursive: recursive, limit: limit), options: options)
    }

    /// The entries of a folder, also of those below it if `recursive`. The root is the empty path.
    public func entries(
        of path: Files.PathROrID, recursive: Bool = false, limit: UInt32? = nil,
        options: CallOptions = .init()
    ) -> FolderEntries {
        FolderEntries(pages: pages(of: path, recursive: recursive, limit: limit, options: options))
    }

    /// The entries of a listing.
    public func entries(
        _ argument: Files.ListFolderArg, options: CallOptions = .init()
    ) -> FolderEntries {
        FolderEntries(pages: pages(argument, options: options))
    }
}
