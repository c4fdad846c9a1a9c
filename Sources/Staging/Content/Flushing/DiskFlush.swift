// Flushes staging files, and notes the files of which a flush has failed. Linux reports a failed
// write once, and takes the pages for clean from then on: a second call returns success, and a page
// that leaves memory is read back as the disk has it. So after a failure the bytes are written anew
// before the next call, if their checksums say that memory still has them (`UnflushedBytes`).

import CLinux
import Glibc
import Saturating
import Synchronization

/// The calls that flush, which tests replace. They return -1 and set errno, as the system's do.
struct FlushCalls: Sendable {
    var file: @Sendable (Int32) -> Int32 = { fdatasync($0) }
    var filesystem: @Sendable (Int32) -> Int32 = { syncfs($0) }
}

/// Flushes files by number. One whose flush has failed is doubtful: it fails from then on, until
/// its unflushed bytes were written anew and flushed, or all of its bytes are given up.
final class DiskFlush: Sendable {
    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    /// Between two tries of a doubtful file that no program asks for; they begin with two seconds.
    private static let longestPause = Duration.seconds(300)

    /// The tries to flush a doubtful file.
    private struct Doubt {
        var failures = 1
        /// When it is tried again unasked.
        var next = ContinuousClock.now
    }

    private struct Doubts {
        var files: [Int64: Doubt] = [:]
        var isSaved = true
        var hasFilesystemFailed = false
    }

    private let calls: FlushCalls
    /// Locks: held over a flush, inside of a staged file's. The kernel reports a failure to one
    /// flush, and the next flush of the file succeeds. So the flushes of a file take turns: the
    /// next flush finds the mark of the failure.
    private let turns = (0..<16).map { _ in Turn() }
    /// Lock: a leaf; held for memory only.
    private let doubts = Mutex(Doubts())
    /// Lock: a leaf; held for memory only.
    private let unflushed = Mutex<[Int64: UnflushedBytes]>([:])

    init(_ calls: FlushCalls) {
        self.calls = calls
    }

    /// Flushes a file's bytes, by a descriptor that can write. Throws if that fails. After a
    /// failure the bytes are written anew first, and it fails as long as they cannot be.
    func flush(_ descriptor: Int32, of number: Int64) throws(StagingError) {
        let turn = turns[Int(truncatingIfNeeded: number.magnitude % 16)]
        try turn.lock.withLock { (_) throws(StagingError) in
            let bytes = bytes(of: number)
            let isDoubtful = isDoubtful(number)
            if isDoubtful, bytes.writeAnew(to: descriptor) != .written {
                noteFailure(of: number)
                throw .doubtful
            }
            let changes = bytes.changes
            // The time that was kept is no part of the data.
            guard calls.file(descriptor) == 0, !isDoubtful || fsync(descriptor) == 0 else {
                noteFailure(of: number)
                throw .doubtful
            }
            bytes.noteFlushed(changes)
            if isDoubtful { forget(number) }
        }
    }

    private func noteFailure(of number: Int64) {
        doubts.withLock { doubts in
            guard var doubt = doubts.files[number] else {
                doubts.files[number] = Doubt()
                doubts.isSaved = false
                return
            }
            doubt.next = .now.advanced(
                by: min(Duration.seconds(1).doubled(times: doubt.failures), Self.longestPause))
            doubt.failures +|= 1
            doubts.files[number] = doubt
        }
    }

    /// Flushes the filesystem of an open folder, for these files. Returns false if that fails, or
    /// ever has: the failure of another file is reported once, too.
    func flushFilesystem(_ descriptor: Int32, for numbers: [Int64]) -> Bool {
        if doubts.withLock({ $0.hasFilesystemFailed }) { return false }
        let begun = unflushed.withLock { unflushed in numbers.compactMap { unflushed[$0] } }
            .map { (bytes: $0, changes: $0.changes) }
        guard calls.filesystem(descriptor) == 0 else {
            doubts.withLock { $0.hasFilesystemFailed = true }
            return false
        }
        for file in begun { file.bytes.noteFlushed(file.changes) }
        return true
    }

    // MARK: Unflushed bytes

    /// The unflushed bytes of a file.
    func bytes(of number: Int64) -> UnflushedBytes {
        unflushed.withLock { unflushed in
            if let known = unflushed[number] { return known }
            let bytes = UnflushedBytes(isNew: false)
            unflushed[number] = bytes
            return bytes
        }
    }

    /// Notes that a file is new, and has no bytes.
    func begin(_ number: Int64) {
        unflushed.withLock { $0[number] = UnflushedBytes(isNew: true) }
        forget(number)
    }

    /// Notes that a file is not needed any longer.
    func end(_ number: Int64) {
        _ = unflushed.withLock { $0.removeValue(forKey: number) }
    }

    // MARK: Doubts

    /// Whether a file's bytes may differ between memory and disk.
    func isDoubtful(_ number: Int64) -> Bool {
        doubts.withLock { $0.files[number] != nil }
    }

    /// Whether no flush of a file can succeed, because its bytes cannot be written anew.
    func isHopeless(_ number: Int64) -> Bool {
        isDoubtful(number) && !bytes(of: number).isComplete
    }

    /// Whether a file is to be flushed unasked: a doubtful one now and then only.
    func isDue(_ number: Int64) -> Bool {
        doubts.withLock { $0.files[number].map { $0.next <= .now } ?? true }
    }

    /// Notes that all bytes of a file are certain.
    func forget(_ number: Int64) {
        doubts.withLock { doubts in
            if doubts.files.removeValue(forKey: number) != nil { doubts.isSaved = false }
        }
    }

    /// Marks files that an earlier process has found doubtful.
    func restore(_ numbers: Set<Int64>) {
        doubts.withLock { doubts in
            for number in numbers { doubts.files[number] = Doubt() }
        }
    }

    /// The doubtful files, if they differ from those that were last returned.
    func unsavedDoubts() -> Set<Int64>? {
        doubts.withLock { doubts in
            defer { doubts.isSaved = true }
            return doubts.isSaved ? nil : Set(doubts.files.keys)
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
