// Flushes staged content some seconds after it was saved, many files with one call, and marks the
// rows as flushed. So a power cut loses the last seconds at most, and no `close(2)` waits for a
// flush. Not responsible for fsync, which flushes at once.

import Blocking
import Core
import Glibc
import MetadataStore
import Saturating
import Synchronization

/// The rows whose bytes may not be flushed yet.
final class StagingFlusher: Sendable {
    /// Number of files from which a flush of the whole filesystem is cheaper than one of each.
    private static let fewFiles = 8
    /// Rows in one transaction.
    private static let rowsAtOnce = 500

    private struct State {
        var waiting: [Int64: FlushedContent] = [:]
        var isScheduled = false
        var hasEnded = false
        /// How many calls have requested a full flush, and how many of them were served.
        var asked: Int64 = 0
        var served: Int64 = 0
    }

    private let directory: String
    private let store: MetadataStore
    /// Seconds from the first saved row to the flush.
    private let delay: Double
    /// Lock: a leaf; held for memory only.
    private let state = Mutex(State())
    private let queue: any BackgroundQueue
    let disk: DiskFlush
    let invalidated = InvalidatedRows()
    /// The space that the database needs, and no content gets.
    var reserve: SpaceReserve? { store.reserve }
    /// The folder: a descriptor that is opened after a failure of the filesystem may not be told of
    /// it. Lock: a leaf; held while the folder is opened.
    private let folder = Mutex<Int32?>(nil)
    /// Finds the open file with a number, to update it.
    private let fileOfNumber: @Sendable (Int64) -> StagedFile?

    init(
        directory: String, store: MetadataStore, delay: Double, queue: any BackgroundQueue,
        disk: DiskFlush, fileOfNumber: @escaping @Sendable (Int64) -> StagedFile?
    ) {
        self.directory = directory
        self.store = store
        self.delay = delay
        self.queue = queue
        self.disk = disk
        self.fileOfNumber = fileOfNumber
    }

    deinit {
        if let folder = folder.withLock({ $0 }) { close(folder) }
    }

    /// Adds a committed row whose bytes may be in memory only.
    func add(_ content: FlushedContent) {
        // It would fail for ever.
        if disk.isHopeless(content.file) { return }
        state.withLock { $0.waiting[content.file] = content }
        schedule()
    }

    private func schedule() {
        let isFirst = state.withLock { state in
            guard !state.hasEnded, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        guard isFirst else { return }
        queue.run(after: delay) { [weak self] in
            self?.flushWaiting()
        }
    }

    /// Flushes all added contents, and the rows, now. Blocks for the disk. Throws when the disk
    /// refuses. Calls during a running flush share the next one.
    func flush() throws {
        let number = state.withLock { state in
            state.asked +|= 1
            return state.asked
        }
        try queue.run {
            let (asked, served) = state.withLock { ($0.asked, $0.served) }
            if served >= number { return }
            try flushNow()
            try saveDoubts()
            // Rows of other transactions need it even if nothing else was flushed.
            try store.synchronize()
            state.withLock { $0.served = max($0.served, asked) }
        }
    }

    /// Ends the scheduled flushes.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.run {}
    }

    /// Makes the names in the folder survive power loss.
    func flushFolder() throws(StagingError) {
        guard fsync(try openFolder()) == 0 else { throw StagingError(code: errno) }
    }

    /// Flushes one staging file on this thread.
    func flush(_ descriptor: Int32, of number: Int64) throws(StagingError) {
        let wasDoubtful = disk.isDoubtful(number)
        defer {
            if wasDoubtful != disk.isDoubtful(number) {
                queue.run(after: 0) { [weak self] in try? self?.saveDoubts() }
            }
        }
        try disk.flush(descriptor, of: number)
    }

    /// Takes over what an earlier process has found doubtful.
    func restoreDoubts() throws {
        let (text, known) = try store.read {
            (try $0.setting(StoredSetting.doubtfulFiles) ?? "", try $0.stagingFiles())
        }
        let numbers = text.split(separator: " ").compactMap { Int64($0, radix: 10) }
        disk.restore(known.intersection(numbers))
    }

    // MARK: On the queue

    /// A failure is tried again with the next flush: until then a new process would believe them.
    private func saveDoubts() throws {
        guard let numbers = disk.unsavedDoubts() else { return }
        do {
            let text = numbers.sorted().map { String($0) }.joined(separator: " ")
            try store.write {
                try $0.setSetting(StoredSetting.doubtfulFiles, to: text.isEmpty ? nil : text)
            }
        } catch {
            disk.doubtsWereNotSaved()
            throw error
        }
    }

