// The part file of a download, in the target's folder. All calls block for the disk.

import CLibrary
package import ContentHashing
package import LocalFiles
import Saturating

/// The bytes of a download received so far.
package final class PartFile: Sendable {
    private let descriptor: Int32
    package let path: String

    /// Opens or creates the part file.
    package init(_ path: String) throws(DiskError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .current }
        self.descriptor = descriptor
        self.path = path
    }

    /// The outcome of an attempt to have a file to oneself.
    enum Claim: Hashable {
        /// This transfer has the file until it is closed.
        case granted
        /// Another transfer has it.
        case refused
        /// Another file, or none, is at the path: the transfer that had this one has renamed or
        /// removed it since it was opened.
        case outdated
    }

    /// Opens or creates a part file that this transfer has to itself; nil while another one has it.
    static func claimed(_ path: String) throws(DiskError) -> PartFile? {
        for _ in 1...attempts {
            let part = try PartFile(path)
            switch part.claim() {
            case .granted: return part
            case .refused: return nil
            case .outdated: continue
            }
        }
        return nil
    }

    /// How often a file is opened that others take away at that moment.
    private static let attempts = 8

    /// Tries to have the file to itself.
    func claim() -> Claim {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return .refused }
        return isFile(descriptor, at: path) ? .granted : .outdated
    }

    deinit {
        close(descriptor)
    }

    /// A unique name in the same folder.
    package static func name(beside file: String, id: UInt64) -> String {
        let (folder, name) = split(file)
        // Names have 255 bytes at most.
        let short = String(decoding: Array(name.utf8).prefix(200), as: UTF8.self)
        return folder + "." + short + "." + String(id, radix: 16) + ".part"
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let start = end ?? path.startIndex
        return (String(path[..<start]), String(path[start...]))
    }

    /// The length of the bytes received so far, and their hasher. A file of more than `limit` bytes
    /// belongs to another download and is truncated.
    package func contents(limit: UInt64) throws(DiskError) -> (
        length: UInt64, hasher: ContentHasher
    ) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current }
        if UInt64(clamping: status.st_size) > limit { try truncate() }
        var hasher = ContentHasher()
        let length = try Self.hash(descriptor, into: &hasher)
        return (length, hasher)
    }

    package func write(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
        let done = bytes.withUnsafeBytes {
            FileBytes.write($0, at: Int64(clamping: offset), to: descriptor)
        }
        guard done == bytes.count else { throw .current }
    }

    /// Gives up the bytes behind `length`.
    package func truncate(to length: UInt64 = 0) throws(DiskError) {
        guard ftruncate(descriptor, off_t(clamping: length)) == 0 else { throw .current }
    }

    /// `SEEK_HOLE` of lseek(2), which the C library shows to GNU programs only.
    private static let seekHole: Int32 = 4

    /// The digests of the whole blocks from the start of the file; the bytes behind them are given
    /// up, as are bytes behind `limit`.
    package func wholeBlocks(limit: UInt64) throws(DiskError) -> [ContentHash] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current }
        let block = UInt64(clamping: ContentHasher.blockSize)
        // A download that was killed leaves gaps, which would be read as zeros.
        #if os(Linux)
            let gap = lseek(descriptor, 0, Self.seekHole)
        #else
            let gap: off_t = -1
        #endif
        let length = UInt64(clamping: gap < 0 ? status.st_size : min(status.st_size, gap))
        let count = length <= limit ? length.divided(by: block) : 0
        try truncate(to: count *| block)
        var digests: [ContentHash] = []
        for index in 0..<count {
            let descriptor = descriptor
            do {
                digests.append(
                    try ContentHasher.blockDigest(size: ContentHasher.blockSize) { offset, part in
                        try Self.fill(
                            part, from: descriptor, at: index *| block +| UInt64(clamping: offset))
                    })
            } catch {
                throw error as? DiskError ?? DiskError(errno: EIO)
            }
        }
        return digests
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: UInt64
    ) throws(DiskError) {
        let done = FileBytes.read(into: buffer, at: Int64(clamping: offset), from: descriptor)
        guard done == buffer.count else { throw .current }
    }

    package func synchronize() throws(DiskError) {
        guard fsync(descriptor) == 0 else { throw .current }
    }

    /// Renames the part file to the target atomically and durably. False when another file exists
    /// there and must stay. A device, a pipe or a socket is never replaced: ENOTSUP.
    package func place(at target: String, replacing: Bool) throws(DiskError) -> Bool {
        if replacing {
            var status = stat()
            if lstat(target, &status) == 0, ![S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) {
                throw DiskError(errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOTSUP)
            }
            guard rename(path, target) == 0 else { throw .current }
        } else {
            if link(path, target) != 0 {
                guard errno == EEXIST else { throw .current }
                // Linked by an earlier attempt that crashed before the unlink, or a foreign file.
                guard try isSameFile(as: target) else { return false }
            }
            unlink(path)
        }
        try synchronizeFolder(of: target)
        return true
    }

    private func isSameFile(as target: String) throws(DiskError) -> Bool {
        var own = stat()
        var other = stat()
        guard fstat(descriptor, &own) == 0, lstat(target, &other) == 0 else { throw .current }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    // MARK: Other files

    /// Whether nothing exists at a path.
    package static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    package static func remove(_ path: String) {
        unlink(path)
    }

    /// The hash of a file's content; nil when it cannot be read.
    package static func hash(of path: String) -> ContentHash? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hasher = ContentHasher()
        guard (try? hash(descriptor, into: &hasher)) != nil else { return nil }
        return hasher.finalized()
    }

    @discardableResult
    private static func hash(
        _ descriptor: Int32, into hasher: inout ContentHasher
    ) throws(DiskError) -> UInt64 {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: UInt64 = 0
        while true {
            let count = buffer.withUnsafeMutableBytes {
                FileBytes.readOnce(into: $0, at: Int64(clamping: offset), from: descriptor)
            }
            guard count >= 0 else { throw .current }
            guard count > 0 else { return offset }
            hasher.update(buffer[..<count])
            offset +|= UInt64(clamping: count)
        }
    }
}
