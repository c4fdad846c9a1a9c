// Reading and writing ranges of local files: once, or until all is done. Not responsible for what a
// shorter file means.

import CLibrary
import Saturating

/// Reads and writes ranges of a file by its descriptor.
package enum FileBytes {
    /// Reads until the buffer is full or the system gives nothing, and returns how much that was;
    /// errno says why not all: EIO at the end of the file.
    package static func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, from descriptor: Int32
    ) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(done))
            let count = readOnce(
                into: rest, at: offset +| Int64(clamping: done), from: descriptor)
            if count == 0 { errno = EIO }
            guard count > 0 else { return done }
            done +|= count
        }
        return done
    }

    /// Reads in one call, which a signal may repeat. Returns how much that was: 0 at the end of the
    /// file, -1 with errno for a failure.
    package static func readOnce(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, from descriptor: Int32
    ) -> Int {
        while true {
            let count = pread(
                descriptor, buffer.baseAddress, buffer.count, off_t(clamping: offset))
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// Writes until all is done or the system takes nothing, and returns how much that was; errno
    /// says why not all.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to descriptor: Int32
    ) -> Int {
        write(bytes, at: offset) { writeOnce($0, at: $1, to: descriptor) }
    }

    /// The same by another function that writes in one call, which a signal may interrupt.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64,
        once: (UnsafeRawBufferPointer, Int64) -> Int
    ) -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(done))
            let count = once(rest, offset +| Int64(clamping: done))
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = EIO }
            guard count > 0 else { return done }
            done +|= count
        }
        return done
    }

    /// Writes in one call, which a signal may repeat. Returns how much that was, or -1 with errno
    /// for a failure.
    package static func writeOnce(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to descriptor: Int32
    ) -> Int {
        while true {
            let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(clamping: offset))
            guard count < 0, errno == EINTR else { return count }
        }
    }
}
