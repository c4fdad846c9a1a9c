// Flushes staged content some seconds after it was saved, many files with one call, and marks the
// rows as flushed. So a power cut loses the last seconds at most, and no `close(2)` waits for a
// flush. Not responsible for fsync, which flushes at once.

import Blocking
import CSyncfs
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
    /// Finds the open file with a number, to update it.
    private let fileOfNumber: @Sendable (Int64) -> StagedFile?

    init(
        directory: String, store: MetadataStore, delay: Double, queue: any BackgroundQueue,
        fileOfNumber: @escaping @Sendable (Int64) -> StagedFile?
    ) {
        self.directory = directory
        self.store = store
        self.delay = delay
        self.queue = queue
        self.fileOfNumber = fileOfNumber
    }

    /// Adds a committed row whose bytes may be in memory only.
    func add(_ content: FlushedContent) {
        let isFirst = state.withLock { state in
            state.waiting[content.file] = content
            defer { state.isScheduled = true }
            return !state.isScheduled && !state.hasEnded
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
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StagingError(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StagingError(code: errno) }
    }

    // MARK: On the queue

    private func flushWaiting() {
        guard state.withLock({ !$0.hasEnded }) else { return }
        do {
            try flushNow()
        } catch {
            // A failed content is retried with the next row. Until then it counts as not flushed.
        }
    }

    private func flushNow() throws {
        let contents = state.withLock { state in
            defer {
                state.waiting = [:]
                state.isScheduled = false
            }
            return Array(state.waiting.values)
        }
        guard !contents.isEmpty else { return }
        do {
            let flushed = try bytesOnDisk(of: contents)
            for start in stride(from: 0, to: flushed.count, by: Self.rowsAtOnce) {
                let part = flushed[start..<min(start +| Self.rowsAtOnce, flushed.count)]
                try store.write { transaction in
                    for content in part { try transaction.noteFlushed(content) }
                }
            }
            for content in flushed {
                fileOfNumber(content.file)?.noteFlushed(content.generation)
            }
            try store.synchronize()
        } catch {
            state.withLock { state in
                for content in contents where state.waiting[content.file] == nil {
                    state.waiting[content.file] = content
                }
            }
            throw error
        }
    }

    /// Flushes files, and returns those that exist.
    private func bytesOnDisk(
        of contents: [FlushedContent]
    ) throws(StagingError) -> [FlushedContent] {
        guard contents.count <= Self.fewFiles else {
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw StagingError(code: errno) }
            defer { close(descriptor) }
            guard syncfs(descriptor) == 0 else {
                throw StagingError(code: errno)
            }
            return contents
        }
        var flushed: [FlushedContent] = []
        for content in contents {
            let descriptor = open(
                "\(directory)/\(content.file)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if descriptor < 0 {
                // Uploaded or deleted since its row was saved.
                if errno == ENOENT { continue }
                throw StagingError(code: errno)
            }
            defer { close(descriptor) }
            guard fdatasync(descriptor) == 0 else { throw StagingError(code: errno) }
            flushed.append(content)
        }
        try flushFolder()
        return flushed
    }
}
