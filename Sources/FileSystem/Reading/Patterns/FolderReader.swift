// Fetches the files of a folder at once, when they are being read one after the other.
// `FolderPattern` recognises that; the bytes go into the cache, where the read pipeline finds them.

import Blocking
package import BlockCache
package import ContentHashing
package import Core
package import Logging
package import MetadataStore
package import RemoteStore
import Saturating
import Sync

/// Fetches whole folders of small files.
package actor FolderReader {
    /// Files up to this size count as small: larger ones are worth a request of their own.
    static let smallSize: Int64 = 1 << 20
    /// Entries below a folder: the server packs fewer than 10,000 (`files/download_zip`).
    private static let entryLimit = 9_000
    /// Folders that are fetched at a time.
    private static let concurrency = 2
    /// Seconds until a folder that failed is fetched again, and until any folder is after a slow
    /// one.
    private static let retryDelay = 60.0

    private struct Plan {
        var folder: InodeID
        var parent: InodeID?
        var path: RemotePath
        /// Bytes of all files below.
        var bytes: Int64
        /// Sizes of the contents that are not cached, by hash.
        var wanted: [ContentHash: Int64]
    }

    private let store: MetadataStore
    private let cache: DiskBlockCache
    private let remote: any RemoteStoring
    private let log: Logger
    private let now: @Sendable () -> WallTime
    private let disk = DiskQueue(label: "dbxfs.folders")

    private var pattern = FolderPattern()
    /// Folders that are being fetched, or are about to be.
    private var busy: Set<InodeID> = []
    /// The contents in flight, and the readers that wait for them.
    private var waiters: [ContentHash: [Int: CheckedContinuation<Void, Never>]] = [:]
    private var nextWaiter = 0
    private var tried: [InodeID: WallTime] = [:]
    private var slowSince: WallTime?
    /// Whether a content is worth caching, among those of a folder.
    private let isWanted: @Sendable (ContentHash) -> Bool
    /// How long readers wait without progress: a server may take long to pack a folder, and a
    /// single file would take one round trip.
    private let progressTimeout: Duration
    /// Gets the folders from which files were fetched.
    private let noteFetched: @Sendable (InodeID) -> Void

    /// Connects the parts. A folder is fetched only if at least half of its bytes are wanted.
    package init(
        store: MetadataStore, cache: DiskBlockCache, remote: any RemoteStoring, log: Logger,
        progressTimeout: Duration = .seconds(2),
        now: @escaping @Sendable () -> WallTime = { .now() },
        isWanted: @escaping @Sendable (ContentHash) -> Bool = { _ in true },
        noteFetched: @escaping @Sendable (InodeID) -> Void = { _ in }
    ) {
        self.store = store
        self.cache = cache
        self.remote = remote
        self.log = log
        self.progressTimeout = progressTimeout
        self.now = now
        self.isWanted = isWanted
        self.noteFetched = noteFetched
    }

    /// Called before a small file is fetched. Returns when its folder has brought it, or at once if
    /// its folder is not fetched; the reader then checks the cache.
    func prepare(_ content: FileVersion, of inode: InodeID) async {
        guard content.size <= Self.smallSize, content.size > 0 else { return }
        if waiters[content.hash] == nil {
            guard let plan = await plan(for: content, of: inode) else { return }
            for hash in plan.wanted.keys where waiters[hash] == nil { waiters[hash] = [:] }
            Task { await fetch(plan) }
        }
        await arrival(of: content.hash)
    }

    // MARK: Deciding

    private func plan(for content: FileVersion, of inode: InodeID) async -> Plan? {
        let location = await disk.run { [store] () -> FolderPattern.Location? in
            try? store.read { snapshot in
                guard let folder = try snapshot.node(inode)?.place?.parent else { return nil }
                return .init(folder: folder, parent: try snapshot.node(folder)?.place?.parent)
            }
        }
        guard let location else { return nil }
        let candidates = pattern.note(inode, content.size, at: location, now: now())
        if isRecent(slowSince) { return nil }
        for candidate in candidates where busy.count < Self.concurrency {
            guard !busy.contains(candidate.folder), !isRecent(tried[candidate.folder]) else {
                continue
            }
            busy.insert(candidate.folder)
            let budget = min(candidate.budget, cache.limit / 4)
            let plan = await disk.run { [store, cache, isWanted] in
                try? store.read { snapshot in
                    try Self.plan(candidate.folder, budget: budget, cache, isWanted, snapshot)
                }
            }
            if let plan = plan.flatMap({ $0 }), plan.wanted[content.hash] != nil { return plan }
            busy.remove(candidate.folder)
        }
        return nil
    }

    private func isRecent(_ time: WallTime?) -> Bool {
        time.map { now().seconds(since: $0) < Self.retryDelay } ?? false
    }

    /// The plan to fetch a folder; nil unless it is within the budget and mostly wanted.
    private static func plan(
        _ folder: InodeID, budget: Int64, _ cache: DiskBlockCache,
        _ isWanted: (ContentHash) -> Bool, _ snapshot: Snapshot
    ) throws -> Plan? {
        guard let path = try snapshot.remotePath(of: folder), folder != .root,
            let contents = try snapshot.contents(below: folder, limit: entryLimit)
        else { return nil }
        let bytes = contents.reduce(0) { $0 +| $1.size }
        guard bytes <= budget else { return nil }
        var wanted: [ContentHash: Int64] = [:]
        for (hash, size) in contents
        where size > 0 && size <= DiskBlockCache.blockSize && isWanted(hash)
            && !cache.contains(hash, size: size, range: 0..<size)
        {
            wanted[hash] = size
        }
        let missing = wanted.values.reduce(0, +|)
        guard wanted.count > 2, missing >= bytes -| bytes / 2 else { return nil }
        return Plan(
            folder: folder, parent: try snapshot.node(folder)?.place?.parent,
            path: RemotePath(rawValue: path), bytes: bytes, wanted: wanted)
    }

    // MARK: Fetching

    private func fetch(_ plan: Plan) async {
        var rest = Set(plan.wanted.keys)
        var watch = expectProgress(of: plan)
        do throws(RemoteError) {
            let archive = try await remote.archive(of: plan.path, bytes: plan.bytes)
            while !rest.isEmpty, let files = try await archive.next() {
                let hashes = await disk.run { [cache] in
                    files.compactMap { Self.keep($0, plan.wanted, in: cache) }
                }
                let arrived = hashes.filter { rest.remove($0) != nil }
                // Unwanted files are no progress.
                if arrived.isEmpty { continue }
                for hash in arrived { release(hash) }
                watch.cancel()
                watch = expectProgress(of: plan)
            }
            pattern.noteFetched(
                .init(folder: plan.folder, parent: plan.parent), bytes: plan.bytes)
        } catch {
            log.debug(
                "a folder was not fetched as a whole",
                metadata: ["folder": "\(plan.folder)", "error": "\(error)"])
        }
        watch.cancel()
        if rest.count < plan.wanted.count { noteFetched(plan.folder) }
        for hash in rest { release(hash) }
        tried = tried.filter { isRecent($0.value) }
        tried[plan.folder] = now()
        busy.remove(plan.folder)
    }

    /// Releases the waiting readers after a time without progress. Later bytes are cached all the
    /// same.
    private func expectProgress(of plan: Plan) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(for: progressTimeout)) != nil else { return }
            slowSince = now()
            for hash in plan.wanted.keys { release(hash) }
        }
    }

    /// Caches a wanted file, which is identified by its hash.
    private static func keep(
        _ bytes: [UInt8], _ wanted: [ContentHash: Int64], in cache: DiskBlockCache
    ) -> ContentHash? {
        let hash = ContentHasher.hash(bytes)
        guard let size = wanted[hash], size == bytes.count else { return nil }
        _ = cache.insert(block: 0, of: hash, size: size, bytes: bytes, unused: true)
        return hash
    }

    // MARK: Waiting

    private func release(_ hash: ContentHash) {
        for waiter in waiters.removeValue(forKey: hash)?.values ?? [:].values { waiter.resume() }
    }

    private func arrival(of hash: ContentHash) async {
        nextWaiter +|= 1
        let ticket = nextWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard waiters[hash] != nil, !Task.isCancelled else { return continuation.resume() }
                waiters[hash]?[ticket] = continuation
            }
        } onCancel: {
            Task { await self.leave(hash, ticket) }
        }
    }

    /// An interrupted waiter returns at once.
    private func leave(_ hash: ContentHash, _ ticket: Int) {
        waiters[hash]?.removeValue(forKey: ticket)?.resume()
    }
}
