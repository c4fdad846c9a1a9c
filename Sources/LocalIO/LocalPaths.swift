// Paths of the local disk and small files on it. Not responsible for files with secrets: those are
// `PrivateFile`'s.

import CLibrary
import Saturating
package import SystemPackage

/// The absolute path, without `.`, `..` and doubled slashes. Does not use the disk, so it works
/// where a dead mount is in the way.
package func absolutePath(_ path: String) -> String {
    var full = path
    // By bytes: a name may begin with an accent, which makes one character with the slash.
    if path.utf8.first != UInt8(ascii: "/") {
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

/// A path that was resolved as far as a folder that must not be accessed.
package struct PartlyResolvedPath: Hashable, Sendable {
    /// That folder; nil if the path does not lead there, and all of it is resolved.
    package var folder: String?
    /// The path: as `resolvedPath` has it, but as written below the folder.
    package var path: String

    /// Memberwise and without defaults.
    package init(folder: String?, path: String) {
        self.folder = folder
        self.path = path
    }
}

/// The path with symbolic links resolved, up to the first folder of which `isEnd` is true, given
/// its path without links. Neither that folder nor anything below it is accessed: a mount that
/// hangs would hang this process too.
package func resolvedPath(
    _ path: String, endingAt isEnd: (String) -> Bool
) -> PartlyResolvedPath {
    var place = FilePath("/")
    var rest = Array(FilePath(absolutePath(path)).components.reversed())
    var links = 0
    while let component = rest.popLast() {
        switch component.kind {
        case .currentDirectory: continue
        case .parentDirectory:
            place.removeLastComponent()
            continue
        case .regular: place.append(component)
        }
        if isEnd(place.string) {
            var whole = place
            for component in rest.reversed() { whole.append(component) }
            return .init(folder: place.string, path: whole.lexicallyNormalized().string)
        }
        // A missing or unreadable part is kept as written, as is a circle of links.
        guard links < mostLinks, let target = linkTarget(place.string) else { continue }
        links +|= 1
        let link = FilePath(target)
        if link.isAbsolute { place = FilePath("/") } else { place.removeLastComponent() }
        rest.append(contentsOf: link.components.reversed())
    }
    return .init(folder: nil, path: place.string)
}

/// As many links as the kernel follows in one path: path_resolution(7).
private let mostLinks = 40

/// The target of a symbolic link; nil if the path is not that of one.
private func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count -| 1)
    guard count > 0 else { return nil }
    return text(of: buffer)
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
    if folder == "/" { return path.utf8.first == UInt8(ascii: "/") }
    return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder + "/").utf8)
}

/// Whether a path is a folder's, and not that of a link to one.
package func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
