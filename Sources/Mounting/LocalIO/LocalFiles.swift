// Helpers for local files: absolute paths, private folders, short texts.

import Glibc
package import PrivateFiles
import SystemPackage

/// The current errno as a value.
var currentErrno: Errno { Errno(rawValue: errno) }

/// The absolute path, without `.`, `..` and doubled slashes. Does not use the disk, so it works
/// where a dead mount is in the way.
package func absolutePath(_ path: String) -> String {
    var full = path
    if !path.hasPrefix("/") {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        if getcwd(&buffer, buffer.count) != nil {
            full = text(of: buffer) + "/" + path
        }
    }
    return FilePath(full).lexicallyNormalized().string
}

/// The path with symbolic links resolved in its existing part; the rest is kept as written.
package func resolvedPath(_ path: String) -> String {
    let absolute = absolutePath(path)
    var existing = FilePath(absolute)
    var rest: [FilePath.Component] = []
    while true {
        if let found = realpath(existing.string, nil) {
            defer { free(found) }
            var result = FilePath(String(cString: found))
            for component in rest.reversed() { result.append(component) }
            return result.string
        }
        guard let last = existing.lastComponent, existing.removeLastComponent() else {
            return absolute
        }
        rest.append(last)
    }
}

func text(of buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Reads a whole file as text.
func readText(_ path: String, limit: Int = 16 << 20) throws(CommandError) -> String {
    do {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        return try readText(file, limit: limit)
    } catch {
        throw .folderUnusable(path: path, reason: reason(error))
    }
}

private func readText(_ file: FileDescriptor, limit: Int) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while bytes.count < limit {
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { break }
        bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Replaces a file by one of mode 0600 with this text, durable before it takes the name.
package func writePrivately(_ text: String, to path: String) throws(CommandError) {
    do {
        try PrivateFile.replace(path, with: text)
    } catch {
        throw CommandError(error)
    }
}

/// Creates a folder and its parents; the last one is private to the user, or becomes so.
///
/// Refuses a folder of another user, who could read or replace files in it.
func makePrivateFolder(_ path: String) throws(CommandError) {
    do {
        try PrivateFolder.make(path)
    } catch {
        throw CommandError(error)
    }
}

extension CommandError {
    /// Translates the refusal of a private file or folder.
    package init(_ error: PrivateFileError) {
        self =
            switch error {
            case .fileTooOpen(let path): .credentialsTooOpen(file: path)
            case .folderTooOpen(let path): .folderNotPrivate(path)
            case .unreadable(let path, let reason):
                .credentialsUnreadable(file: path, reason: reason)
            case .unwritable(let path, let reason): .folderUnusable(path: path, reason: reason)
            case .diskFull(let path): .diskFull(path)
            }
    }
}

/// An error's text without the word "error" and without a number.
func reason(_ error: any Error) -> String {
    (error as? Errno)?.description ?? String(describing: error)
}

/// Whether a path is a folder's or lies below it. Both are absolute and without `.` or `..`.
package func isPath(_ path: String, within folder: String) -> Bool {
    if folder == "/" { return path.hasPrefix("/") }
    return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder + "/").utf8)
}

/// Whether a folder has no entries.
package func isEmptyFolder(_ path: String) throws(CommandError) -> Bool {
    do {
        return try namesOfFolder(path).isEmpty
    } catch {
        throw .folderUnusable(path: path, reason: error.description)
    }
}

/// Whether a path is a folder's, and not that of a link to one.
func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
