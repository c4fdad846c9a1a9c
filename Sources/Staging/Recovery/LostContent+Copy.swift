// Copies content that was put aside to a new file. Never changes the content that was put aside.

import CLinux
import Core
import Glibc
import LocalFiles
import Saturating

extension LostContent {
    /// The ranges of the content, in bytes, that its file lacks, in order.
    package var missing: [Range<Int64>] {
        guard size > 0 else { return [] }
        let end = file == nil ? 0 : min(max(bytes, 0), size)
        guard let blocks else { return end < size ? [end..<size] : [] }
        var ranges: [Range<Int64>] = []
        var next: Int64 = 0
        for block in blocks.sorted() where block >= 0 {
            let start = StagedFile.blockSize *| Int64(clamping: block)
            guard start < end else { break }
            if start > next { ranges.append(next..<start) }
            next = max(next, min(start +| StagedFile.blockSize, end))
        }
        if next < size { ranges.append(next..<size) }
        return ranges
    }
}

extension LostAndFound {
    /// Writes all present bytes of a piece of content to a new file of mode 0600, which appears
    /// under its name as a whole and after it has reached the disk. Missing bytes are zeros.
    ///
    /// Throws EEXIST if the path exists, ENODATA if there is only a note.
    package func copy(_ entry: LostEntry, to path: String) throws(StagingError) {
        guard let file = file(of: entry) else { throw StagingError(code: ENODATA) }
        let source = try StagingError.opening(file, O_RDONLY)
        defer { close(source) }
        var status = stat()
        guard lstat(path, &status) != 0 else { throw StagingError(code: EEXIST) }
        let folder = Self.folder(of: path)
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let temporary = "\(folder)/.dbxfs-recover-\(random)"
        let target = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw StagingError(code: errno) }
        do throws(StagingError) {
            defer { close(target) }
            try Self.copyData(from: source, to: target, size: entry.content.size)
            // The time is optional: not every filesystem can set it.
            let time = timespec(tv_sec: time_t(clamping: entry.content.modified), tv_nsec: 0)
            _ = [time, time].withUnsafeBufferPointer { futimens(target, $0.baseAddress) }
            guard fsync(target) == 0 else { throw StagingError(code: errno) }
            try Self.nameNew(temporary, path)
        } catch {
            unlink(temporary)
            throw error
        }
        try Self.flush(folder)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(Substring(path.utf8[..<slash]))
    }

    /// Gives a file a name that must be free.
    static func nameNew(_ temporary: String, _ path: String) throws(StagingError) {
        if clinux_rename_new(temporary, path) == 0 { return }
        // A filesystem without RENAME_NOREPLACE has links.
        guard errno == EINVAL || errno == ENOSYS, link(temporary, path) == 0 else {
            throw StagingError(code: errno)
        }
        unlink(temporary)
    }

    static func flush(_ folder: String) throws(StagingError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StagingError(code: errno) }
        defer { close(descriptor) }
        // Some filesystems need no flush of a folder, and answer EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw StagingError(code: errno) }
    }

    /// Copies the data ranges; the rest stays a hole, up to the size of the content or of the file.
    private static func copyData(
        from source: Int32, to target: Int32, size: Int64
    ) throws(StagingError) {
        var status = stat()
        guard fstat(source, &status) == 0,
            ftruncate(target, max(off_t(clamping: size), status.st_size)) == 0
        else { throw StagingError(code: errno) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var end: Int64 = 0
        while let range = try DataRange.next(in: source, from: end) {
            try copy(range, from: source, to: target, &buffer)
            end = range.upperBound
        }
    }

    private static func copy(
        _ range: Range<Int64>, from source: Int32, to target: Int32, _ buffer: inout [UInt8]
    ) throws(StagingError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let rest = Int(clamping: range.upperBound -| position)
            let wanted = min(buffer.count, rest)
            let count = buffer.withUnsafeMutableBytes {
                FileBytes.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: $0.prefix(wanted)),
                    at: position,
                    from: source)
            }
            guard count > 0 else { throw StagingError(code: errno) }
            let written = buffer.withUnsafeBytes {
                FileBytes.write(
                    UnsafeRawBufferPointer(rebasing: $0.prefix(count)),
                    at: position,
                    to: target)
            }
            guard written == count else { throw StagingError(code: errno) }
            position +|= Int64(clamping: count)
        }
    }
}
