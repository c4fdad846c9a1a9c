// Reading files that hold secrets: nothing is taken from a file that others could have read or made.

import Glibc
import SystemPackage

/// Small files of mode 0600.
public enum PrivateFile {
    /// One version of a file that is always replaced and never changed.
    public struct Version: Hashable, Sendable {
        private let inode: UInt64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            inode = UInt64(status.st_ino)
            // When its entry was last changed: an inode's number may be used again.
            seconds = status.st_ctim.tv_sec
            nanoseconds = status.st_ctim.tv_nsec
        }
    }

    /// Which version of a file is there; nil when there is none.
    static func version(of path: String) -> Version? {
        var status = stat()
        return lstat(path, &status) == 0 ? Version(status) : nil
    }

    /// Whether there certainly is no such file, as opposed to a disk that does not answer.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// A file's text; nil when there is no such file. Links are not followed: they could lead to a file
    /// of somebody else.
    static func read(_ path: String, limit: Int = 16384) throws(CommandError) -> String? {
        do {
            let file = try FileDescriptor.open(
                path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
            defer { try? file.close() }
            var status = stat()
            guard fstat(file.rawValue, &status) == 0 else { throw currentErrno }
            guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
                throw CommandError.credentialsTooOpen(file: path)
            }
            var buffer = [UInt8](repeating: 0, count: limit)
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: buffer[..<count], as: UTF8.self)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch let error as CommandError {
            throw error
        } catch {
            throw .credentialsUnreadable(file: path, reason: reason(error))
        }
    }

    /// Whether a text can be a token: only what may stand in an HTTP header, for a line break would let
    /// it add headers.
    static func isSecret(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
