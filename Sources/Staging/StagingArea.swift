// The folder of staging files. It is no cache: no file in it may be lost, so it lies with the
// database, out of reach of eviction and cache clearing.

package import Blocking
package import Core
import Glibc
package import MetadataStore
import Saturating
import Synchronization

/// Creates, opens and removes staging files.
package final class StagingArea: Sendable {
    /// Path of the folder.
    package let directory: String
    /// Files that become known between two removals of the references to ended ones. A removal
    /// looks at all, so each file pays for a few looks; and no more than these are kept in vain
    /// beside the present ones.
    private static let sweepStep = 64
    private let store: MetadataStore
    private let files = LiveFiles()
    private let numbers = StagingNumbers()
    /// Seconds after which unneeded files are removed, many at once.
    private let removalDelay: Double
    /// The numbers of unneeded files, and whether a removal is scheduled. Held for memory only.
    private let unneeded = Mutex<(numbers: [Int64], isScheduled: Bool)>(([], false))
    private let queue: any BackgroundQueue
    private let flusher: StagingFlusher
    /// Content that was put aside, by this start and earlier ones.
    package let lostAndFound: LostAndFound
    /// Content that this start has put aside.
    package let found: [LostContent]
    /// Files whose content was stored, replaced or deleted on purpose, and that the process before
    /// was killed too early to give to the cache or to remove. They stay until `removeFile`, and
    /// over further starts: their rows are gone on the disk, too, so that they may be moved.
    package let leftovers: [LeftoverFile]

    /// Opens the folder. Content that cannot be verified, and files without a row, go to
    /// `lostAndFound`; `leftovers` stay.
    package convenience init(
        directory: String, store: MetadataStore, removalDelay: Double = 1, flushDelay: Double = 2,
        lostAndFound: String? = nil,
        queue: (_ label: String) -> any BackgroundQueue = { ThreadQueue(label: $0) }
    ) throws {
        try self.init(
            directory: directory, store: store, removalDelay: removalDelay, flushDelay: flushDelay,
            lostAndFound: lostAndFound, flushing: FlushCalls(), queue: queue)
    }

    init(
        directory: String, store: MetadataStore, removalDelay: Double = 1, flushDelay: Double = 2,
        lostAndFound: String? = nil, flushing: FlushCalls,
        queue: (_ label: String) -> any BackgroundQueue = { ThreadQueue(label: $0) }
    ) throws {
        self.directory = directory
        self.store = store
        self.removalDelay = removalDelay
        self.queue = queue("dbxfs.staging")
        if mkdir(directory, 0o700) != 0 && errno != EEXIST {
            throw StagingError(code: errno)
        }
        let files = files
        flusher = StagingFlusher(
            directory: directory, store: store, delay: flushDelay,
            queue: queue("dbxfs.staging.flush"), disk: DiskFlush(flushing)
        ) { number in
            files.file(number)
        }
        self.lostAndFound = LostAndFound(
            folder: lostAndFound
                ?? directory.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/") + "/lost+found")
        // As after a shutdown: the rows must have reached the disk.
        try store.synchronize()
        let check = StagingCheck(
            directory: directory, store: store, lostAndFound: self.lostAndFound)
        let outcome = try check.run()
        (found, leftovers) = (outcome.found, outcome.leftovers)
        try flusher.openFolder()
        try flusher.restoreDoubts()
        for node in try store.read({ try $0.stagedNodes() }) {
            guard let staged = node.staged, !staged.isFlushed else { continue }
            flusher.add(
                FlushedContent(
                    inode: node.inode, file: staged.file, generation: staged.generation))
        }
        store.observeDroppedFallbacks { [weak self] in self?.removeFile($0) }
    }

    /// Makes all saved content, and every transaction so far, survive power loss. Blocks for the
    /// disk; concurrent callers share one flush.
    package func flush() throws {
        try flusher.flush()
    }

    /// Does the same for an fsync of a folder: as after one of each file in it, only content that
    /// is as safe may replace theirs later. Blocks for the disk.
    package func synchronize(_ folder: InodeID) throws {
        try flusher.flush()
        let files = files
        let promised = try store.write { transaction in
            let promised = try transaction.promiseFlushed(in: folder)
            // Before another transaction begins, which could save rows of unflushed bytes.
            transaction.afterCommit {
                for content in promised {
                    files.file(content.file)?.notePromise(content.generation)
                }
            }
            return promised
        }
        try store.synchronize()
        for content in promised { files.file(content.file)?.noteRowOnDisk(content.generation) }
    }

    /// Ends the background work, after trying to flush all saved content.
    package func end() {
        flusher.end()
        try? flusher.flush()
        removeUnneeded()
    }

    /// The staged content of an inode, or nil if it has none.
    ///
    /// The row is read in a write transaction: rows are saved in such ones, while the saved file is
    /// alive, so that an outdated row is never opened for a file that was closed.
    package func existing(_ inode: InodeID) throws -> StagedFile? {
        try store.write { try $0.node(inode).flatMap { try file(of: $0) } }
    }

    /// The same for many inodes, without those whose staging file cannot be opened.
    package func existing(_ inodes: [InodeID]) throws -> [InodeID: StagedFile] {
        try store.write { transaction in
            var found: [InodeID: StagedFile] = [:]
            for inode in inodes {
                found[inode] = try transaction.node(inode).flatMap { try? file(of: $0) }
            }
            return found
        }
    }

    /// The staged content of a node that was read in this write transaction.
    package func file(of node: Node) throws(StagingError) -> StagedFile? {
        guard let content = node.staged else { return nil }
        return try files.known.withLock { (files) throws(StagingError) in
            if let known = files[content.file]?.file {
                return known
            }
            let path = path(of: content.file)
            // A name that was never flushed is gone after a power cut; a file without a byte of the
            // content is created anew.
            let creates = content.needsFile ? 0 : O_CREAT
            let descriptor = try StagingError.opening(path, O_RDWR | creates)
            try StagingDescriptors.requireFree(besides: descriptor, isNew: false)
            do throws(StagingError) {
                try fit(descriptor, to: content)
                try UnsavedBytes.remove(
                    from: descriptor, of: content, flusher.disk.bytes(of: content.file))
            } catch {
                close(descriptor)
                throw error
            }
            let file = StagedFile(
                inode: node.inode, content: content, path: path, descriptor: descriptor,
                flusher: flusher)
            files[content.file] = LiveFiles.Reference(file: file)
            return file
        }
    }

    /// Gives a staging file its row's size. Throws EIO if it lacks bytes that the row names.
    private func fit(
        _ descriptor: Int32, to content: StagedContent
    ) throws(StagingError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StagingError(code: errno) }
        let size = Int64(clamping: status.st_size)
        guard size >= content.neededFileSize else { throw .short }
        // Bytes beyond the row's size were truncated or unsaved when a process was killed, and are
        // no content. A file that was created anew lacks the zeros behind a base.
        let isExtended = content.base.map { $0.limit < content.size } ?? false
        guard size > content.size || size < content.size && isExtended else { return }
        try StagedBytes.keepingTime(of: descriptor) { () throws(StagingError) in
            try flusher.disk.bytes(of: content.file).resize(to: content.size, descriptor)
        }
    }

    /// Begins staged content of a node, over a base or empty. `size` is the initial size: the
    /// base's limit, or 0.
    package func begin(
        _ inode: InodeID, base: StagedContent.Base?, size: Int64,
        in transaction: Transaction
    ) throws -> StagedFile {
        let replaced = try transaction.node(inode)?.staged
        return try begin(
            inode, base: base, size: size, over: replaced, isNew: false, in: transaction
        ).file
    }

    /// Begins the content of a node that this transaction has made, and that has none. The node has
    /// it then. Throws ENOSPC on a full disk.
    package func beginNew(_ node: inout Node, in transaction: Transaction) throws -> StagedFile {
        if let reserve = store.reserve, !reserve.admits(.growth) {
            throw StagingError(code: ENOSPC)
        }
        let (file, content) = try begin(
            node.inode, base: nil, size: 0, over: nil, isNew: true, in: transaction)
        node.staged = content
        return file
    }

    private func begin(
        _ inode: InodeID, base: StagedContent.Base?, size: Int64, over replaced: StagedContent?,
        isNew: Bool, in transaction: Transaction
    ) throws -> (file: StagedFile, content: StagedContent) {
        let number = try numbers.next(in: transaction)
        let path = path(of: number)
        // A file of that number can only be left from a transaction that was rolled back.
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StagingError(code: errno) }
        do throws(StagingError) {
            try StagingDescriptors.requireFree(besides: descriptor, isNew: true)
        } catch {
            unlink(path)
            throw error
        }
        flusher.disk.begin(number)
        // Generations are distinct between files, because a pending copy identifies its source by
        // the generation.
        var content = StagedContent(
            file: number, size: size, generation: number << 32 | 1, base: base, blocks: [])
        content.stamp = StagedBytes.stamp(of: descriptor)
        // The successor of fsynced content is flushed before a row names it, as that was: the
        // earlier content is dropped with the first flush.
        if let replaced, replaced.promised > 0 { content.promised = content.generation }
        let file = StagedFile(
            inode: inode, content: content, path: path, descriptor: descriptor, flusher: flusher)
        try transaction.setStaged(content, of: inode, isNew: isNew)
        files.known.withLock { files in
            files[number] = LiveFiles.Reference(file: file)
            if files.count > Self.sweepStep && files.count % Self.sweepStep == 0 {
                files = files.filter { $0.value.file != nil }
            }
        }
        return (file, content)
    }

    /// Schedules the removal of a staging file without a row.
    ///
    /// Not at once: a completed commit is not on the disk yet. After a power cut the rows may name
    /// the file again, as the only copy of acknowledged content.
    package func removeFile(_ number: Int64) {
        _ = files.known.withLock { $0.removeValue(forKey: number) }
        flusher.disk.end(number)
        flusher.invalidated.remove(number)
        let isScheduled = unneeded.withLock { unneeded in
            defer { unneeded.isScheduled = true }
            unneeded.numbers.append(number)
            return unneeded.isScheduled
        }
        guard !isScheduled else { return }
        queue.run(after: removalDelay) { [weak self] in
            self?.removeNow()
        }
    }

    /// Removes all scheduled files now, after the rows have reached the disk. Blocks for it. If it
    /// fails, they stay until the next time.
    package func removeUnneeded() {
        queue.run { removeNow() }
    }

    /// Runs on the queue, so that a caller returns only after a concurrent removal.
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

    /// Bytes that staged content occupies on this disk; nil if it has a base, or if the disk does
    /// not say.
    package func occupiedBytes(of content: StagedContent) -> Int64? {
        guard content.base == nil else { return nil }
        var status = stat()
        guard lstat(path(of: content.file), &status) == 0 else { return nil }
        return Int64(clamping: status.st_blocks) *| 512
    }

    /// The path of the staging file with a number.
    package func path(of number: Int64) -> String {
        "\(directory)/\(number)"
    }
}

/// The staging files that are open.
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