    private func flushWaiting() {
        guard state.withLock({ !$0.hasEnded }) else { return }
        // A failed flush is tried again by its own schedule, and counts as not flushed until then.
        try? flushNow()
    }

    private func flushNow() throws {
        let contents = takeDue()
        defer { if state.withLock({ !$0.waiting.isEmpty }) { schedule() } }
        do {
            defer { try? saveDoubts() }
            guard !contents.isEmpty else { return }
            let fills = fills(of: contents)
            let (flushed, failure) = try bytesOnDisk(of: contents)
            try note(flushed, fills)
            try store.synchronize()
            if let failure { throw failure }
            putBack(contents.filter { disk.isDoubtful($0.file) })
        } catch {
            putBack(contents)
            throw error
        }
    }

    /// Takes the contents that are to be flushed now.
    private func takeDue() -> [FlushedContent] {
        let waiting = state.withLock { state in
            defer {
                state.waiting = [:]
                state.isScheduled = false
            }
            return Array(state.waiting.values)
        }
        let due = waiting.filter { disk.isDue($0.file) }
        let later = Set(waiting).subtracting(due)
        putBack(Array(later))
        return due.filter { !disk.isHopeless($0.file) }
    }

    /// Lets contents wait for the next flush, unless newer ones do or none can succeed.
    private func putBack(_ contents: [FlushedContent]) {
        let contents = contents.filter { !disk.isHopeless($0.file) }
        state.withLock { state in
            for content in contents where state.waiting[content.file] == nil {
                state.waiting[content.file] = content
            }
        }
    }

    /// How often each file has been filled: a flush may miss bytes that are filled in afterwards.
    private func fills(of contents: [FlushedContent]) -> [Int64: Int] {
        var fills: [Int64: Int] = [:]
        for content in contents { fills[content.file] = fileOfNumber(content.file)?.fills }
        return fills
    }

    private func note(_ flushed: [FlushedContent], _ fills: [Int64: Int]) throws {
        for start in stride(from: 0, to: flushed.count, by: Self.rowsAtOnce) {
            let part = flushed[start..<min(start +| Self.rowsAtOnce, flushed.count)]
            try store.write { transaction in
                for content in part {
                    let file = fileOfNumber(content.file)
                    let fills = fills[content.file] ?? 0
                    // Nothing writes to a file that is not open, nor opens it before the commit.
                    if file == nil { invalidated.remove(content.file) }
                    let (isFlushed, stamp) =
                        file?.noteFlushed(content.generation, fills: fills)
                        ?? (true, FileFacts(at: path(of: content))?.modified)
                    if isFlushed {
                        try transaction.noteFlushed(content, stamp: stamp)
                    } else if file?.fills != fills {
                        transaction.afterCommit { self.add(content) }
                    }
                }
            }
        }
    }

    /// Flushes files. Returns those that exist and are on the disk, and why another one is not.
    private func bytesOnDisk(
        of contents: [FlushedContent]
    ) throws(StagingError) -> (flushed: [FlushedContent], failure: StagingError?) {
        let sound = contents.filter { !disk.isDoubtful($0.file) }
        var flushed = writtenAnew(of: contents.filter { disk.isDoubtful($0.file) })
        // A failure may be another file's, of another program even: each file tells its own.
        if sound.count > Self.fewFiles,
            disk.flushFilesystem(try openFolder(), for: sound.map(\.file))
        {
            flushed.append(contentsOf: sound.filter { !disk.isDoubtful($0.file) })
            return (flushed, nil)
        }
        var failure: StagingError?
        for content in sound {
            do throws(StagingError) {
                if try flush(content) { flushed.append(content) }
            } catch {
                failure = error
            }
        }
        try flushFolder()
        return (flushed, failure)
    }

    /// Flushes doubtful files. One that the disk refuses again holds up no other one.
    private func writtenAnew(of contents: [FlushedContent]) -> [FlushedContent] {
        contents.filter { (try? flush($0)) ?? false }
    }

    /// Flushes one file. Returns false if it is gone: uploaded or deleted since its row was saved.
    private func flush(_ content: FlushedContent) throws(StagingError) -> Bool {
        let descriptor = open(path(of: content), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 {
            if errno == ENOENT { return false }
            throw StagingError(code: errno)
        }
        defer { close(descriptor) }
        try disk.flush(descriptor, of: content.file)
        return true
    }

    private func path(of content: FlushedContent) -> String { "\(directory)/\(content.file)" }

    /// Opens the folder, once.
    @discardableResult
    func openFolder() throws(StagingError) -> Int32 {
        try folder.withLock { (folder) throws(StagingError) in
            if let folder { return folder }
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw StagingError(code: errno) }
            folder = descriptor
            return descriptor
        }
    }
}
