// The export of a cloud document on the local disk, in a file without a name: so nothing is left of it when the process ends,
// and a handle can read to the end what others no longer keep. Not responsible for which exports are kept.

import Glibc
import RemoteStore
import Saturating
import Synchronization

/// An export of a cloud document, whole.
package final class ExportedFile: Sendable {
    /// Distinguishes the exports of this process: two of one revision need not have the same bytes.
    let number: UInt64
    /// The size in bytes.
    let size: Int64
    private let file: UnnamedFile

    private static let numbers = Atomic<UInt64>(0)

    /// Takes over a file that has all bytes.
    init(_ file: UnnamedFile, size: Int64) {
        self.file = file
        self.size = size
        number = Self.numbers.add(1, ordering: .relaxed).newValue
    }

    /// The bytes from an offset; fewer than `count` only at the end.
    func read(at offset: Int64, count: Int) throws(ExportFailure) -> [UInt8] {
        let end = min(size, offset +| Int64(clamping: count))
        guard offset >= 0, offset < end else { return [] }
        let wanted = Int(clamping: end -| offset)
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
            done = 0
            let space = UnsafeMutableRawBufferPointer(buffer)
            while done < wanted {
                let rest = UnsafeMutableRawBufferPointer(rebasing: space[done..<wanted])
                let place = off_t(clamping: offset +| Int64(clamping: done))
                let count = pread(file.descriptor, rest.baseAddress, rest.count, place)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    failure = count < 0 ? errno : EIO
                    return
                }
                done +|= count
            }
        }
        if let failure { throw .local(failure) }
        return bytes
    }
}

/// A file that has lost its name, and goes with its descriptor.
final class UnnamedFile: Sendable {
    let descriptor: Int32

    /// Makes an empty file in a folder.
    init(in folder: String) throws(ExportFailure) {
        var template = Array((folder + "/.export.XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .local(errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit {
        close(descriptor)
    }

    /// Writes all bytes; returns the errno of a failure.
    func write(_ bytes: [UInt8], at offset: Int64) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let place = off_t(clamping: offset +| Int64(clamping: done))
                let count = pwrite(descriptor, rest.baseAddress, rest.count, place)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                done +|= count
            }
            return nil
        }
    }
}
