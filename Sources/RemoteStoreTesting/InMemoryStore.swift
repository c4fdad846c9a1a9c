// A cloud in memory, behind the protocol that the Dropbox implementation has too.

import ContentHashing
public import Core
public import RemoteStore
import Synchronization

/// An account in memory, with Dropbox's rules. Deterministic: ids and revisions are counted.
public final class InMemoryStore: RemoteStoring {
    private struct State {
        var tree = InMemoryTree()
        var epoch = 0
        var sessions: [String: Session] = [:]
        var nextSession = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private struct Session {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let allocated: Int64
    private let pageSize: Int
    private let now: @Sendable () -> Timestamp

    /// Makes an empty account of so many bytes, whose pages hold so many entries.
    public init(
        allocated: Int64 = 1 << 40, pageSize: Int = 2000,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(seconds: 1_700_000_000) }
    ) {
        self.allocated = allocated
        self.pageSize = pageSize
        self.now = now
    }

    /// Makes all cursors given so far expire.
    public func resetCursors() {
        state.withLock { $0.epoch += 1 }
        wakeWaiters()
    }

    // MARK: Account

    /// A fixed account.
    public func account() async throws(RemoteError) -> RemoteAccount {
        RemoteAccount(
            id: "dbid:memory", displayName: "In Memory", email: "memory@example.com",
            rootNamespace: "1")
    }

    /// Bytes of all files, and the allocation given at the start.
    public func space() async throws(RemoteError) -> RemoteSpace {
        RemoteSpace(used: state.withLock { $0.tree.used }, allocated: allocated)
    }

    // MARK: Listing

    /// The first page of a folder.
    public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        try state.withLock { (state) throws(RemoteError) in
            guard let item = state.tree.item(at: folder) else { throw .notFound }
            guard item.file == nil else { throw .notAFolder }
            let entries = state.tree.entries(in: item, recursive: recursive)
            // Pages of a listing continue by position, and changes that come meanwhile follow them.
            let all = ListingCursor(
                epoch: state.epoch, folder: Folding.fold(folder.rawValue), recursive: recursive,
                position: min(pageSize, entries.count), log: state.tree.log.count,
                isListing: entries.count > pageSize)
            return RemotePage(
                entries: Array(entries.prefix(pageSize)), cursor: all.cursor,
                hasMore: all.isListing)
        }
    }

