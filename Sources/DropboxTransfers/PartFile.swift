// A download until it is complete: a file with a name of its own beside where it will be. Blocks for the disk.

import ContentHashing
import DropboxAPI
import Glibc

/// What the local disk refused.
struct DiskError: Error {
    let errno: Int32

    /// The error of the call that has just failed.
    static var current: DiskError { DiskError(errno: Glibc.errno) }

    /// The failure that a transfer ends with.
    func failure(_ path: String) -> TransferFailure {
        TransferFailure(.localFile, "\(path): \(String(cString: strerror(errno)))")
    }
}

/// The bytes of a download that have come so far.
final class PartFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the file, or makes it.
    init(_ path: String) throws(DiskError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .current }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// A name in the same folder that nobody else uses.
    static func name(beside file: String, id: UInt64) -> String {
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

    /// How many bytes there are, and their hash so far. More than `limit` bytes are none of this download.
    func contents(limit: UInt64) throws(DiskError) -> (length: UInt64, hasher: ContentHasher) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current }
        if UInt64(max(0, status.st_size)) > limit { try truncate() }
        var hasher = ContentHasher()
        let length = try Self.hash(descriptor, into: &hasher)
        return (length, hasher)
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done,
                    off_t(offset) + off_t(done))
            }
            if count < 0 {
                guard errno == EINTR else { throw .current }
                continue
            }
            done += count
        }
    }

    func truncate() throws(DiskError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .current }
    }

    func synchronize() throws(DiskError) {
        guard fsync(descriptor) == 0 else { throw .current }
    }

    /// Gives the file its name, in one step, and makes that durable. False when another file is there and must stay.
    func place(at target: String, replacing: Bool) throws(DiskError) -> Bool {
        if replacing {
            guard rename(path, target) == 0 else { throw .current }
        } else {
            if link(path, target) != 0 {
                guard errno == EEXIST else { throw .current }
                // The first half of an earlier attempt, or somebody else's file.
                guard try isSameFile(as: target) else { return false }
            }
            unlink(path)
        }
        try Self.synchronizeFolder(of: target)
        return true
    }

    private func isSameFile(as target: String) throws(DiskError) -> Bool {
        var own = stat()
        var other = stat()
        guard fstat(descriptor, &own) == 0, lstat(target, &other) == 0 else { throw .current }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Makes the names in a file's folder durable.
    static func synchronizeFolder(of path: String) throws(DiskError) {
        let folder = split(path).folder
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .current }
    }

    // MARK: Other files

    /// Whether a path has nothing.
    static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    static func remove(_ path: String) {
        unlink(path)
    }

    /// The hash of a file's content; nil when it cannot be read.
    static func hash(of path: String) -> ContentHash? {
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
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count < 0 {
                guard errno == EINTR else { throw .current }
                continue
            }
            guard count > 0 else { return offset }
            hasher.update(buffer[..<count])
            offset += UInt64(count)
        }
    }
}
