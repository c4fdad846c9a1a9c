// Reading and writing ranges of local files until all is done. Not responsible for what a shorter
// file means.

import Glibc
import Saturating

enum FileBytes {
    /// Reads as much as the system gives, and returns how much that was; errno says why not all:
    /// EIO at the end of the file.
    static func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, from descriptor: Int32
    ) -> Int {
        guard let address = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, address.advanced(by: done), buffer.count -| done,
                off_t(clamping: offset +| Int64(clamping: done)))
            if count < 0 && errno == EINTR { continue }
            if count == 0 { errno = EIO }
            guard count > 0 else { return done }
            done +|= count
        }
        return done
    }

    /// Writes as much as the system takes, and returns how much that was; errno says why not all.
    static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to descriptor: Int32
    ) -> Int {
        guard let address = bytes.baseAddress else { return 0 }
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, address.advanced(by: done), bytes.count -| done,
                off_t(clamping: offset +| Int64(clamping: done)))
            if count < 0 && errno == EINTR { continue }
            if count == 0 { errno = EIO }
            guard count > 0 else { return done }
            done +|= count
        }
        return done
    }
}
