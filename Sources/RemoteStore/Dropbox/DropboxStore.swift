// Dropbox as the cloud of a filesystem. Not responsible for HTTP, tokens and retries: those are
// DropboxAPI's. Its routes become the operations of `RemoteStoring`, and every response is
// validated.

package import Core
package import DropboxAPI
package import Logging
import Saturating
import Synchronization

/// An account on Dropbox, or the part of it below a folder.
///
/// The client retries changes when their fate is unknown: each either states its expected
/// precondition, or is recognised here as already applied.
package final class DropboxStore: RemoteStoring {
    /// The root of the account's paths.
    package enum Root: Hashable, Sendable {
        /// The user's home folder: Dropbox's default.
        case home
        /// The team's space, with the namespace from `RemoteAccount.teamNamespace`. Once the user
        /// has changed teams, every call throws `rootChanged` until `refreshRoot`.
        case team(namespace: String)
        /// Any namespace that the user can access, for example a shared folder's.
        case namespace(String)

        var name: String {
            switch self {
            case .home: "home"
            case .team(let id): "team:\(id)"
            case .namespace(let id): "namespace:\(id)"
            }
        }

        var pathRoot: Common.PathRoot? {
            switch self {
            case .home: nil
            case .team(let id): .root(id)
            case .namespace(let id): .namespaceID(id)
            }
        }
    }

    let clock: StoreClock
    /// The root of all paths.
    let rooted: Mutex<Rooted>
    let log: Logger
    private let refused = Mutex(0)
    private let pageSize = PageSize()
    /// Whether the service has refused an id in a change.
    private let idRefusal = Mutex(false)
    let longpolls = EndableCalls()
    /// Requests for the next page.
    let pageRequests = EndableCalls()
    /// Recent uploads, which may not be visible everywhere on the server yet.
    private let recentUploads = Mutex(RecentUploads())
    /// Where POSIX facts are kept.
    let template: FactsTemplate

    /// Accesses one account through a client; `prefix` is the path of the mounted folder, "" for
    /// the whole account. `sharesFacts` keeps POSIX facts in the account.
    package convenience init(
        client: DropboxClient, root: Root = .home, prefix: RemotePath = .root,
        sharesFacts: Bool = false, log: Logger = Logger(label: "remote")
    ) {
        self.init(
            client: client, root: root, folder: MountedFolder(prefix), sharesFacts: sharesFacts,
            log: log, clock: StoreClock())
    }

    init(
        client: DropboxClient, root: Root = .home, folder: MountedFolder = MountedFolder(.root),
        sharesFacts: Bool = false, log: Logger = Logger(label: "remote"), clock: StoreClock
    ) {
        template = FactsTemplate(isShared: sharesFacts, clock: clock, log: log)
        rooted = Mutex(Rooted(root, client, folder))
        self.log = log
        self.clock = clock
    }

    /// How many listing entries were refused so far as invalid; for tests.
    package var refusedEntryCount: Int { refused.withLock { $0 } }

    var client: DropboxClient { rooted.withLock { $0.client } }

    /// A reader for metadata below the mounted folder's current path.
    var reader: MetadataReader { MetadataReader(prefix: rooted.withLock { $0.folder.prefix }) }

    func serverPath(_ path: RemotePath) -> String {
        "\(rooted.withLock { $0.folder.prefix }.rawValue)\(path.rawValue)"
    }

    /// Whether changes are sent by path, because the service refuses ids.
    var refusesIDs: Bool { idRefusal.withLock { $0 } }

    /// Makes all further changes use paths.
    func noteRefusalOfIDs() {
        let isNew = idRefusal.withLock { refuses in
            defer { refuses = true }
            return !refuses
        }
        guard isNew else { return }
        log.notice(
            "the server takes no ids in changes: it is asked for their paths, and sent those")
    }

    func noteUpload(_ path: RemotePath) {
        recentUploads.withLock { $0.note(path, at: clock.now()) }
    }

    func wasUploadedRecently(_ path: RemotePath) -> Bool {
        recentUploads.withLock { $0.contains(path, at: clock.now()) }
    }

    // MARK: Account

    /// The account of the token.
    package func account() async throws(RemoteError) -> RemoteAccount {
        do throws(CallError<NoError>) {
            var account = try await RemoteAccount(of: client)
            switch rooted.withLock({ $0.root }) {
            case .home: break
            case .team(let id), .namespace(let id): account.rootNamespace = id
            }
            return account
        } catch {
            throw RemoteError(error)
        }
    }

    /// Bytes used and allowed; for a member of a team with an individual cap, that cap.
    package func space() async throws(RemoteError) -> RemoteSpace {
        do throws(CallError<NoError>) {
            return RemoteSpace(try await client.call(Users.getSpaceUsage, options: .interactive))
        } catch {
            throw RemoteError(error)
        }
    }

    // MARK: Listing

    /// The first page of a folder.
    package func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        try await list(folder, recursive: recursive, includesDeleted: false)
    }

    func list(
        _ folder: RemotePath, recursive: Bool, includesDeleted: Bool
    ) async throws(RemoteError) -> RemotePage {
        let mounted = try await mountedFolder()
        let position = template.position(isFeed: recursive && !includesDeleted)
        let size = pageSize.current
        let argument = Files.ListFolderArg(
            path: serverPath(folder), recursive: recursive, includeDeleted: includesDeleted,
            limit: size, includePropertyGroups: position.filter)
        let listing: TolerantListing
        do {
            listing = try await client.call(
                TolerantListing.listFolder, argument, options: .interactive)
        } catch {
            if case .templateError? = error.routeError, !position.templates.isEmpty {
                template.forget(position.templates)
                return try await list(
                    folder, recursive: recursive, includesDeleted: includesDeleted)
            }
            if error.isTooLarge, shrinkPages(from: size) {
                return try await list(
                    folder, recursive: recursive, includesDeleted: includesDeleted)
            }
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound || mapped == .notAFolder { try await confirm(mounted) }
            throw mapped
        }
        let (page, isRootTold) = try page(listing, after: nil, at: position, in: mounted)
        if isRootTold, !includesDeleted {
            // Another folder is at the path, unless the mounted one has come back since.
            try await confirm(mounted)
            throw .cursorReset
        }
        if position.isFeed, await findsFacts(like: page.entries, besides: position) {
            return try await list(folder, recursive: recursive, includesDeleted: includesDeleted)
        }
        return page
    }

    /// The next page of a listing or delta. After one with more bytes than are accepted, the
    /// listing has to begin anew: a cursor keeps the size of pages that it began with.
    package func list(after cursor: Core.Cursor) async throws(RemoteError) -> RemotePage {
        let mounted = try await mountedFolder()
        var position = FeedPosition(cursor)
        template.resume(position.templates)
        // With facts shared again, the feed begins anew: it was not read for them in between.
        if !template.isShared, position.isFeed { position.templates = [] }
        // The feed of a cursor without the template never tells of facts.
        if !template.isCovered(by: position) { throw .cursorReset }
        let argument = Files.ListFolderContinueArg(cursor: position.cursor)
        let size = pageSize.current
        let listing: TolerantListing
        do {
            listing = try await nextPage(argument)
        } catch {
            if error.isAboutCursor { throw .cursorReset }
            if error.isTooLarge, shrinkPages(from: size) { throw .cursorReset }
            let mapped = RemoteError(error) { RemoteError($0) }
            guard mounted.isPart, mapped == .notFound || mapped == .notAFolder else {
                throw mapped
            }
            // The cursor's folder has moved. Check whether that is the mounted one.
            try await confirm(mounted)
            throw mapped
        }
        let (page, isRootTold) = try page(
            listing, after: position.cursor, at: position, in: mounted)
        if isRootTold || !page.hasMore { try await confirm(mounted) }
        // The folder was moved back or recreated: the delta lacks the deletions in between.
        if isRootTold { throw .cursorReset }
        if position.isFeed, await findsFacts(like: page.entries, besides: position) {
            throw .cursorReset
        }
        return page
    }

    /// A cursor after the current state of the account.
    package func latestCursor() async throws(RemoteError) -> Core.Cursor {
        try await latestCursor(includesDeleted: false)
    }

    func latestCursor(includesDeleted: Bool) async throws(RemoteError) -> Core.Cursor {
        try await mountedFolder()
        let position = template.position(isFeed: !includesDeleted)
        let argument = Files.ListFolderArg(
            path: serverPath(.root), recursive: true, includeDeleted: includesDeleted,
            limit: pageSize.current, includePropertyGroups: position.filter)
        let result: Files.ListFolderGetLatestCursorResult
        do {
            result = try await client.call(
                Files.listFolderGetLatestCursor, argument, options: .interactive)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try position.at(result.cursor)
    }

    /// The entry at a path. Nil for a path that Dropbox would refuse to store.
    package func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        guard let found = try await metadata(at: path) else { return nil }
        let entry = try found.reader.entry(found.metadata)
        return entry.kind == .deleted ? nil : entry
    }

    /// The metadata at a path, and the reader for it.
    func metadata(
        at path: RemotePath
    ) async throws(RemoteError) -> (metadata: Files.Metadata, reader: MetadataReader)? {
        guard path != .root else { return nil }
        let mounted = try await mountedFolder()
        let templates = template.ids
        do {
            let metadata = try await client.call(
                Files.getMetadata,
                Files.GetMetadataArg(
                    path: serverPath(path),
                    includePropertyGroups: FeedPosition.filter(of: templates)),
                options: .interactive)
            return (metadata, MetadataReader(prefix: mounted.prefix, templates: templates))
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            guard mapped == .notFound || mapped == .disallowedName else { throw mapped }
            try await confirm(mounted)
            return nil
        }
    }

    /// Also returns whether the mounted folder itself is reported as deleted or replaced.
    private func page(
        _ listing: TolerantListing, after cursor: String?, at position: FeedPosition,
        in mounted: MountedFolder
    ) throws(RemoteError) -> (page: RemotePage, isRootTold: Bool) {
        let next = try position.at(listing.cursor)
        let isEndless = ListingRules.isEndless(
            next: listing.cursor, hasMore: listing.hasMore, after: cursor)
        guard !isEndless else {
            throw .malformed("a page that leads to itself")
        }
        var page = RemotePage(entries: [], cursor: next, hasMore: listing.hasMore)
        page.entries.reserveCapacity(listing.entries.count)
        let templates = template.isShared ? position.templates : []
        let reader = MetadataReader(prefix: mounted.prefix, templates: templates)
        var isRootTold = false
        for item in listing.entries {
            switch item.metadata.map(reader.read) ?? .refused {
            case .entry(let entry): page.entries.append(entry)
            case .root(let id): isRootTold = isRootTold || id != mounted.id
            case .outside, .refused: page.refusedCount +|= 1
            }
        }
        note(refused: page.refusedCount)
        return (page, isRootTold && mounted.isPart)
    }

    /// Whether a listing that does not ask for facts has files of others, and the account has a
    /// template by now, so that the listing has to begin anew.
    private func findsFacts(
        like entries: [RemoteEntry], besides position: FeedPosition
    ) async -> Bool {
        guard template.isWorthLooking else { return false }
        let isOthers = entries.contains { entry in
            if case .file = entry.kind { !wasUploadedRecently(entry.foldedPath) } else { false }
        }
        guard isOthers else { return false }
        do throws(RemoteError) {
            try await template.look(client)
        } catch {
            log.debug("no listing of templates", metadata: ["reason": "\(error)"])
        }
        return !template.isCovered(by: position)
    }

    /// Makes the pages of new listings smaller. Returns false if they cannot be.
    private func shrinkPages(from size: UInt32) -> Bool {
        guard pageSize.shrink(from: size) else { return false }
        log.notice(
            "a page of a listing has too many bytes: asking for fewer entries",
            metadata: ["entries": "\(pageSize.current)"])
        return true
    }

    private func note(refused count: Int) {
        guard count > 0 else { return }
        refused.withLock { $0 +|= count }
        log.warning(
            "the server sent entries that cannot be shown", metadata: ["count": "\(count)"])
    }
}

