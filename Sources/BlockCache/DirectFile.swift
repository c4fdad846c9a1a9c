// Direct I/O, bypassing the kernel's page cache. Not responsible for the data, nor for the fallback
// where direct I/O is unsupported.

import CLinux
import Core
import Glibc
import LocalFiles
import Saturating
import Synchronization

/// A file whose large pieces are transferred with direct I/O (O_DIRECT).
///
/// Data read through the mount is in the page cache as the mount's own pages. A second copy of it,
/// as pages of the cache's file, would cost half of all processor time of a cold read, and evict
/// other programs' data from memory.
final class DirectFile: Sendable {
    /// Offsets, lengths and addresses are multiples of this: the largest logical block of common
    /// disks.
    private static let alignment = 4096
    /// Memory for writes, which must start at a multiple of the alignment.
    final class Buffer: Sendable {
        fileprivate static let size = 1 << 20
        /// It is kept, because fresh pages cost more than the copy. Lock: a leaf, held while a
        /// piece is written.
        fileprivate let bytes = Mutex([UInt8](repeating: 0, count: size +| alignment))
    }

    private let descriptor: Int32

    /// Opens an open file a second time; nil if the filesystem does not support direct I/O (tmpfs).
    init?(_ file: Int32) {
        descriptor = open("/proc/self/fd/\(file)", O_RDWR | O_CLOEXEC | CLINUX_O_DIRECT)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Rounds down to a multiple of the alignment.
    private static func wholeUnits(_ count: Int) -> Int {
        count / Self.alignment *| Self.alignment
    }

    /// Exactly `count` bytes from an aligned offset, or nil.
    func read(at offset: Int64, count: Int) -> [UInt8]? {
        let wanted = Self.wholeUnits(count +| (Self.alignment -| 1))
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted +| Self.alignment) {
            buffer, initialized in
            guard let first = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            let start = first.alignedUp(toMultipleOf: Self.alignment)
            // A short read means the end of the file, so there is no second piece.
            let done = FileBytes.readOnce(
                into: UnsafeMutableRawBufferPointer(start: start, count: wanted), at: offset,
                from: descriptor)
            guard done >= count else { return }
            first.copyMemory(from: start, byteCount: count)
            initialized = count
        }
        return bytes.count == count ? bytes : nil
    }

    /// Writes the aligned part of the bytes at an aligned offset. Returns the number of bytes
    /// written: fewer when a write failed.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, by buffer: Buffer) -> Int {
        guard let address = bytes.baseAddress else { return 0 }
        let count = Self.wholeUnits(bytes.count)
        return buffer.bytes.withLock { buffer in
            buffer.withUnsafeMutableBytes { buffer in
                guard let first = buffer.baseAddress else { return 0 }
                let start = first.alignedUp(toMultipleOf: Self.alignment)
                var done = 0
                while done < count {
                    let piece = min(Buffer.size, count -| done)
                    start.copyMemory(from: address.advanced(by: done), byteCount: piece)
                    let written = FileBytes.writeOnce(
                        UnsafeRawBufferPointer(start: start, count: piece),
                        at: offset +| Int64(clamping: done), to: descriptor)
                    // A partial write may end anywhere; the remainder is unaligned then.
                    guard written == piece else { return done }
                    done +|= piece
                }
                return done
            }
        }
    }
}