    /// The next page or delta.
    public func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try state.withLock { (state) throws(RemoteError) in
            guard var place = ListingCursor(cursor), place.epoch == state.epoch else {
                throw .cursorReset
            }
            if place.isListing {
                guard let item = state.tree.item(at: RemotePath(rawValue: place.folder)) else {
                    throw .notFound
                }
                let entries = state.tree.entries(in: item, recursive: place.recursive)
                let page = entries.dropFirst(place.position).prefix(pageSize)
                place.position += page.count
                place.isListing = place.position < entries.count
                return RemotePage(
                    entries: Array(page), cursor: place.cursor, hasMore: place.isListing)
            }
            let page = state.tree.log.dropFirst(place.log).prefix(pageSize)
            place.log += page.count
            return RemotePage(
                entries: page.filter(place.covers), cursor: place.cursor,
                hasMore: place.log < state.tree.log.count)
        }
    }

    /// Waits until the log has grown past the cursor.
    public func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        guard let place = ListingCursor(cursor) else { throw .cursorReset }
        while !Task.isCancelled {
            let isNews = state.withLock {
                $0.epoch != place.epoch || $0.tree.log.count > place.log || place.isListing
            }
            if isNews { return RemoteChange(hasChanges: true) }
            let ticket = state.withLock { state in
                state.nextWaiter += 1
                return state.nextWaiter
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        if state.tree.log.count > place.log || state.epoch != place.epoch
                            || Task.isCancelled
                        {
                            return true
                        }
                        state.waiters[ticket] = continuation
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
            }
        }
        throw .cancelled
    }

    /// What is at a path.
    public func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        state.withLock { state in state.tree.item(at: path).map { state.tree.entry(of: $0) } }
    }

    // MARK: Content

    /// The bytes of any revision that ever was.
    public func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        guard let bytes = state.withLock({ $0.tree.contents[revision] }),
            range.upperBound <= Int64(bytes.count)
        else { throw .notFound }
        return ByteStream(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// Stores content in one call.
    public func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let bytes = try Self.bytes(of: source, 0..<source.size)
        return try store(bytes, commit)
    }

    /// Opens a session.
    public func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        state.withLock { state in
            state.nextSession += 1
            let id = "session\(state.nextSession)"
            state.sessions[id] = Session()
            return UploadSession(id: id, isConcurrent: concurrent)
        }
    }

    /// Adds a piece.
    public func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        let bytes = try Self.bytes(of: source, range)
        try state.withLock { (state) throws(RemoteError) in
            guard var known = state.sessions[session.id] else { throw .sessionLost }
            let end = Int(range.upperBound)
            if known.bytes.count < end {
                known.bytes += [UInt8](repeating: 0, count: end - known.bytes.count)
            }
            known.bytes.replaceSubrange(Int(range.lowerBound)..<end, with: bytes)
            known.isClosed = known.isClosed || closes
            state.sessions[session.id] = known
        }
    }

    /// Makes a session's bytes a file.
    public func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let known = state.withLock { $0.sessions[session.id] }
        guard let known, known.isClosed, Int64(known.bytes.count) == size else {
            throw .sessionLost
        }
        let entry = try store(known.bytes, commit)
        state.withLock { $0.sessions[session.id] = nil }
        return entry
    }

    // MARK: Namespace

    /// Makes a folder.
    public func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try change { (tree) throws(RemoteError) in try tree.makeFolder(at: path) }
    }

    /// Deletes a file or a folder.
    public func delete(_ path: RemotePath, revision: Revision?) async throws(RemoteError) {
        try change { (tree) throws(RemoteError) in try tree.delete(path, revision: revision) }
    }

    /// Moves to a free place.
    public func move(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try change { (tree) throws(RemoteError) in try tree.move(path, to: target) }
    }

    /// Copies to a free place.
    public func copy(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let time = now()
        return try change { (tree) throws(RemoteError) in
            try tree.copy(path, to: target, now: time)
        }
    }

    // MARK: Parts

    private func store(
        _ bytes: [UInt8], _ commit: RemoteCommit
    ) throws(RemoteError) -> RemoteEntry {
        let time = now()
        let room = allocated
        return try change { (tree) throws(RemoteError) in
            guard tree.used + Int64(bytes.count) <= room else { throw .insufficientSpace }
            return try tree.store(bytes, commit: commit, now: time)
        }
    }

    private func change<Value>(
        _ body: (inout InMemoryTree) throws(RemoteError) -> sending Value
    ) throws(RemoteError) -> Value {
        let value = try state.withLock { (state) throws(RemoteError) in try body(&state.tree) }
        wakeWaiters()
        return value
    }

    private func wakeWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    private static func bytes(
        of source: any UploadSource, _ range: Range<Int64>
    ) throws(RemoteError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let start = done
            let count = bytes.withUnsafeMutableBytes { buffer in
                (try? source.read(
                    at: range.lowerBound + Int64(start),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))) ?? 0
            }
            guard count > 0 else { throw .cancelled }
            done += count
        }
        return bytes
    }
}

/// Where a listing or a stream of changes goes on.
private struct ListingCursor {
    var epoch: Int
    var folder: String
    var recursive: Bool
    var position: Int
    var log: Int
    var isListing: Bool

    init(
        epoch: Int, folder: String, recursive: Bool, position: Int, log: Int, isListing: Bool
    ) {
        self.epoch = epoch
        self.folder = folder
        self.recursive = recursive
        self.position = position
        self.log = log
        self.isListing = isListing
    }

    init?(_ cursor: Cursor) {
        let parts = cursor.rawValue.split(
            separator: "|", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, let epoch = Int(parts[0]), let position = Int(parts[2]),
            let log = Int(parts[3])
        else { return nil }
        self.init(
            epoch: epoch, folder: String(parts[5]), recursive: parts[1] == "r",
            position: position, log: log, isListing: parts[4] == "l")
    }

    var cursor: Cursor {
        Cursor(
            "\(epoch)|\(recursive ? "r" : "f")|\(position)|\(log)|\(isListing ? "l" : "c")|\(folder)"
        )
    }

    func covers(_ entry: RemoteEntry) -> Bool {
        let path = entry.foldedPath.rawValue
        guard path.hasPrefix(folder + "/") else { return false }
        return recursive || !path.dropFirst(folder.count + 1).contains("/")
    }
}

/// Pieces of 64 KiB.
private final class ByteStream: RemoteByteStream {
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = Mutex(bytes)
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        rest.withLock { rest in
            let piece = rest.prefix(65_536)
            rest = rest.dropFirst(piece.count)
            return piece.isEmpty ? nil : Array(piece)
        }
    }
}
