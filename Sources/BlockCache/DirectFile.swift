// Reading and writing past the kernel's page cache. Not responsible for what is read and written, nor
// for what to do where that is refused.

import CFile
import Core
import Glibc
import Synchronization

/// A file whose large pieces travel between disk and process directly (O_DIRECT).
///
/// What is read through the mount lies in the kernel's pages as the mount's own. A second copy of it, as
/// pages of the cache's file, would cost half of all processor time of a cold read, and drive out of
/// memory what other programs use.
final class DirectFile: Sendable {
    /// Offsets, lengths and addresses are multiples of this: the largest logical block of common
    /// disks.
    private static let alignment = 4096
    /// Memory for what is written, which must begin at a multiple of the alignment.
    final class Buffer: Sendable {
        fileprivate static let size = 1 << 20
        /// It stays as it is, because fresh pages cost more than the copy. Lock: a leaf, held while a
        /// piece is written.
        fileprivate let bytes = Mutex([UInt8](repeating: 0, count: size +| alignment))
    }

    private let descriptor: Int32

    /// Opens an open file once more; nil where the filesystem has no such thing (tmpfs).
    init?(_ file: Int32) {
        descriptor = open("/proc/self/fd/\(file)", O_RDWR | O_CLOEXEC | CFILE_O_DIRECT)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// So many bytes, without what is no whole unit of the alignment.
    private static func wholeUnits(_ count: Int) -> Int {
        count / alignment *| alignment
    }

    /// Exactly `count` bytes from a multiple of the alignment on, or nil.
    func read(at offset: Int64, count: Int) -> [UInt8]? {
        let wanted = Self.wholeUnits(count +| (Self.alignment -| 1))
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted +| Self.alignment) {
            buffer, initialized in
            guard let first = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            let start = first.alignedUp(toMultipleOf: Self.alignment)
            var done = 0
            // A read that ends with the file ends where it likes, so there is no other piece.
            repeat {
                done = pread(descriptor, start, wanted, off_t(offset))
            } while done < 0 && errno == EINTR
            guard done >= count else { return }
            first.copyMemory(from: start, byteCount: count)
            initialized = count
        }
        return bytes.count == count ? bytes : nil
    }

    /// Writes the part of some bytes that is a multiple of the alignment, from a multiple of it on.
    /// Returns how many bytes that were: fewer when the disk refused.
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
                    let written = pwrite(
                        descriptor, start, piece, off_t(offset +| Int64(clamping: done)))
                    if written < 0 && errno == EINTR { continue }
                    // What was written in part may end anywhere; the rest is not aligned then.
                    guard written == piece else { return done }
                    done +|= piece
                }
                return done
            }
        }
    }
}
