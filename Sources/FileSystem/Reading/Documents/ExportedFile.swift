// The export of a cloud document on the local disk. A handle can read it to the end when it has
// lost its name. Not responsible for which exports are kept, nor for their names (ExportsFolder).

import Glibc
import LocalFiles
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
    /// The path of its file; nil if that has no name.
    private let path: String?

    private static let numbers = Atomic<UInt64>(0)

    /// Takes over a file that has all bytes.
    init(_ file: UnnamedFile, size: Int64, path: String?) {
        self.file = file
        self.size = size
        self.path = path
        number = Self.numbers.add(1, ordering: .relaxed).newValue
    }

    /// Whether the file still has all bytes. It may lose some: its folder is that of the cache,
    /// which users and disks change.
    var isWhole: Bool {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 && Int64(clamping: status.st_size) == size
    }

    /// Removes its name: later mounts do not get it.
    func forget() {
        if let path { unlink(path) }
    }

    /// The bytes from an offset; fewer than `count` only at the end.
    func read(at offset: Int64, count: Int) throws(ExportFailure) -> [UInt8] {
        let end = min(size, offset +| Int64(clamping: count))
        guard offset >= 0, offset < end else { return [] }
        let wanted = Int(clamping: end -| offset)
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
            let space = UnsafeMutableRawBufferPointer(buffer)
            let part = UnsafeMutableRawBufferPointer(rebasing: space.prefix(wanted))
            done = FileBytes.read(into: part, at: offset, from: file.descriptor)
            if done < wanted { failure = errno }
        }
        if let failure { throw .local(failure) }
        return bytes
    }
}

/// A file that has no name while it is written, so that nothing of it is left when the process
/// ends.
final class UnnamedFile: Sendable {
    let descriptor: Int32

    /// Takes over a descriptor.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Makes an empty file in a folder. It can get a name where the filesystem has O_TMPFILE, as
    /// most have.
    init(in folder: String) throws(ExportFailure) {
        let unnamed = open(folder, ExportsFolder.unnamed | O_RDWR | O_CLOEXEC, 0o600)
        guard unnamed < 0 else {
            descriptor = unnamed
            return
        }
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
        bytes.withUnsafeBytes {
            FileBytes.write($0, at: offset, to: descriptor) == $0.count ? nil : errno
        }
    }
}
