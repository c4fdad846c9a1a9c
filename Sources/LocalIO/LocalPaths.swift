// Paths of the local disk and small files on it. Not responsible for files with secrets: those are `PrivateFile`'s.

import CLibrary
package import SystemPackage

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

/// The text before the first zero byte.
package func text(of buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Reads a file as text, up to so many bytes.
package func readText(_ path: String, limit: Int = 16 << 20) throws(Errno) -> String {
    do {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        return try readText(file, limit: limit)
    } catch {
        throw error as? Errno ?? .ioError
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

/// Whether a path is a folder's or lies below it. Both are absolute and without `.` or `..`.
package func isPath(_ path: String, within folder: String) -> Bool {
    if folder == "/" { return path.hasPrefix("/") }
    return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder + "/").utf8)
}

/// Whether a path is a folder's, and not that of a link to one.
package func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
