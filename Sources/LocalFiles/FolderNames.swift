// The names in a folder of the local disk. Not responsible for what the entries are.

import CLibrary

/// The names in a folder, as `namesOfFolder`; empty when it cannot be read.
package func folderNames(in path: String, followingLink: Bool = true) -> [String] {
    (try? namesOfFolder(path, followingLink: followingLink)) ?? []
}

/// The names in a folder without the dots, in the order of the filesystem. Throws when it cannot be
/// read.
///
/// - Parameter followingLink: Whether the path may be that of a symbolic link to the folder.
package func namesOfFolder(
    _ path: String, followingLink: Bool = true
) throws(DiskError) -> [String] {
    if followingLink {
        guard let folder = opendir(path) else { throw .current }
        defer { closedir(folder) }
        return try names { readdir(folder) }
    }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    guard let folder = fdopendir(descriptor) else {
        let error = DiskError.current
        close(descriptor)
        throw error
    }
    defer { closedir(folder) }
    return try names { readdir(folder) }
}

/// Reads all entries. A function reads the next one, because the type of an open folder differs
/// between systems.
private func names(_ next: () -> UnsafeMutablePointer<dirent>?) throws(DiskError) -> [String] {
    var names: [String] = []
    while true {
        // readdir(3) returns the same at the end and on an error.
        errno = 0
        guard let entry = next() else {
            guard errno == 0 else { throw .current }
            return names
        }
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
}