/// The clock, replaceable in tests.
struct StoreClock: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
}

extension CallOptions {
    /// For calls that a process may wait for.
    static var interactive: CallOptions { .within(interactiveTimeout) }

    /// How long processes wait for a server that asks for a pause, or does not respond.
    static var interactiveTimeout: Duration { .seconds(60) }

    /// For changes of names. Moves and deletes of large folders take the server long.
    static var change: CallOptions {
        CallOptions(deadline: .now.advanced(by: .seconds(300)), isSafeToRepeat: true)
    }

    /// For a download of `bytes` over a link of at least 16 KiB a second. A body that stalls is
    /// requested again soon from where it stopped, because a process may wait for it; pauses do not
    /// count as slowness.
    static func download(bytes: Int64) -> CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(clamping: bytes >> 14))
                .advanced(by: interactiveTimeout),
            timeouts: TransferTimeouts(stall: .seconds(10)),
            pauseDeadline: .now.advanced(by: interactiveTimeout))
    }

    /// For an upload of `bytes` over a link of at least 4 KiB a second: no process waits for an
    /// upload, and giving up wastes the bytes sent.
    static func upload(bytes: Int64) -> CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(clamping: 900 +| bytes >> 12)),
            isSafeToRepeat: true)
    }

    /// For the commit of a session: rclone has seen commits of very large files take more than two
    /// minutes (rclone/rclone#2158, #5008).
    static var commit: CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(1800)), isSafeToRepeat: true,
            timeouts: TransferTimeouts(response: .seconds(900)))
    }
}
