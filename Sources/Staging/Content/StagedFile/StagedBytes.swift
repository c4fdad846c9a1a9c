// The bytes of one staging file: every call on its descriptor. Not responsible for what they mean
// (`StagedFile`), nor for when they are flushed.

import CLinux
import Core
import Glibc
import LocalFiles
import MetadataStore
import Saturating

/// An open staging file.
struct StagedBytes: ~Copyable, Sendable {
    /// The result of a search for data or a hole.
    enum Found {
        /// It begins here; a hole perhaps at the file's end.
        case at(Int64)
        /// The file ends before the offset, or has no data behind it.
        case beyondEnd
        /// The filesystem below does not say.
        case unknown
    }

    private let descriptor: Int32
    private let number: Int64
    /// Gets rows whose bytes may not be flushed yet.
    let flusher: StagingFlusher
    /// Gets all changes of the file.
    private let unflushed: UnflushedBytes

    /// Takes an open file, and closes it at the end.
    init(_ descriptor: Int32, of number: Int64, flusher: StagingFlusher) {
        self.descriptor = descriptor
        self.number = number
        self.flusher = flusher
        unflushed = flusher.disk.bytes(of: number)
    }

    deinit {
        close(descriptor)
    }

    // MARK: Changing

    /// Writes bytes. Returns how many the disk has taken, if it refused the others, and throws if
    /// it has taken none. On a full disk, cached content gives way.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(StagingError) -> PartialWrite? {
        guard let reserve = flusher.reserve else {
            return try unflushed.write(bytes, at: offset, to: descriptor)
        }
        guard reserve.admits(.growth) else { throw StagingError(code: ENOSPC) }
        var done = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(done))
            let refusal: StagingError
            do throws(StagingError) {
                let start = offset +| Int64(clamping: done)
                guard let part = try unflushed.write(rest, at: start, to: descriptor) else {
                    return nil
                }
                done +|= part.count
                refusal = part.refusal
            } catch {
                refusal = error
            }
            guard refusal.isOfFullDisk, reserve.makeRoom(for: Int64(clamping: rest.count)) else {
                guard done > 0 else { throw refusal }
                return PartialWrite(count: done, refusal: refusal)
            }
        }
    }

    /// Runs calls that leave the file's content what its row says: by a later time, a start would
    /// take it for changed.
    func keepingTime<Value>(
        _ body: () throws(StagingError) -> Value
    ) throws(StagingError) -> Value {
        try Self.keepingTime(of: descriptor, body)
    }

    /// The same for an open file.
    static func keepingTime<Value>(
        of descriptor: Int32, _ body: () throws(StagingError) -> Value
    ) throws(StagingError) -> Value {
        let times = try FileTimes(of: descriptor)
        defer { times.set(for: descriptor) }
        return try body()
    }

    /// The same for calls that leave the content so if they fail.
    func keepingTimeIfRefused<Value>(
        _ body: () throws(StagingError) -> Value
    ) throws(StagingError) -> Value {
        let times = try times
        do throws(StagingError) {
            return try body()
        } catch {
            set(times)
            throw error
        }
    }

    /// The file's own times.
    var times: FileTimes {
        get throws(StagingError) { try FileTimes(of: descriptor) }
    }

    func set(_ times: FileTimes) {
        times.set(for: descriptor)
    }

    /// Zeroes a range of the file, and frees its disk space. Zeros are not written instead: they
    /// would take space, and a range may be larger than any disk.
    func zero(_ range: Range<Int64>) throws(StagingError) {
        if !range.isEmpty { try Self.zero(range, in: descriptor, unflushed) }
    }

    /// The same for an open file, and a range that is not empty.
    static func zero(
        _ range: Range<Int64>, in descriptor: Int32, _ unflushed: UnflushedBytes
    ) throws(StagingError) {
        try unflushed.change { () throws(StagingError) in
            while clinux_punch_hole(descriptor, Int(clamping: range.lowerBound), range.count) != 0 {
                guard errno == EINTR else { throw StagingError(code: errno) }
            }
        }
    }

    func resize(to size: Int64) throws(StagingError) {
        try unflushed.resize(to: size, descriptor)
    }

    /// Copies the data of another file, not its holes; shared by both files if the filesystem
    /// supports that. Returns false if the system cannot.
    func copyData(from source: borrowing StagedBytes) -> Bool {
        if let reserve = flusher.reserve, !reserve.admits(.growth) { return false }
        let (source, target) = (source.descriptor, descriptor)
        return unflushed.change { Self.copyData(from: source, to: target) }
    }

    private static func copyData(from source: Int32, to target: Int32) -> Bool {
        var end: Int64 = 0
        do throws(StagingError) {
            while let range = try DataRange.next(in: source, from: end) {
                end = range.upperBound
                var from = range.lowerBound
                var to = from
                while from < end {
                    let rest = Int(clamping: end -| from)
                    let count = clinux_copy_range(source, &from, target, &to, rest)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return false }
                }
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Reading

    /// Reads as many bytes as one call returns: 0 at the end of the file.
    func readOnce(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StagingError) -> Int {
        let count = FileBytes.readOnce(into: buffer, at: offset, from: descriptor)
        guard count >= 0 else { throw StagingError(code: errno) }
        return count
    }

    /// Size of the file, which may differ from that of the content.
    var size: Int64 {
        get throws(StagingError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw StagingError(code: errno) }
            return Int64(clamping: status.st_size)
        }
    }

    /// Whether the file has all bytes that content has in it. Not so if it was damaged, or is cut
    /// off concurrently.
    func isLong(enoughFor content: StagedContent) -> Bool {
        guard let size = try? size else { return false }
        return size >= content.neededFileSize
    }

    /// Bytes that the file occupies on this disk; nil if the disk does not say.
    var occupied: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return Int64(clamping: status.st_blocks) *| 512
    }

    func data(from offset: Int64) -> Found {
        search(from: offset, CLINUX_SEEK_DATA)
    }

    func hole(from offset: Int64) -> Found {
        search(from: offset, CLINUX_SEEK_HOLE)
    }

    private func search(from offset: Int64, _ kind: CInt) -> Found {
        let found = Int64(clamping: lseek(descriptor, off_t(clamping: offset), kind))
        if found >= 0 { return .at(found) }
        return errno == ENXIO ? .beyondEnd : .unknown
    }

    /// The file's own modification time; nil if fstat fails.
    var stamp: WallTime? { Self.stamp(of: descriptor) }

    /// The modification time of an open staging file; nil if fstat fails.
    static func stamp(of descriptor: Int32) -> WallTime? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return WallTime(modificationTimeOf: status)
    }

    // MARK: Flushing

    /// Whether a flush of the bytes has failed, and none has succeeded since.
    var isDoubtful: Bool { flusher.disk.isDoubtful(number) }

    /// Forgets failed flushes, because the content begins anew.
    func forgetDoubts() {
        flusher.disk.forget(number)
    }

    /// Flushes the bytes, and has it saved if that has changed whether they are doubtful.
    func flush() throws(StagingError) {
        try flusher.flush(descriptor, of: number)
    }

    /// Flushes the bytes in a transaction.
    func flushInTransaction() throws(StagingError) {
        try flusher.disk.flush(descriptor, of: number)
    }

    /// Flushes the names of all staging files.
    func flushName() throws(StagingError) {
        try flusher.flushFolder()
    }

    /// Has a saved generation flushed in the background.
    func flushLater(_ generation: Int64, of inode: InodeID) {
        flusher.add(FlushedContent(inode: inode, file: number, generation: generation))
    }
}

/// The times of an open staging file.
struct FileTimes {
    private let times: [timespec]

    fileprivate init(of descriptor: Int32) throws(StagingError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StagingError(code: errno) }
        times = [status.st_atim, status.st_mtim]
    }

    fileprivate func set(for descriptor: Int32) {
        _ = times.withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
    }
}

extension WallTime {
    /// The modification time of a local file.
    init(modificationTimeOf status: stat) {
        self.init(
            seconds: Int64(clamping: status.st_mtim.tv_sec),
            nanoseconds: Int64(clamping: status.st_mtim.tv_nsec))
    }
}
