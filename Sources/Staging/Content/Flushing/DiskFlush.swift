// The system's calls that flush staging files, and the files of which one has failed. Linux reports
// a failed write once and counts the pages as clean from then on: a second call returns success,
// and a page that leaves the memory is read back as the disk has it.

import CLinux
import Glibc
import Synchronization

/// The calls that flush, which tests replace. They return -1 and set errno, as the system's do.
struct FlushCalls: Sendable {
    var file: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    var filesystem: @Sendable (Int32) -> Int32 = { syncfs($0) }
}

/// Flushes files by number. One whose flush has failed is doubtful: it fails from then on, until
/// all of its bytes are given up.
final class DiskFlush: Sendable {
    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    private struct Doubts {
        var files: Set<Int64> = []
        var isSaved = true
        var hasFilesystemFailed = false
    }

    private let calls: FlushCalls
    /// Locks: held over a flush, inside of a staged file's. Flushes of one file take turns, so that
    /// one that succeeds because another one was told of the failure waits for its mark.
    private let turns = (0..<16).map { _ in Turn() }
    /// Lock: a leaf; held for memory only.
    private let doubts = Mutex(Doubts())

    init(_ calls: FlushCalls) {
        self.calls = calls
    }

    /// Flushes a file's bytes. Throws if that fails, or ever has.
    func flush(_ descriptor: Int32, of number: Int64) throws(StagingError) {
        let turn = turns[Int(truncatingIfNeeded: number.magnitude % 16)]
        try turn.lock.withLock { (_) throws(StagingError) in
            if isDoubtful(number) { throw .doubtful }
            guard calls.file(descriptor) == 0 else {
                doubts.withLock { doubts in
                    doubts.files.insert(number)
                    doubts.isSaved = false
                }
                throw .doubtful
            }
        }
    }

    /// Flushes the filesystem of an open folder. Returns false if that fails, or ever has: the
    /// failure of another file is reported once, too.
    func flushFilesystem(_ descriptor: Int32) -> Bool {
        if doubts.withLock({ $0.hasFilesystemFailed }) { return false }
        if calls.filesystem(descriptor) == 0 { return true }
        doubts.withLock { $0.hasFilesystemFailed = true }
        return false
    }

    /// Whether a file's bytes may differ between memory and disk.
    func isDoubtful(_ number: Int64) -> Bool {
        doubts.withLock { $0.files.contains(number) }
    }

    /// Notes that a file has no byte left of those that are doubtful.
    func forget(_ number: Int64) {
        doubts.withLock { doubts in
            if doubts.files.remove(number) != nil { doubts.isSaved = false }
        }
    }

    /// Marks files that an earlier process has found doubtful.
    func restore(_ numbers: Set<Int64>) {
        doubts.withLock { $0.files.formUnion(numbers) }
    }

    /// The doubtful files, if they differ from those that were last returned.
    func unsavedDoubts() -> Set<Int64>? {
        doubts.withLock { doubts in
            defer { doubts.isSaved = true }
            return doubts.isSaved ? nil : doubts.files
        }
    }

    /// Undoes `unsavedDoubts`, because they could not be saved.
    func doubtsWereNotSaved() {
        doubts.withLock { $0.isSaved = false }
    }
}

extension StagingError {
    /// A flush of the file has failed.
    static let doubtful = StagingError(code: EIO, reason: .notFlushed)
    /// The file lacks bytes of the content.
    static let short = StagingError(code: EIO, reason: .short)
}
