// A cloud in memory, behind the protocol that the Dropbox implementation has too. Only a shell:
// Dropbox's rules are in `InMemoryTree`, `InMemoryListing` and `InMemorySession`.

package import Core
package import RemoteStore
import Synchronization

/// An account in memory, with Dropbox's rules. Deterministic: ids and revisions are counted.
package final class InMemoryStore: RemoteStoring {
    struct State {
        var tree: InMemoryTree
        var epoch = 0
        /// Number of changes of the root, and of those reflected by `root`.
        var rootChanges = (happened: 0, known: 0)
        /// Entries that a client may move at once, the moved one counted.
        var moveLimit: Int
        var sessions: [String: InMemorySession] = [:]
        var sessionCount = 0
        var receivedBytes = 0
        /// Each is resumed with whether its timeout has passed.
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var waiterCount = 0
    }

    /// Held for memory accesses only. No other lock is taken under it.
    let state: Mutex<State>
    private let pageSize: Int
    /// Whether changes by id are applied by path, as with a service that refuses ids.
    private let refusesIDs: Bool
    private let compaction: LogCompaction
    let now: @Sendable () -> WallTime

    /// Makes an empty account with a quota, a page size, a rule for folding names, and a limit of
    /// entries moved at once.
    package init(
        allocated: Int64 = 1 << 40, pageSize: Int = 2000, refusesIDs: Bool = false,
        folding: NameFolding = .scalar, compaction: LogCompaction = .none, moveLimit: Int = 10_000,
        keepsFacts: Bool = false,
        now: @escaping @Sendable () -> WallTime = { WallTime(seconds: 1_700_000_000) }
    ) {
        state = Mutex(
            State(
                tree: InMemoryTree(quota: allocated, folding: folding, keepsFacts: keepsFacts),
                moveLimit: moveLimit))
        self.pageSize = pageSize
        self.refusesIDs = refusesIDs
        self.compaction = compaction
        self.now = now
    }

    // MARK: Events on demand of tests

    /// Makes all existing cursors expire.
    package func resetCursors() {
        state.withLock { $0.epoch += 1 }
        resumeWaiters(isTimeOver: false)
    }

    /// Replaces the tree by another, empty one, as when a user changes teams. `root` returns its
    /// name after `refreshRoot`.
    package func changeRoot() {
        state.withLock { state in
            state.tree = InMemoryTree(
                quota: state.tree.quota, folding: state.tree.folding,
                keepsFacts: state.tree.facts != nil, after: state.tree)
            state.epoch += 1
            state.sessions = [:]
            state.rootChanges.happened += 1
        }
        resumeWaiters(isTimeOver: false)
    }

    /// Makes all upload sessions expire.
    package func expireSessions() {
        state.withLock { $0.sessions = [:] }
    }

    /// Ends all longpolls with a timeout.
    package func expireWaits() {
        resumeWaiters(isTimeOver: true)
    }

    /// The bytes of any revision, old or new.
    package func content(of revision: Revision) -> [UInt8]? {
        state.withLock { $0.tree.contents[revision] }
    }

    /// Content bytes received by uploads.
    package var receivedBytes: Int { state.withLock { $0.receivedBytes } }

    /// Number of calls that wait for a change.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Account

    /// Returns a fixed account.
    package func account() async throws(RemoteError) -> RemoteAccount {
        RemoteAccount(
            id: "dbid:memory", displayName: "In Memory", email: "memory@example.com",
            rootNamespace: "1")
    }

    /// The name of the current tree.
    package var root: String { state.withLock { "memory:\($0.rootChanges.known)" } }

    /// Updates `root` to the current tree.
    package func refreshRoot() async throws(RemoteError) {
        state.withLock { $0.rootChanges.known = $0.rootChanges.happened }
    }

    /// The sum of all file sizes, and the quota.
    package func space() async throws(RemoteError) -> RemoteSpace {
        state.withLock {
            RemoteSpace(used: $0.tree.used, allocated: $0.tree.quota, isPersonal: true)
        }
    }

    // MARK: Listing

    /// The first page of a folder.
    package func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        try state.withLock { (state) throws(RemoteError) in
            var listing = InMemoryListing(
                epoch: state.epoch, folder: state.tree.foldedPath(of: folder),
                isRecursive: recursive,
                change: state.tree.log.count)
            return try listing.page(of: state.tree, size: pageSize)
        }
    }

    /// The next page of a listing or delta.
    package func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try state.withLock { (state) throws(RemoteError) in
            guard var listing = InMemoryListing(cursor), listing.epoch == state.epoch else {
                throw .cursorReset
            }
            return try listing.page(of: state.tree, size: pageSize, compaction: compaction)
        }
    }

    /// A cursor after the current state.
    package func latestCursor() async throws(RemoteError) -> Cursor {
        state.withLock { state in
            var listing = InMemoryListing(
                epoch: state.epoch, folder: .root, isRecursive: true, change: state.tree.log.count)
            listing.last = nil
            return listing.cursor
        }
    }

    /// Waits for a change. `expireWaits` ends the timeout, so that tests need no clock.
    package func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        guard let listing = InMemoryListing(cursor) else { throw .cursorReset }
        while true {
            let hasChanges = try state.withLock { (state) throws(RemoteError) in
                guard listing.epoch == state.epoch else { throw .cursorReset }
                return listing.hasChanges(in: state.tree)
            }
            if hasChanges { return RemoteChange(hasChanges: true) }
            let isTimeOver = await sleepUntilChange(after: listing)
            if Task.isCancelled { throw .cancelled }
            if isTimeOver { return RemoteChange(hasChanges: false) }
        }
    }

    /// Returns whether the timeout has passed; false when there may be a change.
    private func sleepUntilChange(after listing: InMemoryListing) async -> Bool {
        let ticket = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Checked again under the lock that changes hold when they wake waiters: none
                    // is missed.
                    if state.epoch != listing.epoch || listing.hasChanges(in: state.tree)
                        || Task.isCancelled
                    {
                        return true
                    }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: false)
        }
    }

    private func resumeWaiters(isTimeOver: Bool) {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: isTimeOver) }
    }

    /// The entry at a path.
    package func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        state.withLock { state in state.tree.item(at: path).map { state.tree.entry(of: $0) } }
    }

    /// The entry with an id.
    package func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        state.withLock { state in state.tree.item(id: id).map { state.tree.entry(of: $0) } }
    }

    // MARK: Content

    /// The bytes of any revision, old or new, in pieces of 64 KiB.
    package func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        guard let bytes = state.withLock({ $0.tree.contents[revision] }) else { throw .notFound }
        guard !range.isEmpty, (0..<Int64(bytes.count)).contains(range.lowerBound),
            range.upperBound <= Int64(bytes.count)
        else { throw .malformed("the revision has \(bytes.count) bytes; asked for \(range)") }
        return BytesStream(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// Uploads content in one call.
    package func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let bytes = try source.bytes(0..<source.size)
        state.withLock { $0.receivedBytes += bytes.count }
        return try store(bytes, commit)
    }

    /// Starts an upload session.
    package func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        state.withLock { state in
            state.sessionCount += 1
            let id = "session\(state.sessionCount)"
            state.sessions[id] = InMemorySession(isConcurrent: concurrent)
            return UploadSession(id: id, isConcurrent: concurrent)
        }
    }

    /// Appends a piece to a session.
    package func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        let bytes = try source.bytes(range)
        try state.withLock { (state) throws(RemoteError) in
            state.receivedBytes += bytes.count
            guard var known = state.sessions[session.id] else { throw .sessionLost }
            try known.append(bytes, at: range.lowerBound, closes: closes)
            state.sessions[session.id] = known
        }
    }

    /// Commits a session. The session stays if the commit is refused.
    package func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        guard let known = state.withLock({ $0.sessions[session.id] }) else {
            return try finished(commit, size)
        }
        let entry = try store(try known.content(size: size), commit)
        state.withLock { $0.sessions[session.id] = nil }
        return entry
    }

    /// The file of a session that is gone because this commit was applied before.
    private func finished(
        _ commit: RemoteCommit, _ size: Int64
    ) throws(RemoteError) -> RemoteEntry {
        try state.withLock { (state) throws(RemoteError) in
            guard let item = state.tree.item(at: commit.path), let hash = commit.hash,
                item.file?.hash == hash, item.file?.size == size
            else { throw .sessionLost }
            return state.tree.entry(of: item)
        }
    }

    // MARK: Namespace

    /// Creates a folder at a path.
    package func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try change { (tree) throws(RemoteError) in
            try tree.checkRights(toPutAt: path)
            return try tree.makeFolder(at: path)
        }
    }

    /// Deletes a file or a folder.
    package func delete(
        _ node: RemoteReference, revision: Revision?
    ) async throws(RemoteError) {
        try change { (tree) throws(RemoteError) in
            let path = try path(of: node, in: tree, isGuarded: revision != nil)
            try tree.checkRights(toRemove: path)
            try tree.delete(path, revision: revision)
        }
    }

    /// Moves to a free path, unless the node with the id is there already.
    package func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let limit = state.withLock { $0.moveLimit }
        return try change { (tree) throws(RemoteError) in
            if let id = node.id, let there = tree.item(at: target), there.id == id,
                there.name.string == target.components.last.map(Folding.compose)
            {
                return tree.entry(of: there)
            }
            let path = try path(of: node, in: tree)
            try tree.checkRights(toRemove: path)
            try tree.checkRights(toPutAt: target)
            return try tree.move(path, to: target, limit: limit)
        }
    }

    /// Copies to a free path.
    package func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let time = now()
        return try change { (tree) throws(RemoteError) in
            let path = try path(of: source, in: tree)
            try tree.checkRights(toPutAt: target)
            return try tree.copy(path, to: target, now: time)
        }
    }

    /// Replaces the facts of a file or folder.
    package func setFacts(
        _ facts: PosixFacts, of node: RemoteReference
    ) async throws(RemoteError) {
        try change { (tree) throws(RemoteError) in
            let path = try path(of: node, in: tree)
            try tree.checkRights(toChange: path)
            try tree.setFacts(facts, at: path)
        }
    }

    /// The path to which a change applies.
    private func path(
        of node: RemoteReference, in tree: InMemoryTree, isGuarded: Bool = false
    ) throws(RemoteError) -> RemotePath {
        guard let id = node.id else { return node.path }
        if refusesIDs && isGuarded { return node.path }
        guard let item = tree.item(id: id) else { throw .notFound }
        guard !node.isOnlyAtPath || tree.item(at: node.path)?.id == id else { throw .notFound }
        return tree.entry(of: item).foldedPath
    }

    // MARK: Parts

    func read<Value>(_ body: (InMemoryTree) -> sending Value) -> Value {
        state.withLock { body($0.tree) }
    }

    func store(
        _ bytes: [UInt8], _ commit: RemoteCommit, byOther isOther: Bool = false
    ) throws(RemoteError) -> RemoteEntry {
        let time = now()
        return try change { (tree) throws(RemoteError) in
            if !isOther { try tree.checkRights(toPutAt: commit.path) }
            return try tree.store(bytes, commit: commit, now: time)
        }
    }

    func change<Value>(
        _ body: (inout InMemoryTree) throws(RemoteError) -> sending Value
    ) throws(RemoteError) -> Value {
        let value = try state.withLock { (state) throws(RemoteError) in try body(&state.tree) }
        resumeWaiters(isTimeOver: false)
        return value
    }
}
