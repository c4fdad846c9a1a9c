// The neighbours that tests play: Sync, the read pipeline, the kernel and the clock.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging
import Synchronization

@testable import FileSystem
@testable import Sync
@testable import Tree

/// Time that moves when the test says so, and by a microsecond with each reading, so that no two
/// changes have one time.
final class ManualClock: SyncClock {
    private let time = Mutex(WallTime(seconds: 1_700_000_000))

    func now() -> WallTime {
        time.withLock { time in
            time = WallTime(nanoseconds: time.nanoseconds + 1000)
            return time
        }
    }

    func advance(seconds: Int64) {
        time.withLock { $0 = WallTime(nanoseconds: $0.nanoseconds + seconds * 1_000_000_000) }
    }

    func sleep(until time: WallTime) async throws(CancellationError) {
        throw CancellationError()
    }
}

/// Sync as a test wants it to be.
final class FakeSync: Syncing {
    struct State: Sendable {
        var isTreeComplete = true
        var isFeedHealthy = true
        var space: RemoteSpace?
        var isQuotaExceeded = false
        /// The failure of a request to the server; nil is success.
        var failure: SyncError?
        /// The content of a folder when it is listed.
        var unlisted: [InodeID: [(FileName, RemoteFacts)]] = [:]
        var listed: [InodeID] = []
        var drained: [InodeID] = []
        var noteCount = 0
        var grown: [InodeID] = []
        /// The places of users' changes, in order.
        var changed: [ChangedPlace] = []
    }

    let state = Mutex(State())
    private let store = Mutex<MetadataStore?>(nil)

    func attach(_ store: MetadataStore) {
        self.store.withLock { $0 = store }
    }

    func update(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    var current: State { state.withLock { $0 } }
    var isTreeComplete: Bool { current.isTreeComplete }
    var isFeedHealthy: Bool { current.isFeedHealthy }
    var space: RemoteSpace? { current.space }
    var isQuotaExceeded: Bool { current.isQuotaExceeded }

    func ensureListed(_ folder: InodeID) async throws(SyncError) {
        if Task.isCancelled { throw .remote(.cancelled) }
        if let failure = current.failure { throw failure }
        let children = state.withLock { state in
            state.listed.append(folder)
            return state.unlisted.removeValue(forKey: folder) ?? []
        }
        let store = store.withLock { $0 }
        do {
            try await store?.write { transaction in
                for (name, facts) in children {
                    _ = try transaction.insertRemote(
                        .file, at: Place(parent: folder, name: name), facts: facts)
                }
                try transaction.setFlags(.listed, true, of: folder)
            }
        } catch {
            throw SyncError(cause: error)
        }
    }

    func due(for place: ChangedPlace) -> WallTime {
        state.withLock { $0.changed.append(place) }
        return .atOnce
    }

    func noteChange() {
        state.withLock { $0.noteCount += 1 }
    }

    var host: String { "here" }

    func noteReturn(of file: ReturnedFile) {}

    func noteGrowth(of inode: InodeID) {
        state.withLock { $0.grown.append(inode) }
    }

    func drain(_ inode: InodeID) async throws(SyncError) {
        if let failure = current.failure { throw failure }
        state.withLock { $0.drained.append(inode) }
    }

    func drainPlaces(of inodes: [InodeID]) async throws(SyncError) {
        for inode in inodes { try await drain(inode) }
    }
}

/// Content of revisions, some of it cached.
final class FakeContent: ContentReading {
    struct State {
        var contents: [Revision: [UInt8]] = [:]
        var cached: Set<Revision> = []
        var next = 1
        var failure: RemoteError?
        var fetched: [Range<Int64>] = []
    }

    let state = Mutex(State())

    /// Makes a new revision, of a new file unless `id` says which one.
    func add(
        _ bytes: [UInt8], id: FileID? = nil, isCached: Bool = true, flags: NodeFlags = []
    ) -> RemoteFacts {
        state.withLock { state in
            let number = state.next
            state.next += 1
            let revision = Revision("rev\(number)")
            state.contents[revision] = bytes
            if isCached { state.cached.insert(revision) }
            let isDocument = flags.contains(.notDownloadable)
            return RemoteFacts(
                id: id ?? FileID("id:\(number)"), revision: revision, size: Int64(bytes.count),
                hash: isDocument ? nil : ContentHasher.hash(bytes),
                clientModified: WallTime(seconds: 1_600_000_000),
                serverModified: WallTime(seconds: 1_600_000_100), flags: flags)
        }
    }

    func folderFacts() -> RemoteFacts {
        state.withLock { state in
            state.next += 1
            return RemoteFacts(id: FileID("id:\(state.next - 1)"))
        }
    }

    func update(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    var fetched: [Range<Int64>] { state.withLock { $0.fetched } }

    /// All bytes of staged content, as an upload would send them.
    func bytes(of staged: StagedFile) throws -> [UInt8] {
        switch try staged.read(at: 0, count: Int(staged.size)) {
        case .retired: return []
        case .bytes(let bytes): return bytes
        case .mixed(let segments):
            return segments.flatMap { segment -> [UInt8] in
                switch segment {
                case .bytes(let bytes): return bytes
                case .zeros(let count): return [UInt8](repeating: 0, count: count)
                case .base(let range):
                    guard let revision = staged.base?.revision else { return [] }
                    return slice(of: revision, range) ?? []
                }
            }
        }
    }

    private func slice(of revision: Revision, _ range: Range<Int64>) -> [UInt8]? {
        state.withLock { state in
            state.contents[revision].map {
                Array($0[Int(range.lowerBound)..<Int(range.upperBound)])
            }
        }
    }

    func isCached(_ content: FileVersion) -> Bool {
        state.withLock { $0.cached.contains(content.revision) }
    }

    func cachedBytes(of content: FileVersion, range: Range<Int64>) -> [UInt8]? {
        guard state.withLock({ $0.cached.contains(content.revision) }) else { return nil }
        return slice(of: content.revision, range)
    }

    func bytes(
        of content: FileVersion, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.fetched.append(range) }
        guard let bytes = slice(of: content.revision, range) else { throw .notFound }
        return bytes
    }
}

/// The invalidations that the kernel has got.
final class RecordingKernel: KernelInvalidating {
    enum Call: Hashable, Sendable {
        case entry(String, InodeID)
        case deleted(String, InodeID, InodeID)
        case inode(InodeID, content: Bool)
        case listing(InodeID)
    }

    private let recorded = Mutex<[Call]>([])

    var calls: [Call] { recorded.withLock { $0 } }

    func invalidateEntry(_ name: FileName, in parent: InodeID) {
        recorded.withLock { $0.append(.entry(name.string, parent)) }
    }

    func invalidateDeletedEntry(_ name: FileName, of child: InodeID, in parent: InodeID) {
        recorded.withLock { $0.append(.deleted(name.string, child, parent)) }
    }

    func invalidateInode(_ inode: InodeID, content: Bool) {
        recorded.withLock { $0.append(.inode(inode, content: content)) }
    }

    func invalidateListing(of folder: InodeID) {
        recorded.withLock { $0.append(.listing(folder)) }
    }

    func settle(within limit: Duration) -> Bool { true }
}
