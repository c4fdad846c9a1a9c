// Content on disk, to be read again without the network. All of it can be fetched again: the folder
// may be deleted at any time, and damage is a miss.

package import ContentHashing
import Core
import Glibc
import Logging
import Saturating
import Synchronization

/// A cache keyed by the hash of the whole content: renamed, copied and restored files share it.
///
/// All calls may block for the local disk and for nothing else; they may be made from any thread.
package final class DiskBlockCache: Sendable {
    /// Unit of fetching and of the content hash: 4 MiB.
    package static var blockSize: Int64 { ContentLayout.blockSize }
    /// Minimum bytes of a piece for direct I/O: smaller ones are better served by the kernel's page
    /// cache, which responds at once and may be asked again.
    package static let directSize = 512 << 10
    /// Unit of storing and verifying: 64 KiB.
    package static let chunkSize = ContentLayout.chunkSize
    /// Size of the largest content accepted from an index; a damaged one may claim any size.
    private static let largestContent: Int64 = 1 << 42
    /// Maximum number of contents kept open.
    private let openLimit: Int

    private struct State {
        var retention: Retention
        var open: [ContentHash: ContentFile] = [:]
        var openOrder: [ContentHash] = []
    }

    /// The result of storing a block.
    package enum Insertion: Hashable, Sendable {
        /// It is stored, or the write failed, which does no harm.
        case accepted
        /// All blocks were seen, and their hash is not the content's. The content was removed.
        case mismatch
    }

    /// The result of verifying the cache.
    package struct Report: Hashable, Sendable {
        /// Number of chunks that were read.
        package var checked: Int
        /// Number of damaged chunks, which were dropped.
        package var damaged: Int
        /// Bytes in the cache now.
        package var bytes: Int64
    }

    let folder: CacheFolder
    /// The descriptor that has the folder's lock. Lock: taken before `state`; held while a deleted
    /// folder is made anew.
    private let lock: Mutex<Int32>
    private let buffer = DirectFile.Buffer()
    /// Lock: a leaf; held for dictionary accesses only, never over disk calls.
    private let state: Mutex<State>
    /// Lock: a leaf; held for an assignment.
    let room = Mutex(Room())
    /// Lock: a leaf; held for an assignment.
    let lossObserver = Mutex(LossObserver())

    /// Opens or creates a cache folder of at most `limit` bytes; keeps `openLimit` contents open.
    init(directory: String, limit: Int64, openLimit: Int) throws(BlockCacheError) {
        self.openLimit = openLimit
        folder = try CacheFolder(creating: directory)
        lock = Mutex(try folder.lock())
        state = Mutex(State(retention: Retention(limit: limit)))
        removeUnfinishedImport()
    }

    deinit {
        // A child process between fork and exec has a copy of the descriptor, which would keep the
        // lock.
        lock.withLock { Self.unlock($0) }
    }

    private static func unlock(_ lock: Int32) {
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Bytes that the cache holds.
    package var usedBytes: Int64 { state.withLock { $0.retention.used } }

    /// Counts the contents of earlier runs, oldest first. Reads work before it ends.
    package func countContents() {
        var found: [(hash: ContentHash, bytes: Int64, time: Int)] = []
        folder.forEachContent { hash, path in
            var status = stat()
            var bytes: Int64 = 0
            for path in [path, "\(path).index"] where lstat(path, &status) == 0 {
                bytes +|= Int64(clamping: status.st_blocks) *| 512
            }
            found.append((hash, bytes, status.st_mtim.tv_sec))
        }
        found.sort { $0.time < $1.time }
        state.withLock { state in
            for item in found {
                state.retention.count(item.bytes, of: item.hash)
            }
        }
        evict(keeping: nil)
    }

    // MARK: Reading

    /// Records that a content is opened for reading. The second use makes it protected.
    package func noteUse(of hash: ContentHash) {
        state.withLock { $0.retention.use(hash) }
    }

    /// Verified bytes of a content; nil unless all of them are present.
    package func bytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        guard let file = content(hash, size: size, creates: false) else { return nil }
        let bytes = file.bytes(range)
        if bytes == nil { settleLosses(of: hash, in: file) }
        return bytes
    }

    /// Whether bytes of a content are present. They are not read, and may turn out to be damaged.
    package func contains(_ hash: ContentHash, size: Int64, range: Range<Int64>) -> Bool {
        content(hash, size: size, creates: false)?.contains(range) ?? false
    }

    // MARK: Storing

    /// Stores a whole block. The last missing block triggers the check of the whole content against
    /// its hash, for a content of one block even if the write fails. `unused` means that the block
    /// has not been requested yet: its first read will be its first use.
    package func insert(
        block: Int, of hash: ContentHash, size: Int64, bytes: [UInt8], unused: Bool = false
    ) -> Insertion {
        let offset = Int64(clamping: block) *| Self.blockSize
        guard block >= 0, offset < size,
            Int64(clamping: bytes.count) == min(Self.blockSize, size -| offset)
        else { return .mismatch }
        let digest = bytes.withUnsafeBytes { ContentHasher.blockDigest($0) }
        // A single block is checked before it can be read.
        guard size > Self.blockSize || ContentHash(blockDigests: [digest]) == hash else {
            // Parts of it may be present already.
            remove(hash)
            return .mismatch
        }
        guard hasRoom, let file = content(hash, size: size, creates: true) else {
            return .accepted
        }
        store(bytes[...], at: offset, of: hash, in: file, uses: unused ? 0 : 1)
        file.noteDigest(digest, of: block)
        guard file.contradicts(hash) else { return .accepted }
        remove(hash)
        return .mismatch
    }

    /// Stores the whole chunks within the bytes.
    package func insert(at offset: Int64, of hash: ContentHash, size: Int64, bytes: [UInt8]) {
        guard offset >= 0, offset +| Int64(clamping: bytes.count) <= size, hasRoom,
            let file = content(hash, size: size, creates: true)
        else { return }
        store(bytes[...], at: offset, of: hash, in: file)
    }

    // MARK: Keeping

    /// Removes a content from the cache.
    package func remove(_ hash: ContentHash) {
        forget(hash)
        folder.remove(hash)
    }

    /// Forgets a content whose files are removed or replaced.
    func forget(_ hash: ContentHash) {
        state.withLock { state in
            state.retention.remove(hash)
            state.open[hash] = nil
        }
    }

    /// Verifies all contents and drops damaged chunks.
    package func verify() -> Report {
        var report = Report(checked: 0, damaged: 0, bytes: 0)
        folder.forEachContent { hash, _ in
            guard let size = self.folder.claimedSize(of: hash),
                let file = self.content(hash, size: size, creates: false)
            else { return self.remove(hash) }
            let (checked, damaged) = file.verify()
            self.settleLosses(of: hash, in: file)
            report.checked +|= checked
            report.damaged +|= damaged
        }
        report.bytes = usedBytes
        return report
    }

    /// Maximum bytes of the cache.
    package var limit: Int64 { state.withLock { $0.retention.limit } }

    /// Sets the maximum bytes, and evicts at once down to it, except for pinned contents.
    package func setLimit(_ bytes: Int64) {
        state.withLock { $0.retention.limit = bytes }
        evict(keeping: nil)
    }

    // MARK: Pins; pinned contents are never evicted

    /// Bytes of pinned contents that the cache holds.
    package var pinnedBytes: Int64 { state.withLock { $0.retention.pinnedBytes } }

    /// Whether a content is pinned, whether present or not.
    package func isPinned(_ hash: ContentHash) -> Bool {
        state.withLock { $0.retention.pinned.contains(hash) }
    }

    /// Pins or unpins a content; also one that is not cached yet. Pins do not survive restarts:
    /// callers restore them before `countContents`.
    package func pin(_ hash: ContentHash, _ isPinned: Bool) {
        state.withLock { $0.retention.pin(hash, isPinned) }
    }

    /// Pins these contents, and unpins all others, by the rules of `pin`.
    package func pinOnly(_ hashes: Set<ContentHash>) {
        state.withLock { $0.retention.pinOnly(hashes) }
    }

    /// Removes all contents, pinned ones only if `includingPinned`. Returns the number of bytes
    /// freed.
    package func clear(includingPinned: Bool = false) -> Int64 {
        let before = usedBytes
        let victims = state.withLock { state in
            state.retention.entries.keys.filter {
                includingPinned || !state.retention.pinned.contains($0)
            }
        }
        for hash in victims { remove(hash) }
        return before -| usedBytes
    }

    // MARK: Parts

    private func store(
        _ bytes: ArraySlice<UInt8>, at offset: Int64, of hash: ContentHash, in file: ContentFile,
        uses: Int = 1
    ) {
        guard let added = file.store(bytes, at: offset) else {
            // The disk is full or failing: the cache frees an eighth of its bytes, and the reader
            // has its data anyway. The limit stays: other programs may free disk space.
            _ = makeRoom(for: 0)
            return
        }
        state.withLock { state in
            let isNew = state.retention.entries[hash] == nil
            state.retention.add(Self.cost(added, isNew: isNew), to: hash, uses: uses)
        }
        evict(keeping: hash)
    }

    /// Bytes needed on disk: whole pages, and one for a new content's index.
    private static func cost(_ bytes: Int64, isNew: Bool) -> Int64 {
        let page: Int64 = 4096
        guard bytes > 0 else { return 0 }
        return (bytes +| (page -| 1)).divided(by: page) *| page +| (isNew ? page : 0)
    }

    private func settleLosses(of hash: ContentHash, in file: ContentFile) {
        let lost = Self.cost(file.takeLost(), isNew: false)
        guard lost > 0 else { return }
        let isPinned = state.withLock { state in
            state.retention.add(0 -| lost, to: hash)
            return state.retention.pinned.contains(hash)
        }
        if isPinned { noteLoss() }
    }

    /// Closes the files of a content, as soon as no reader uses them.
    func forgetOpen(_ hash: ContentHash) {
        state.withLock { $0.open[hash] = nil }
    }

    /// Counts a whole content that was moved into the cache.
    func noteWhole(_ hash: ContentHash, size: Int64) {
        state.withLock { $0.retention.add(Self.cost(size, isNew: true), to: hash) }
        evict(keeping: hash)
    }

    private func evict(keeping current: ContentHash?) {
        evict { $0.victims(keeping: current) }
    }

    @discardableResult
    func evict(_ choose: (inout Retention) -> [ContentHash]) -> [ContentHash] {
        let victims = state.withLock { state in
            let victims = choose(&state.retention)
            for hash in victims { state.open[hash] = nil }
            return victims
        }
        for hash in victims { folder.remove(hash) }
        return victims
    }

    /// Makes the folder of a content's files. If the whole cache was deleted, as by a program that
    /// cleans up, it begins anew.
    func makeFolder(of hash: ContentHash) -> Bool {
        if folder.makeFolder(of: hash) { return true }
        let (isMade, isAnew) = lock.withLock { lock in
            let isAnew = folder.remake()
            if isAnew {
                // Unless the file of the lock is still there.
                if let new = try? folder.lock() {
                    Self.unlock(lock)
                    lock = new
                }
                forgetAll()
            }
            return (folder.makeFolder(of: hash), isAnew)
        }
        if isAnew { noteLoss() }
        return isMade
    }

    /// Whether the folder of the contents is there. If it was deleted, none counts as cached, not
    /// even those that are open.
    package func checkFolder() -> Bool {
        lock.withLock { _ in
            if folder.isThere { return true }
            forgetAll()
            return false
        }
    }

    private func forgetAll() {
        state.withLock { state in
            state.open = [:]
            state.openOrder = []
            for hash in state.retention.entries.keys { state.retention.remove(hash) }
        }
    }

    func content(_ hash: ContentHash, size: Int64, creates: Bool) -> ContentFile? {
        if let known = state.withLock({ $0.open[hash] }) {
            return known.layout.size == size ? known : nil
        }
        guard (0...Self.largestContent).contains(size) else { return nil }
        guard creates ? makeFolder(of: hash) : folder.hasFolder(of: hash) else {
            return nil
        }
        guard
            let file = ContentFile(
                dataPath: folder.dataPath(hash), indexPath: folder.indexPath(hash), hash: hash,
                size: size, creates: creates, buffer: buffer)
        else { return nil }
        return state.withLock { state in
            if let known = state.open[hash] { return known.layout.size == size ? known : nil }
            state.open[hash] = file
            state.openOrder.append(hash)
            if state.openOrder.count > openLimit {
                state.open[state.openOrder.removeFirst()] = nil
            }
            return file
        }
    }
}
