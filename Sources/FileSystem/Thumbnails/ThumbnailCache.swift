// The cache of thumbnails that the desktops of a user share, as files. Not responsible for what
// they are of. No symbolic link is followed in it, so that no program directs the files elsewhere.

import CLinux
import Glibc
import LocalFiles

/// The folder of a user's thumbnails.
package struct ThumbnailCache: Sendable {
    private let path: String

    /// Names the folder, which is made with the first thumbnail. The path is absolute, and free of
    /// symbolic links: one of these could lead onto the mount, which its own process must not use.
    package init(_ path: String) {
        self.path = path
    }

    /// Opens the folder of a size, and makes missing ones; nil if it is not the user's own.
    func folder(_ name: String) -> ThumbnailFolder? {
        let names = path.split(separator: "/").map(String.init)
        let above = "/" + names.dropLast(2).joined(separator: "/")
        var all = clinux_open_without_links(AT_FDCWD, above, UInt64(clamping: Self.flags), 1)
        for name in names.suffix(2) where all >= 0 {
            let parent = all
            mkdirat(parent, name, 0o700)
            all = openat(parent, name, Self.flags)
            close(parent)
        }
        guard all >= 0 else { return nil }
        defer { close(all) }
        mkdirat(all, name, 0o700)
        let descriptor = openat(all, name, Self.flags)
        guard descriptor >= 0 else { return nil }
        let folder = ThumbnailFolder(descriptor)
        return Self.isOwn(all) && Self.isOwn(descriptor) ? folder : nil
    }

    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    private static func isOwn(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
    }
}

/// The thumbnails of one size.
final class ThumbnailFolder: Sendable {
    /// Bytes of the beginning of a thumbnail, in which its texts are: three for each of the longest
    /// path, and some.
    private static let beginning = 16 << 10

    private let descriptor: Int32

    /// Takes over a descriptor.
    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The beginning of a thumbnail; empty if there is none.
    func beginning(of name: String) -> [UInt8] {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: Self.beginning) { buffer, count in
            count = FileBytes.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0, from: file)
        }
    }

    /// Writes a thumbnail in place of the one that may be there, for the user alone; returns
    /// whether that succeeded.
    ///
    /// Not durable, as it can be asked for again.
    func write(_ bytes: [UInt8], as name: String) -> Bool {
        let temporary = "\(name).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
        let file = openat(
            descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let count = bytes.withUnsafeBytes { FileBytes.write($0, at: 0, to: file) }
        close(file)
        guard count == bytes.count, renameat(descriptor, temporary, descriptor, name) == 0 else {
            unlinkat(descriptor, temporary, 0)
            return false
        }
        return true
    }
}
