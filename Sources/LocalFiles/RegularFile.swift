// Opening files that must be files. A FIFO, a device or a link in the place of one would have a
// command wait for ever, or read something else. Not responsible for their modes (`PrivateFile`).

import CLibrary
import Saturating

/// Files that are opened only if they are regular ones.
package enum RegularFile {
    /// Why a file was not opened or read.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// The system has refused, for this reason.
        case system(DiskError)
        /// Something else has the name.
        case notAFile
        /// It has more bytes than its reader takes.
        case tooLarge(limit: Int)

        /// The reason in a few words.
        package var description: String {
            switch self {
            case .system(let error): error.description
            case .notAFile: "not a file"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            }
        }

        /// The errno that says most of it.
        package var errno: Int32 {
            switch self {
            case .system(let error): error.errno
            case .notAFile: EINVAL
            case .tooLarge: EFBIG
            }
        }
    }

    /// Opens a file, like open(2), and closes it on exec; a new one is this user's only. Links are
    /// not followed.
    package static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
        // Not opened: that alone has an effect on some devices.
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw .notAFile }
        // A FIFO that has come since then is opened without waiting.
        let added = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        let descriptor = CLibrary.open(path, flags | added, 0o600)
        guard descriptor >= 0 else {
            if errno == ELOOP || errno == ENXIO || errno == EISDIR { throw .notAFile }
            throw .system(.current)
        }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile
        }
        return descriptor
    }

    /// Whether something that is no regular file has a name; also a link to one.
    package static func isOther(at path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// All bytes of a file; nil if there is none. Throws if it has more than `limit`.
    package static func contents(
        of path: String, limit: Int = .max
    ) throws(Failure) -> [UInt8]? {
        let descriptor: Int32
        do throws(Failure) {
            descriptor = try open(path, O_RDONLY)
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(.current) }
        var bytes: [UInt8] = []
        // It may grow: read until it gives nothing.
        let size = min(Int(clamping: status.st_size), 1 << 20)
        var buffer = [UInt8](repeating: 0, clamping: max(4096, size))
        while true {
            let count = buffer.withUnsafeMutableBytes {
                FileBytes.readOnce(
                    into: $0, at: Int64(clamping: bytes.count), from: descriptor)
            }
            guard count >= 0 else { throw .system(.current) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            if bytes.count > limit { throw .tooLarge(limit: limit) }
        }
    }
}
