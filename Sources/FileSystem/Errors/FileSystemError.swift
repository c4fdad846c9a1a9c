// The errors of operations, in POSIX terms. `Errno+FileSystemError.swift` alone turns an error into
// an errno.

/// Why an operation was refused or failed.
package enum FileSystemError: Error, Hashable, Sendable {
    /// No such name, or the file is gone.
    case noEntry
    /// A path component or the operand is not a folder.
    case notADirectory
    /// The operand is a folder.
    case isADirectory
    /// The name is taken, or collides with another one under Dropbox's folding.
    case exists
    /// The folder is not empty.
    case notEmpty
    /// The name is longer than 255 bytes.
    case nameTooLong
    /// The name is not valid UTF-8.
    case invalidEncoding
    /// An argument or a name that is invalid.
    case invalidArgument
    /// The mount, the shared folder or the token allows no writes.
    case readOnly
    /// Not allowed to this user or by the server.
    case accessDenied
    /// An operation that Dropbox lacks, such as a hard link or a device.
    case notPermitted
    /// The handle's content is no longer available.
    case staleHandle
    /// A handle or a mode that does not fit the operation.
    case badHandle
    /// Programs hold as many files open for writing as the process may have.
    case tooManyOpenFiles
    /// The local disk is full.
    case noSpace
    /// The account's quota is used up.
    case quotaExceeded
    /// Larger than a file on Dropbox may be.
    case tooLarge
    /// In use, or protected: a shared folder's mount point, a locked file.
    case busy
    /// Across namespaces that Dropbox cannot move between.
    case crossDevice
    /// The extended attribute does not exist.
    case noAttribute
    /// The result does not fit the caller's buffer.
    case bufferTooSmall
    /// The file has no such offset (`lseek`).
    case noSuchOffset
    /// Too many levels of folders or links.
    case tooManyLinks
    /// Offline, and the bytes are not cached.
    case offline
    /// The caller was interrupted while waiting.
    case interrupted
    /// Not supported for this operand; the kernel may repeat it for another one.
    case unsupported
    /// The kernel does it by itself, and no longer asks.
    case notImplemented
    /// Local disk, database or server failed in a way without an errno of its own; the text is for
    /// the log.
    case inputOutput(String)
}
