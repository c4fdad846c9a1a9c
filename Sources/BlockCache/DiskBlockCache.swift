// Content on disk, to be read again without the network. Everything here can be fetched again: the
// folder may be deleted between runs, and damage is a miss.

public import ContentHashing
import Core
import Glibc
import Logging
import Synchronization

/// A cache of content, keyed by the hash of the whole content: renamed, copied and restored files
/// share it.
///
/// All calls may block on the local disk and on nothing else; they may be made from any thread.
public final class DiskBlockCache: Sendable {
    /// Unit of fetching and of the content hash: 4 MiB.
    public static let blockSize = ContentLayout.blockSize
    /// Unit of storing and checking: 64 KiB.
    public static let chunkSize = ContentLayout.chunkSize
    /// Contents kept open: enough for many readers, few enough for any limit of descriptors.
    private static let openLimit = 128

    private struct State {
        var retention: Retention
        var open: [ContentHash: ContentFile] = [:]
        var openOrder: [ContentHash] = []
    }

    /// What storing a block found.
    public enum Insertion: Hashable, Sendable {
        /// It is kept, or the disk refused, which does no harm.
        case accepted
        /// All blocks have passed by, and they are not the content that they should be. All of it was
        /// dropped.
        case mismatch
    }

    /// What a check of everything found.
    public struct Report: Hashable, Sendable {
        /// Chunks that were read.
        public var checked: Int
        /// Chunks that were not what had been stored; they are gone.
        public var damaged: Int
        /// Bytes that the cache holds now.
        public var bytes: Int64
    }

    private let directory: String
    private let lock: Int32
    /// Lock: a leaf; held for dictionary accesses only, never over disk calls.
    private let state: Mutex<State>

