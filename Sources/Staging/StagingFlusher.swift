// Brings staged content to the disk some seconds after it was saved, many files with one call, and notes
// in the rows that it is there. So a power cut takes the last seconds at most, and no `close(2)` pays for a
// flush. Not responsible for what an fsync promises: that is flushed by itself, at once.

import CSyncfs
import Core
import Dispatch
import Glibc
import MetadataStore
import Synchronization

/// The rows whose bytes the disk may not have yet.
final class StagingFlusher: Sendable {
    /// From so many files on, one flush of the whole filesystem is cheaper than one of each.
    private static let fewFiles = 8
    /// Rows in one transaction.
    private static let rowsAtOnce = 500

    private struct State {
        var waiting: [Int64: FlushedContent] = [:]
        var isScheduled = false
        var hasEnded = false
        /// How many calls have asked for a flush of everything, and how many of them have it.
        var asked: Int64 = 0
        var served: Int64 = 0
    }

    private let directory: String
    private let store: MetadataStore
    /// Seconds from the first saved row to the flush.
    private let delay: Double
    /// Lock: a leaf; held for memory only.
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "dbxfs.staging.flush", qos: .utility)
    /// Finds the open file of a number, to tell it.
    private let fileOfNumber: @Sendable (Int64) -> StagedFile?

    init(
        directory: String, store: MetadataStore, delay: Double,
        fileOfNumber: @escaping @Sendable (Int64) -> StagedFile?
    ) {
        self.directory = directory
        self.store = store
        self.delay = delay
        self.fileOfNumber = fileOfNumber
    }

    /// A row was committed whose bytes may be in memory only.
    func add(_ content: FlushedContent) {
        let isFirst = state.withLock { state in
            state.waiting[content.file] = content
            defer { state.isScheduled = true }
            return !state.isScheduled && !state.hasEnded
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.flushWaiting()
        }
    }

    /// Flushes all that waits, and the rows, now. Blocks for the disk. Throws when the disk refuses. Calls that
    /// come while a flush is running share the next one.
    func flush() throws {
        let number = state.withLock { state in
            state.asked +|= 1
            return state.asked
        }
        try queue.sync {
            let (asked, served) = state.withLock { ($0.asked, $0.served) }
            if served >= number { return }
            try flushNow()
            // For the rows of others: what was just flushed may be nothing.
            try store.synchronize()
            state.withLock { $0.served = max($0.served, asked) }
        }
    }

    /// No flush begins by itself any more.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.sync {}
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
            // What could not be flushed waits for the next row. Until then it counts as not flushed.
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

    /// Flushes files, and returns those that were there.
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
                // Sent, or deleted, since its row was saved.
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
