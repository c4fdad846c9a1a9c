// Folders that only their owner can access.

import CLibrary

/// Folders of mode 0700.
package enum PrivateFolder {
    /// The treatment of an existing folder that other users can access.
    package enum Opening: Hashable, Sendable {
        /// The folder is made private.
        case closed
        /// The folder is refused: its files may have been read already.
        case refused
    }

    /// Creates a folder and its parents; the last one is private to the user.
    ///
    /// Refuses a folder of another user, and a link to a folder: files in it could be read or
    /// replaced.
    package static func make(
        _ path: String, ifOpen opening: Opening = .closed
    ) throws(PrivateFileError) {
        var status = stat()
        if lstat(path, &status) != 0 {
            let parent = folderPath(of: path)
            if !parent.isEmpty, access(parent, F_OK) != 0 {
                try make(parent)
            }
            if mkdir(path, 0o700) != 0, errno != EEXIST {
                let error = DiskError.current
                throw error.errno == ENOSPC
                    ? .diskFull(path) : .unwritable(path, reason: error.description)
            }
        }
        // The maker of a link chooses its target, which would be made private.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else {
            throw .unwritable(
                path, reason: "a symbolic link; name the folder it leads to")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .unwritable(path, reason: "not a directory")
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw .unwritable(path, reason: DiskError.current.description) }
        defer { close(folder) }
        guard fstat(folder, &status) == 0, status.st_uid == geteuid() else {
            throw .folderTooOpen(path)
        }
        if status.st_mode & 0o077 != 0 {
            guard opening == .closed, fchmod(folder, 0o700) == 0 else { throw .folderTooOpen(path) }
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw .unwritable(path, reason: DiskError.current.description)
        }
    }
}
