// Errors of files with secrets. Not responsible for the remedy: the caller knows the file's
// purpose.

/// The reason why a private file or folder was refused, or could not be used.
package enum PrivateFileError: Error, Hashable, Sendable {
    /// The file belongs to another user, or other users can read it.
    case fileTooOpen(String)
    /// The folder belongs to another user, or other users can access it.
    case folderTooOpen(String)
    /// The file cannot be read.
    case unreadable(String, reason: String)
    /// The file or folder cannot be written, created or removed.
    case unwritable(String, reason: String)
    /// The disk has no free space.
    case diskFull(String)
}