    /// Opens or makes a cache folder that keeps at most `limit` bytes.
    ///
    /// Throws `inUse` when another process has it, and what the system says when it cannot be made.
    public init(directory: String, limit: Int64) throws(BlockCacheError) {
        self.directory = directory
        for path in [directory, directory + "/content"] {
            if mkdir(path, 0o700) != 0 && errno != EEXIST {
                throw .system(path, errno)
            }
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw .notAFolder(path)
            }
        }
        let lockPath = directory + "/lock"
        lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .system(lockPath, errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(directory)
        }
        state = Mutex(State(retention: Retention(limit: limit)))
    }

    deinit {
        close(lock)
    }

    /// Bytes that the cache holds.
    public var usedBytes: Int64 { state.withLock { $0.retention.used } }
    /// Bytes that it may hold.
    public var limit: Int64 { state.withLock { $0.retention.limit } }

    /// Counts what earlier runs have left, oldest first. Reads work before it ends.
    public func countContents() {
        var found: [(hash: ContentHash, bytes: Int64, time: Int)] = []
        forEachContent { hash, path in
            var status = stat()
            if stat(path, &status) == 0 {
                found.append((hash, Int64(status.st_blocks) * 512, status.st_mtim.tv_sec))
            }
        }
        found.sort { $0.time < $1.time }
        state.withLock { state in
            for item in found where state.retention.entries[item.hash] == nil {
                state.retention.add(item.bytes, to: item.hash)
            }
        }
        evict(keeping: nil)
    }

    // MARK: Reading

    /// Somebody begins to read a content. The second time shows that it is used again.
    public func noteUse(of hash: ContentHash) {
        state.withLock { $0.retention.use(hash) }
    }

    /// Bytes of a content, checked; nil unless all of them are here.
    public func bytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        content(hash, size: size, creates: false)?.bytes(range)
    }

    /// Whether bytes of a content are here. They are not read, and may yet turn out damaged.
    public func contains(_ hash: ContentHash, size: Int64, range: Range<Int64>) -> Bool {
        content(hash, size: size, creates: false)?.contains(range) ?? false
    }

    // MARK: Storing

    /// Stores a whole block. With the last one missing, the whole content is checked against its hash.
    public func insert(
        block: Int, of hash: ContentHash, size: Int64, bytes: [UInt8]
    ) -> Insertion {
        guard let file = content(hash, size: size, creates: true) else { return .accepted }
        let offset = Int64(block) * Self.blockSize
        guard offset >= 0, offset + Int64(bytes.count) <= size else { return .mismatch }
        store(bytes[...], at: offset, of: hash, in: file)
        file.noteDigest(bytes.withUnsafeBytes { ContentHasher.blockDigest($0) }, of: block)
        guard let whole = file.hash, whole != hash else { return .accepted }
        remove(hash)
        return .mismatch
    }

    /// Stores the whole chunks among some bytes.
    public func insert(at offset: Int64, of hash: ContentHash, size: Int64, bytes: [UInt8]) {
        guard offset >= 0, offset + Int64(bytes.count) <= size,
            let file = content(hash, size: size, creates: true)
        else { return }
        store(bytes[...], at: offset, of: hash, in: file)
    }

    /// Takes over a file with this content, by moving it. It is checked; if it is not the content, or
    /// cannot be moved here, it stays where it is.
    public func adopt(path: String, hash: ContentHash, size: Int64) {
        guard size > 0 else { return }
        remove(hash)
        guard makeFolder(of: hash), rename(path, dataPath(hash)) == 0,
            let file = content(hash, size: size, creates: true)
        else { return }
        var buffer = [UInt8](repeating: 0, count: Int(min(Self.blockSize, size)))
        let descriptor = open(dataPath(hash), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return remove(hash) }
        defer { close(descriptor) }
        for block in 0..<file.layout.blockCount {
            let offset = Int64(block) * Self.blockSize
            let count = Int(min(Self.blockSize, size - offset))
            let isRead = buffer.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress, count, off_t(offset)) == count
            }
            guard isRead else { return remove(hash) }
            store(buffer[..<count], at: offset, of: hash, in: file)
            let digest = buffer.withUnsafeBytes { bytes in
                ContentHasher.blockDigest(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            }
            file.noteDigest(digest, of: block)
        }
        if file.hash != hash {
            remove(hash)
        }
    }

    // MARK: Keeping

    /// Keeps a content whatever happens, or no longer.
    public func pin(_ hash: ContentHash, _ isPinned: Bool) {
        state.withLock { $0.retention.pin(hash, isPinned) }
    }

    /// Forgets a content.
    public func remove(_ hash: ContentHash) {
        state.withLock { state in
            state.retention.remove(hash)
            state.open[hash] = nil
        }
        unlink(indexPath(hash))
        unlink(dataPath(hash))
    }

    /// Forgets everything that is not pinned, and returns how many bytes that was.
    public func clear() -> Int64 {
        let before = usedBytes
        let victims = state.withLock { state in
            state.retention.entries.filter { !$0.value.isPinned }.map(\.key)
        }
        for hash in victims { remove(hash) }
        return before - usedBytes
    }

    /// Reads everything and drops what is damaged.
    public func verify() -> Report {
        var report = Report(checked: 0, damaged: 0, bytes: 0)
        forEachContent { hash, _ in
            guard let size = self.size(of: hash),
                let file = self.content(hash, size: size, creates: false)
            else { return self.remove(hash) }
            let (checked, damaged) = file.verify()
            report.checked += checked
            report.damaged += damaged
        }
        report.bytes = usedBytes
        return report
    }

    // MARK: Parts

    private func store(
        _ bytes: ArraySlice<UInt8>, at offset: Int64, of hash: ContentHash, in file: ContentFile
    ) {
        guard let added = file.store(bytes, at: offset) else {
            // The disk is full or failing: the cache makes room, and the reader has its bytes.
            state.withLock { state in
                let used = state.retention.used
                state.retention.limit = max(0, min(state.retention.limit, used - used / 8))
            }
            return evict(keeping: nil)
        }
        state.withLock { $0.retention.add(added, to: hash) }
        evict(keeping: hash)
    }

    private func evict(keeping current: ContentHash?) {
        let victims = state.withLock { state in
            let victims = state.retention.victims(keeping: current)
            for hash in victims { state.open[hash] = nil }
            return victims
        }
        for hash in victims {
            unlink(indexPath(hash))
            unlink(dataPath(hash))
        }
    }

    private func content(_ hash: ContentHash, size: Int64, creates: Bool) -> ContentFile? {
        if let known = state.withLock({ $0.open[hash] }) {
            return known.layout.size == size ? known : nil
        }
        if creates, !makeFolder(of: hash) { return nil }
        guard
            let file = ContentFile(
                dataPath: dataPath(hash), indexPath: indexPath(hash), size: size,
                creates: creates)
        else { return nil }
        return state.withLock { state in
            if let known = state.open[hash] { return known.layout.size == size ? known : nil }
            state.open[hash] = file
            state.openOrder.append(hash)
            if state.openOrder.count > Self.openLimit {
                state.open[state.openOrder.removeFirst()] = nil
            }
            return file
        }
    }

    /// The size that a content's index was made for.
    private func size(of hash: ContentHash) -> Int64? {
        let descriptor = open(indexPath(hash), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var size: Int64 = 0
        let count = withUnsafeMutableBytes(of: &size) {
            pread(descriptor, $0.baseAddress, 8, 8)
        }
        return count == 8 && size >= 0 ? Int64(littleEndian: size) : nil
    }

    // MARK: Paths

    private func folder(of hash: ContentHash) -> String {
        "\(directory)/content/\(hash.hex.prefix(2))"
    }

    private func dataPath(_ hash: ContentHash) -> String { "\(folder(of: hash))/\(hash.hex)" }

    private func indexPath(_ hash: ContentHash) -> String { dataPath(hash) + ".index" }

    private func makeFolder(of hash: ContentHash) -> Bool {
        mkdir(folder(of: hash), 0o700) == 0 || errno == EEXIST
    }

    private func forEachContent(_ body: (ContentHash, String) -> Void) {
        for name in Self.names(in: directory + "/content") where name.utf8.count == 2 {
            let folder = "\(directory)/content/\(name)"
            for file in Self.names(in: folder) {
                if let hash = ContentHash(hex: file) { body(hash, "\(folder)/\(file)") }
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
