// Thumbnails of Dropbox's own for folders that a file manager shows: so that it finds one for each
// picture that is not cached, and has none fetched. Bounded, and apart from requests: a listing
// never waits for it. Not responsible for which files get one (`ThumbnailWish`), nor for programs
// that make thumbnails themselves, which are refused uncached content.

package import Blocking
import Core
package import Logging
package import MetadataStore
package import RemoteStore
import Saturating
package import Sync
import Synchronization

/// Puts thumbnails into the cache of the user's desktop, one folder after the other.
package final class FolderThumbnails: Sendable {
    /// Folders that wait at most; further visits push the oldest out, because its window may be
    /// gone.
    private static let mostWaiting = 16
    /// Thumbnails for one visit. File managers also open folders to count their entries.
    private static let mostWishes = 2000
    /// Entries of a folder that are read in one piece.
    private static let pieceSize = 500
    /// Refusals that are remembered.
    private static let mostRefused = 20_000
    /// Seconds without a request after one that failed.
    private static let pauseAfterFailure = 60.0

    private struct Visit: Hashable {
        let folder: InodeID
        let size: RemoteThumbnail.Size
    }

    /// A thumbnail that is asked for.
    private struct Request {
        let wish: ThumbnailWish
        let name: ThumbnailName
    }

    private struct State {
        var waiting: [Visit] = []
        var task: Task<Void, Never>?
        var isEnded = false
        var resumption: ContinuousClock.Instant?
        /// The revisions of which Dropbox makes no thumbnail.
        var refused: [InodeID: Revision] = [:]
    }

    private let store: MetadataStore
    private let sync: any Syncing
    private let reader: any ContentReading
    private let remote: any RemoteThumbnailing
    private let cache: ThumbnailCache
    private let mountpoint: [UInt8]
    private let userID: UInt32
    private let isOnline: @Sendable () -> Bool
    private let disk: DiskQueue
    private let log: Logger
    /// A leaf: no other lock is taken under it.
    private let state = Mutex(State())

    /// Serves a mount of a user. `isOnline` says whether the server may be asked now.
    package init(
        store: MetadataStore, sync: any Syncing, reader: any ContentReading,
        remote: any RemoteThumbnailing, cache: ThumbnailCache, mountpoint: String,
        userID: UInt32, isOnline: @escaping @Sendable () -> Bool,
        disk: DiskQueue = DiskQueue(label: "dbxfs.thumbnails"), log: Logger
    ) {
        self.store = store
        self.sync = sync
        self.reader = reader
        self.remote = remote
        self.cache = cache
        self.mountpoint = Array(mountpoint.utf8)
        self.userID = userID
        self.isOnline = isOnline
        self.disk = disk
        self.log = log
    }

    /// Whether thumbnails are made for folders that a user's programs open: the cache belongs to
    /// the user of the mount.
    func serves(_ userID: UInt32) -> Bool { userID == self.userID }

    /// Notes that a program has opened a folder. Returns at once.
    func noteVisit(at folder: InodeID, by program: String) {
        guard let size = FileManagers.thumbnailSize(for: program), isAllowed else { return }
        let visit = Visit(folder: folder, size: size)
        state.withLock { state in
            guard !state.isEnded, !state.waiting.contains(visit) else { return }
            if state.waiting.count >= Self.mostWaiting { state.waiting.removeFirst() }
            state.waiting.append(visit)
            if state.task == nil { state.task = Task { await self.run() } }
        }
    }

    /// Ends the work, and returns when nothing of it runs.
    package func stop() async {
        let task = state.withLock { state in
            state.isEnded = true
            state.waiting = []
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    /// Returns when all folders that wait now are done.
    func waitUntilIdle() async {
        await state.withLock { $0.task }?.value
    }

    // MARK: Work

    private var isAllowed: Bool {
        guard isOnline() else { return false }
        return state.withLock { state in
            state.resumption.map { $0 <= .now } ?? true
        }
    }

    private func run() async {
        while let visit = next() { await serve(visit) }
    }

    private func next() -> Visit? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.task = nil
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func serve(_ visit: Visit) async {
        let (cache, name) = (cache, visit.size.folderName)
        guard let folder = await disk.run({ cache.folder(name) }) else {
            log.debug("the cache of thumbnails cannot be used", metadata: ["folder": "\(name)"])
            return
        }
        // The visit may have come before the listing that it waits for.
        guard (try? await sync.ensureListed(visit.folder)) != nil else { return }
        var requests = ArraySlice(
            await disk.run { self.requests(of: visit.folder, folder) })
        while !requests.isEmpty, isAllowed, !Task.isCancelled {
            let batch = Array(requests.prefix(RemoteThumbnail.mostInRequest))
            requests = requests.dropFirst(batch.count)
            guard await fetch(batch, visit.size, into: folder) else { return }
        }
    }

    /// The thumbnails that a folder lacks. Reads the tree and the cache, so it is for a thread that
    /// may block.
    private func requests(of folder: InodeID, _ thumbnails: ThumbnailFolder) -> [Request] {
        guard let prefix = path(of: folder) else { return [] }
        var requests: [Request] = []
        var last: String?
        repeat {
            let (after, piece) = (last, Self.pieceSize)
            let nodes = try? store.read {
                try $0.childNodes(of: folder, afterFolded: after, limit: piece)
            }
            guard let nodes else { return requests }
            last = nodes.count < piece ? nil : nodes.last?.place?.name.folded
            for wish in nodes.compactMap(ThumbnailWish.init)
            where !isRefused(wish) && !reader.isCached(wish.content) {
                guard let name = ThumbnailName(path: [prefix, wish.name].flatMap(\.self)) else {
                    return []
                }
                let texts = PNGImage.texts(inBeginning: thumbnails.beginning(of: name.file))
                if !wish.isMet(by: texts, address: name.address) {
                    requests.append(Request(wish: wish, name: name))
                }
                guard requests.count < Self.mostWishes else { return requests }
            }
        } while last != nil && !state.withLock { $0.isEnded }
        return requests
    }

    /// The path of a folder as users see it, with a slash at its end; nil if it has none.
    private func path(of folder: InodeID) -> [UInt8]? {
        guard let names = try? store.read({ try $0.localPath(of: folder) }) else { return nil }
        let slash = [UInt8(ascii: "/")]
        return ([mountpoint] + names.map(\.shown)).flatMap { [$0, slash].flatMap(\.self) }
    }

    /// Fetches a batch and writes what came of it; returns whether to go on.
    private func fetch(
        _ batch: [Request], _ size: RemoteThumbnail.Size, into folder: ThumbnailFolder
    ) async -> Bool {
        let outcomes: [RemoteOutcome<[UInt8]>]
        do throws(RemoteError) {
            outcomes = try await remote.thumbnails(
                of: batch.map(\.wish.content.revision), size: size)
        } catch {
            pause(after: error)
            return false
        }
        return await disk.run {
            zip(batch, outcomes).allSatisfy { self.keep($1, for: $0, size, in: folder) }
        }
    }

    /// Writes a thumbnail, or notes that there is none; returns false if the cache takes none.
    private func keep(
        _ outcome: RemoteOutcome<[UInt8]>, for request: Request, _ size: RemoteThumbnail.Size,
        in folder: ThumbnailFolder
    ) -> Bool {
        guard case .success(let bytes) = outcome, let image = PNGImage(bytes, side: size.side)
        else {
            note(outcome, for: request.wish)
            return true
        }
        // A change that came in the meantime makes the thumbnail wrong.
        let node = try? store.read { try $0.node(request.wish.inode) }
        guard let node = node.flatMap({ $0 }), ThumbnailWish(node) == request.wish else {
            return true
        }
        let texts = request.wish.texts(address: request.name.address)
        return folder.write(image.bytes(with: texts), as: request.name.file)
    }

    // MARK: Failures

    private func isRefused(_ wish: ThumbnailWish) -> Bool {
        state.withLock { $0.refused[wish.inode] == wish.content.revision }
    }

    /// Remembers that there is no thumbnail of a revision.
    private func note(_ outcome: RemoteOutcome<[UInt8]>, for wish: ThumbnailWish) {
        let reason: String
        switch outcome {
        case .success: reason = "no PNG of that size"
        case .failure(let error): reason = "\(error)"
        }
        log.debug(
            "no thumbnail of a picture",
            metadata: ["inode": "\(wish.inode)", "reason": "\(reason)"])
        state.withLock { state in
            if state.refused.count >= Self.mostRefused { state.refused = [:] }
            state.refused[wish.inode] = wish.content.revision
        }
    }

    /// Makes no request for a while, and forgets what waits: its windows may be gone by then.
    private func pause(after error: RemoteError) {
        guard error != .cancelled else { return }
        log.info("no thumbnails for a while", metadata: ["reason": "\(error)"])
        let seconds: Double
        if case .rateLimited(let wait) = error {
            seconds = Double.maximum(wait, Self.pauseAfterFailure)
        } else {
            seconds = Self.pauseAfterFailure
        }
        state.withLock { state in
            state.resumption = .now.advanced(by: .seconds(clamping: seconds))
            state.waiting = []
        }
    }
}

extension RemoteThumbnail.Size {
    /// The folder of the cache.
    fileprivate var folderName: String {
        switch self {
        case .normal: "normal"
        case .large: "large"
        }
    }

    /// Pixels of a side of the square.
    fileprivate var side: UInt32 {
        switch self {
        case .normal: 128
        case .large: 256
        }
    }
}
