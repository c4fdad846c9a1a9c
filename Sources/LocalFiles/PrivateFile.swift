// Files with secrets: a file that other users can read or have created is refused, and a new
// version replaces the old one atomically.

import CLibrary

/// Small files of mode 0600.
package enum PrivateFile {
    /// One version of a file that is always replaced and never modified.
    package struct Version: Hashable, Sendable {
        private let inode: UInt64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            inode = UInt64(clamping: status.st_ino)
            // The change time distinguishes files whose inode number is reused.
            seconds = status.st_ctim.tv_sec
            nanoseconds = status.st_ctim.tv_nsec
        }
    }

    /// The current version of a file; nil when there is none.
    package static func version(of path: String) -> Version? {
        var status = stat()
        return lstat(path, &status) == 0 ? Version(status) : nil
    }

    /// Whether the file certainly does not exist, as opposed to a failing disk.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// A file's text; nil when the file does not exist. Throws when it has more than `limit` bytes
    /// or is no regular file. Links are not followed: they could lead to a file of another user.
    package static func read(
        _ path: String, limit: Int = 16384
    ) throws(PrivateFileError) -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(path, reason: DiskError.current.description)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unreadable(path, reason: DiskError.current.description)
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .fileTooOpen(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path, reason: "not a file")
        }
        guard status.st_size <= limit else {
            throw .unreadable(path, reason: "larger than \(limit) bytes")
        }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = buffer.withUnsafeMutableBytes {
            FileBytes.readOnce(into: $0, at: 0, from: descriptor)
        }
        guard count >= 0 else { throw .unreadable(path, reason: DiskError.current.description) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Replaces a file by one of mode 0600 with this text, durable before the rename.
    ///
    /// The new file has a unique temporary name, so that concurrent writers do not mix.
    package static func replace(_ path: String, with text: String) throws(PrivateFileError) {
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw unwritable(path, .current) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let temporary = String(
            decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(DiskError) {
            try fill(descriptor, with: text)
            if rename(temporary, path) != 0 { throw .current }
        } catch {
            unlink(temporary)
            throw unwritable(path, error)
        }
        // The file itself is durable, under one of its two names.
        try? synchronizeFolder(of: path)
    }

    /// Removes a file, if there is one, and the temporary files of a `replace` that was killed:
    /// they contain a secret, too.
    package static func remove(_ path: String) throws(PrivateFileError) {
        if unlink(path) != 0, errno != ENOENT {
            throw .unwritable(path, reason: DiskError.current.description)
        }
        let folder = folderPath(of: path)
        for name in folderNames(in: folder) where isPath(folder + "/" + name, leftFrom: path) {
            unlink(folder + "/" + name)
        }
        try? synchronizeFolder(of: path)
    }

    /// Whether a text can be a token: only characters that an HTTP header allows, because a line
    /// break could add headers.
    package static func isSecret(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Writes a new file's bytes durably and closes the descriptor once: another thread may reuse
    /// its number right after.
    private static func fill(_ descriptor: Int32, with text: String) throws(DiskError) {
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let done = bytes.withUnsafeBytes { FileBytes.write($0, at: 0, to: descriptor) }
        guard done == bytes.count, fsync(descriptor) == 0 else { throw .current }
    }

    private static func unwritable(_ path: String, _ error: DiskError) -> PrivateFileError {
        error.errno == ENOSPC
            ? .diskFull(path) : .unwritable(path, reason: error.description)
    }

    /// Whether a path is that of a temporary file of `replace`.
    private static func isPath(_ path: String, leftFrom target: String) -> Bool {
        path.utf8.starts(with: (target + ".").utf8)
            && path.utf8.dropFirst(target.utf8.count).count == 7
    }
}
