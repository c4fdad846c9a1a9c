// Sources of whole files, opened when the upload reaches them. Not responsible for sending: see
// BodySource for the bytes of one request.

package import Blocking
import CLibrary
public import Essentials
import LocalFiles

#if os(Linux)
    import CLinux
#endif

/// Content that is opened when its upload starts, and read once from beginning to end.
///
/// All methods are called on a thread that may block for the local disk.
public protocol FileSource: Sendable {
    /// Opens the content. Throws when it cannot be read.
    func open() throws -> any OpenedFile
}

/// Open content; it is closed with the last reference.
public protocol OpenedFile: Sendable {
    /// The content's length in bytes.
    var length: UInt64 { get }

    /// Copies up to `buffer.count` bytes from `offset` into `buffer` and returns how many; zero
    /// past the end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Whether the content is unchanged since it was opened, as far as can be detected.
    func isUnchanged() throws -> Bool
}

/// A regular file by its path.
///
/// If the file is replaced by a rename during the upload, the content of the opened inode is sent;
/// a write to it is reported as a change.
public struct LocalFile: FileSource {
    /// The file's local path.
    public let path: String

    /// Takes over the path.
    public init(_ path: String) {
        self.path = path
    }

    /// The file of a URL. Throws `notFileURL` for other schemes.
    public init(_ url: URL) throws(Failure) {
        guard url.isFileURL else { throw .notFileURL }
        path = url.path
    }

    /// Why a file cannot be read.
    @nonexhaustive public enum Failure: DropboxError, Hashable, CustomStringConvertible {
        /// A system call failed with this error number.
        case system(errno: Int32)
        /// The path is a folder, a device or the like.
        case notRegular
        /// The URL has another scheme than `file`.
        case notFileURL

        /// The failure in words, to follow the file's name.
        public var description: String {
            switch self {
            case .system(let errno): String(cString: strerror(errno))
            case .notRegular: "it is not a regular file"
            case .notFileURL: "it is not the URL of a file"
            }
        }
        /// One line: what happened.
        public var summary: String { "the file cannot be read: \(description)" }
    }

    /// Opens the file. Throws `Failure`.
    public func open() throws -> any OpenedFile {
        try OpenedLocalFile(path)
    }
}

/// Identifies one state of a file: inode, size and modification time.
package struct FileIdentity: Hashable, Sendable {
    /// The number of the file's disk, which can be another one when the disk is mounted again.
    package var device: UInt64
    package var inode: UInt64
    package var size: UInt64
    /// Modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// Whether both are one state of a file, also if its disk has another number since.
    package func isSameState(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }

    init(_ status: stat) {
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            size: UInt64(clamping: status.st_size),
            modified: Int64(truncatingIfNeeded: status.st_mtim.tv_sec) &* 1_000_000_000
                &+ Int64(truncatingIfNeeded: status.st_mtim.tv_nsec))
    }
}

/// A local file that is open for reading.
package final class OpenedLocalFile: OpenedFile {
    fileprivate let descriptor: Int32
    /// The file as it was opened.
    package let identity: FileIdentity

    package var length: UInt64 { identity.size }

    package init(_ path: String) throws(LocalFile.Failure) {
        // A FIFO without a writer would hold the open.
        let descriptor = CLibrary.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let failure: LocalFile.Failure =
                status.st_mode & S_IFMT == 0 ? .system(errno: errno) : .notRegular
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        identity = FileIdentity(status)
    }

    deinit {
        close(descriptor)
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        let count = FileBytes.readOnce(
            into: buffer, at: Int64(clamping: offset), from: descriptor)
        guard count >= 0 else { throw LocalFile.Failure.system(errno: errno) }
        return count
    }

    /// Whether the file lies on a disk of this machine, or in its memory. Filesystems that are no
    /// partition, such as NFS and FUSE, have devices of the major number 0.
    var isAtHand: Bool {
        #if os(Linux)
            // As gnu_dev_major(3) has it.
            return identity.device >> 8 & 0xFFF != 0 || identity.device >> 44 != 0
                || Self.typesAtHand.contains(clinux_filesystem_type(descriptor))
        #else
            return false
        #endif
    }

    /// overlay, as in containers; Btrfs, ZFS and bcachefs, which may have several disks; tmpfs
    /// (statfs(2)).
    private static let typesAtHand: Set<UInt32> = [
        0x794C_7630, 0x9123_683E, 0x2FC1_2FC1, 0xCA45_1A4E, 0x0102_1994,
    ]

    package func isUnchanged() throws -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw LocalFile.Failure.system(errno: errno)
        }
        return FileIdentity(status) == identity
    }
}

extension FileBody {
    /// A whole regular file, with the length that it has now. Blocks for the local disk.
    ///
    ///     try await client.files.upload(path: "/a.jpg", body: FileBody(path: "/data/a.jpg"))
    ///
    /// One request takes it, so a file of more than 150 MiB is refused: `upload(file:to:)` takes
    /// any size.
    public convenience init(path: String) throws(LocalFile.Failure) {
        let file = try OpenedLocalFile(path)
        // Its last reference closes the descriptor, which must be open until it is duplicated.
        defer { withExtendedLifetime(file) {} }
        do throws(ReadError) {
            try self.init(descriptor: file.descriptor, length: file.length)
        } catch {
            throw .system(errno: error.errno)
        }
    }

    /// The whole regular file of a URL. Blocks for the local disk; throws `notFileURL` for other
    /// schemes.
    public convenience init(url: URL) throws(LocalFile.Failure) {
        try self.init(path: LocalFile(url).path)
    }
}

extension OpenedFile {
    /// The bytes of a range. Throws `FileUploadError.changed` when the file has fewer.
    package func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: Int(clamping: range.length)) { buffer, count in
            try UnsafeMutableRawBufferPointer(buffer).fill(from: range.lowerBound, reading: read)
            count = buffer.count
        }
    }
}

extension DiskQueue {
    /// The queue on which transferred files are opened, read and written.
    package static let transfers = DiskQueue(label: "dropbox.transfers")
}
