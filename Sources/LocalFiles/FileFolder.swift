// The folder of a file: its path, its entries on the disk, and whether the file is still there.

import CLibrary

/// The path of the folder that a file is in: empty for a name alone, and `/` for the root itself.
package func folderPath(of path: String) -> String {
    let slash = UInt8(ascii: "/")
    var rest = Substring(path).utf8
    while rest.count > 1, rest.last == slash { rest.removeLast() }
    guard let end = rest.lastIndex(of: slash) else { return "" }
    rest = rest[..<end]
    while rest.last == slash { rest.removeLast() }
    return rest.isEmpty ? "/" : String(Substring(rest))
}

/// Makes the entries of a file's folder durable.
package func synchronizeFolder(of path: String) throws(DiskError) {
    let folder = folderPath(of: path)
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .current }
}

/// Whether a path still leads to an open file. If another process has removed its name or folder, a
/// lock on the file keeps no process out.
package func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
        && own.st_ino == named.st_ino && own.st_dev == named.st_dev
}
