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
    /// Bytes from which on a piece travels between disk and process directly: less is better left to the
    /// kernel's page cache, which answers at once and may ask again.
    public static let directSize = 512 << 10
    /// Unit of storing and checking: 64 KiB.
    public static let chunkSize = ContentLayout.chunkSize
    /// Bytes of the largest content that an index can be of; a damaged one may say anything.
    private static let largestContent: Int64 = 1 << 42
    /// Contents kept open.
    private let openLimit: Int

    struct State {
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
    private let buffer = DirectFile.Buffer()
    /// Lock: a leaf; held for dictionary accesses only, never over disk calls.
    let state: Mutex<State>

    /// Opens or makes a cache folder that keeps at most `limit` bytes, and so many contents open.
    init(directory: String, limit: Int64, openLimit: Int) throws(BlockCacheError) {
        self.directory = directory
        self.openLimit = openLimit
        for path in [directory, "\(directory)/content"] {
            if mkdir(path, 0o700) != 0 && errno != EEXIST {
                throw .system(path, errno)
            }
            guard Self.isOurs(path) else { throw .notAFolder(path) }
        }
        let lockPath = "\(directory)/lock"
        lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .system(lockPath, errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(directory)
        }
        state = Mutex(State(retention: Retention(limit: limit)))
    }

    deinit {
        // A program that is just being started has a copy of the descriptor until its exec.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Bytes that the cache holds.
    public var usedBytes: Int64 { state.withLock { $0.retention.used } }

    /// Counts what earlier runs have left, oldest first. Reads work before it ends.
    public func countContents() {
        var found: [(hash: ContentHash, bytes: Int64, time: Int)] = []
        forEachContent { hash, path in
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

    /// Somebody begins to read a content. The second time shows that it is used again.
    public func noteUse(of hash: ContentHash) {
        state.withLock { $0.retention.use(hash) }
    }

    /// Bytes of a content, checked; nil unless all of them are here.
    public func bytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        guard let file = content(hash, size: size, creates: false) else { return nil }
        let bytes = file.bytes(range)
        if bytes == nil { settleLosses(of: hash, in: file) }
        return bytes
    }

    /// Whether bytes of a content are here. They are not read, and may yet turn out damaged.
    public func contains(_ hash: ContentHash, size: Int64, range: Range<Int64>) -> Bool {
        content(hash, size: size, creates: false)?.contains(range) ?? false
    }

    // MARK: Storing

    /// Stores a whole block. With the last one missing, the whole content is checked against its hash,
    /// also when the disk does not take it, if it is one block.
    /// What nobody has asked for yet is `unused`: reading it will be its first use.
    public func insert(
        block: Int, of hash: ContentHash, size: Int64, bytes: [UInt8], unused: Bool = false
    ) -> Insertion {
        let offset = Int64(clamping: block) *| Self.blockSize
        guard block >= 0, offset < size,
            Int64(clamping: bytes.count) == min(Self.blockSize, size -| offset)
        else { return .mismatch }
        let digest = bytes.withUnsafeBytes { ContentHasher.blockDigest($0) }
        // What can be checked at once is checked before anybody can read it.
        guard size > Self.blockSize || ContentHash(blockDigests: [digest]) == hash else {
            // Parts of it may be here already.
            remove(hash)
            return .mismatch
        }
        guard let file = content(hash, size: size, creates: true) else { return .accepted }
        store(bytes[...], at: offset, of: hash, in: file, uses: unused ? 0 : 1)
        file.noteDigest(digest, of: block)
        guard file.contradicts(hash) else { return .accepted }
        remove(hash)
        return .mismatch
    }

    /// Stores the whole chunks among some bytes.
    public func insert(at offset: Int64, of hash: ContentHash, size: Int64, bytes: [UInt8]) {
        guard offset >= 0, offset +| Int64(clamping: bytes.count) <= size,
            let file = content(hash, size: size, creates: true)
        else { return }
        store(bytes[...], at: offset, of: hash, in: file)
    }

    /// Takes over a file with this content: by moving it, or, where it lies on another disk, by copying
    /// it. It is read and checked before; if it is not the content, it stays where it is, and so does
    /// what the cache has.
    public func adopt(path: String, hash: ContentHash, size: Int64) {
        guard size > 0, let survey = survey(path, hash: hash, size: size), makeFolder(of: hash)
        else { return }
        forgetOpen(hash)
        // The index first: sums of the old file would be right for the new one, but sums without
        // their file are of no use.
        unlink(indexPath(hash))
        guard rename(path, dataPath(hash)) == 0 else {
            return copy(path, hash: hash, size: size)
        }
        chmod(dataPath(hash), 0o600)
        state.withLock { $0.retention.remove(hash) }
        guard let file = content(hash, size: size, creates: true),
            file.note(sums: survey.sums, from: 0)
        else { return remove(hash) }
        for (block, digest) in survey.digests.enumerated() {
            file.noteDigest(digest, of: block)
        }
        state.withLock { $0.retention.add(Self.cost(size, isNew: true), to: hash) }
        evict(keeping: hash)
    }

    private struct Survey {
        var sums: [UInt8] = []
        var digests: [ContentHash] = []
    }

    /// Reads a file through; nil unless it is a plain file, under one name, with just this content.
    private func survey(_ path: String, hash: ContentHash, size: Int64) -> Survey? {
        var survey = Survey()
        let isRead = forEachBlock(of: path, size: size) { bytes in
            let chunk = Int(clamping: Self.chunkSize)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                survey.sums.append(contentsOf: ContentFile.sum(of: bytes[start...].prefix(chunk)))
            }
            survey.digests.append(bytes.withUnsafeBytes { ContentHasher.blockDigest($0) })
        }
        return isRead && ContentHash(blockDigests: survey.digests) == hash ? survey : nil
    }

    private func copy(_ path: String, hash: ContentHash, size: Int64) {
        var block = 0
        _ = forEachBlock(of: path, size: size) { bytes in
            _ = insert(block: block, of: hash, size: size, bytes: bytes)
            block +|= 1
        }
    }

    private func forEachBlock(
        of path: String, size: Int64, _ body: ([UInt8]) -> Void
    ) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        // A file with a second name could be changed under that one.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1, Int64(clamping: status.st_size) == size
        else { return false }
        for offset in stride(from: 0, to: size, by: Int(clamping: Self.blockSize)) {
            let count = Int(clamping: min(Self.blockSize, size -| offset))
            guard let bytes = ContentFile.read(descriptor, at: offset, count: count) else {
                return false
            }
            body(bytes)
        }
        return true
    }

    // MARK: Keeping; pins are in DiskBlockCache+Pins.swift

    /// Forgets a content.
    public func remove(_ hash: ContentHash) {
        state.withLock { state in
            state.retention.remove(hash)
            state.open[hash] = nil
        }
        unlink(indexPath(hash))
        unlink(dataPath(hash))
    }

    /// Reads everything and drops what is damaged.
    public func verify() -> Report {
        var report = Report(checked: 0, damaged: 0, bytes: 0)
        forEachContent { hash, _ in
            guard let size = self.size(of: hash),
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

    // MARK: Parts

    private func store(
        _ bytes: ArraySlice<UInt8>, at offset: Int64, of hash: ContentHash, in file: ContentFile,
        uses: Int = 1
    ) {
        guard let added = file.store(bytes, at: offset) else {
            // The disk is full or failing: the cache gives an eighth back, and the reader has its
            // bytes. The limit stays: others may free the disk.
            return evict { retention in
                let used = retention.used
                return retention.victims(downTo: used -| used / 8, keeping: nil)
            }
        }
        state.withLock { state in
            let isNew = state.retention.entries[hash] == nil
            state.retention.add(Self.cost(added, isNew: isNew), to: hash, uses: uses)
        }
        evict(keeping: hash)
    }

    /// What bytes cost on disk: whole pages, and one for a new content's index.
    private static func cost(_ bytes: Int64, isNew: Bool) -> Int64 {
        let page: Int64 = 4096
        guard bytes > 0 else { return 0 }
        return (bytes +| (page -| 1)) / page *| page +| (isNew ? page : 0)
    }

    private func settleLosses(of hash: ContentHash, in file: ContentFile) {
        let lost = Self.cost(file.takeLost(), isNew: false)
        if lost > 0 { state.withLock { $0.retention.add(0 -| lost, to: hash) } }
    }

    private func forgetOpen(_ hash: ContentHash) {
        state.withLock { $0.open[hash] = nil }
    }

    func evict(keeping current: ContentHash?) {
        evict { $0.victims(keeping: current) }
    }

    private func evict(_ choose: (inout Retention) -> [ContentHash]) {
        let victims = state.withLock { state in
            let victims = choose(&state.retention)
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
        guard (0...Self.largestContent).contains(size) else { return nil }
        guard creates ? makeFolder(of: hash) : Self.isOurs(folder(of: hash)) else { return nil }
        guard
            let file = ContentFile(
                dataPath: dataPath(hash), indexPath: indexPath(hash), hash: hash, size: size,
                creates: creates, buffer: buffer)
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

    /// The size that a content's index was made for.
    private func size(of hash: ContentHash) -> Int64? {
        let descriptor = open(indexPath(hash), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var size: Int64 = 0
        let count = withUnsafeMutableBytes(of: &size) {
            pread(descriptor, $0.baseAddress, 8, 8)
        }
        let claimed = size.littleEndian
        return count == 8 && (0...Self.largestContent).contains(claimed) ? claimed : nil
    }

    // MARK: Paths

    private func folder(of hash: ContentHash) -> String {
        "\(directory)/content/\(hash.hex.prefix(2))"
    }

    private func dataPath(_ hash: ContentHash) -> String { "\(folder(of: hash))/\(hash.hex)" }

    private func indexPath(_ hash: ContentHash) -> String { "\(dataPath(hash)).index" }

    private func makeFolder(of hash: ContentHash) -> Bool {
        mkdir(folder(of: hash), 0o700) == 0 || errno == EEXIST && Self.isOurs(folder(of: hash))
    }

    /// Whether a folder is one, belongs to this user, and is closed to others (or can be closed): who
    /// can write here could make up content with its sums.
    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid()
        else { return false }
        return status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0
    }

    private func forEachContent(_ body: (ContentHash, String) -> Void) {
        for name in Self.names(in: "\(directory)/content") where name.utf8.count == 2 {
            let folder = "\(directory)/content/\(name)"
            for file in Self.names(in: folder) {
                if let hash = ContentHash(hex: file) { body(hash, "\(folder)/\(file)") }
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
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
