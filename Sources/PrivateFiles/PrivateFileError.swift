// What can be wrong with files that hold secrets. Not responsible for saying what to do about it: whoever
// knows what the file is for does.

/// Why a private file or folder was refused, or could not be used.
public enum PrivateFileError: Error, Hashable, Sendable {
    /// The file is another user's, or others may read it.
    case fileTooOpen(String)
    /// The folder is another user's, or others may look into it.
    case folderTooOpen(String)
    /// The file cannot be read.
    case unreadable(String, reason: String)
    /// The file or folder cannot be written, made or removed.
    case unwritable(String, reason: String)
    /// There is no room on the disk.
    case diskFull(String)
}
