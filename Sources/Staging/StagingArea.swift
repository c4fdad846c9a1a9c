// The folder of staging files. It is no cache: nothing in it may be lost, so it lies with the database,
// apart from what eviction and clearing can reach.

public import Core
import Dispatch
import Glibc
public import MetadataStore
import Synchronization

/// Makes, finds and removes staging files.
public final class StagingArea: Sendable {
    /// The folder.
    public let directory: String
    private let store: MetadataStore
    private let files = LiveFiles()
    /// Seconds after which files that are not needed any more go, many at once.
    private let removalDelay: Double
    /// The numbers of such files, and whether somebody will remove them. Held for memory only.
    private let unneeded = Mutex<(numbers: [Int64], isScheduled: Bool)>(([], false))
    private let queue = DispatchQueue(label: "dbxfs.staging", qos: .utility)
    private let flusher: StagingFlusher
    /// What was put aside, by this start and earlier ones.
    public let lostAndFound: LostAndFound
    /// What this start has put aside, and why.
    public let found: [LostContent]

    /// Opens the folder. Content that the rows cannot vouch for, and files that no row knows, go to
    /// `lostAndFound`; files whose content was stored, replaced or deleted on purpose go.
    public init(
        directory: String, store: MetadataStore, removalDelay: Double = 1, flushDelay: Double = 2,
        lostAndFound: String? = nil
    ) throws {
        self.directory = directory
        self.store = store
        self.removalDelay = removalDelay
        if mkdir(directory, 0o700) != 0 && errno != EEXIST {
            throw StagingError(code: errno)
        }
        let files = files
        flusher = StagingFlusher(directory: directory, store: store, delay: flushDelay) { number in
            files.file(number)
        }
        self.lostAndFound = LostAndFound(
            folder: lostAndFound
                ?? directory.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/") + "/lost+found")
        // As after an end: what the rows say must have reached the disk.
        try store.synchronize()
        let check = StagingCheck(
            directory: directory, store: store, lostAndFound: self.lostAndFound)
        found = try check.run()
        for node in try store.read({ try $0.stagedNodes() }) {
            guard let staged = node.staged, !staged.isFlushed else { continue }
            flusher.add(
                FlushedContent(
                    inode: node.inode, file: staged.file, generation: staged.generation))
        }
        store.observeDroppedFallbacks { [weak self] in self?.removeFile($0) }
    }

    /// Makes all saved content, and every transaction so far, survive power loss. Blocks for the disk; callers
    /// that come together share one flush.
    public func flush() throws {
        try flusher.flush()
    }

    /// Ends the work in the background, after all saved content has reached the disk, if that can be had.
    public func end() {
        flusher.end()
        try? flusher.flush()
        removeUnneeded()
    }

    /// The staged content of an inode, or nil when the server has all there is.
    ///
    /// The row is read in a write transaction: rows are saved in such ones, while the file that is
    /// saved is alive, so that a row which is out of date is never opened for one that was closed.
    public func existing(_ inode: InodeID) throws -> StagedFile? {
        try store.write { try $0.node(inode).flatMap { try file(of: $0) } }
    }

    /// The same of many inodes.
    public func existing(_ inodes: [InodeID]) throws -> [InodeID: StagedFile] {
        try store.write { transaction in
            var found: [InodeID: StagedFile] = [:]
            for inode in inodes {
                found[inode] = try transaction.node(inode).flatMap { try file(of: $0) }
            }
            return found
        }
    }

    /// The staged content of a node that was read in this write transaction.
    public func file(of node: Node) throws(StagingError) -> StagedFile? {
        guard let content = node.staged else { return nil }
        return try files.known.withLock { (files) throws(StagingError) in
            if let known = files[content.file]?.file {
                return known
            }
            let path = path(of: content.file)
            // A name that no flush has brought to the disk is gone after a power cut; a file without a byte of
            // the content is made anew.
            let creates = content.needsFile ? 0 : O_CREAT
            let descriptor = open(path, O_RDWR | creates | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw StagingError(code: errno) }
            // What a killed process had cut off, or had written and not saved, is no content.
            var status = stat()
            guard fstat(descriptor, &status) == 0,
                status.st_size <= content.size
                    || ftruncate(descriptor, off_t(content.size)) == 0
            else {
                let code = errno
                close(descriptor)
                throw StagingError(code: code)
            }
            let file = StagedFile(
                inode: node.inode, content: content, path: path, descriptor: descriptor,
                flusher: flusher)
            files[content.file] = LiveFiles.Reference(file: file)
            return file
        }
    }

    /// Begins to stage content for a node, over a base or from nothing. `size` is the content's size to begin with: the base's limit, or 0.
    public func begin(
        _ inode: InodeID, base: StagedContent.Base?, size: Int64,
        in transaction: Transaction
    ) throws -> StagedFile {
        let number = try transaction.nextStagingFile()
        let path = path(of: number)
        // A file of that number can only be left from a transaction that was undone.
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StagingError(code: errno) }
        // No generation is one of another file: copies are known by their source's.
        var content = StagedContent(
            file: number, size: size, generation: number << 32 + 1, base: base, blocks: [])
        content.stamp = FileFacts(at: path)?.modified
        // What takes the place of fsynced content is flushed before a row speaks of it, as that was: the content
        // that the disk has until then goes with the first flush.
        if let replaced = try transaction.node(inode)?.staged, replaced.promised > 0 {
            content.promised = content.generation
        }
        let file = StagedFile(
            inode: inode, content: content, path: path, descriptor: descriptor, flusher: flusher)
        try transaction.setStaged(content, of: inode)
        files.known.withLock { files in
            files[number] = LiveFiles.Reference(file: file)
            if files.count > 64 && files.count % 64 == 0 {
                files = files.filter { $0.value.file != nil }
            }
        }
        return file
    }

    /// Removes a staging file that no row names any more, soon.
    ///
    /// Not at once: a commit is not on the disk yet when it is done. After a power cut the rows may name the
    /// file again, as the only one that has what somebody was told is safe.
    public func removeFile(_ number: Int64) {
        _ = files.known.withLock { $0.removeValue(forKey: number) }
        let isScheduled = unneeded.withLock { unneeded in
            defer { unneeded.isScheduled = true }
            unneeded.numbers.append(number)
            return unneeded.isScheduled
        }
        guard !isScheduled else { return }
        queue.asyncAfter(deadline: .now() + removalDelay) { [weak self] in
            self?.removeNow()
        }
    }

    /// Removes all such files now, after the rows have reached the disk. Blocks for it. If it fails, they
    /// stay until the next time.
    public func removeUnneeded() {
        queue.sync { removeNow() }
    }

    /// On the queue: whoever asks for it finds them gone, whoever removes them.
    private func removeNow() {
        let numbers = unneeded.withLock { unneeded in
            defer { unneeded = ([], false) }
            return unneeded.numbers
        }
        guard !numbers.isEmpty else { return }
        guard (try? store.synchronize()) != nil else {
            return unneeded.withLock { $0.numbers.append(contentsOf: numbers) }
        }
        for number in numbers { unlink(path(of: number)) }
    }

    /// Where the staging file of a number is, or would be.
    public func path(of number: Int64) -> String {
        "\(directory)/\(number)"
    }
}

/// The staging files that somebody works with.
private final class LiveFiles: Sendable {
    struct Reference {
        weak var file: StagedFile?
    }

    /// Lock: like a staged file's, and never held while one is taken.
    let known = Mutex<[Int64: Reference]>([:])

    func file(_ number: Int64) -> StagedFile? {
        known.withLock { $0[number]?.file }
    }
}
