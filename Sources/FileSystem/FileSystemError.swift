// What can go wrong with an operation, in the words of POSIX. Which number each case has is in
// `Errno+FileSystemError.swift`; nothing else turns an error into an errno.

/// Why an operation was refused or failed.
public enum FileSystemError: Error, Hashable, Sendable {
    /// No such name, or the file is gone.
    case noEntry
    /// A path component or the operand is not a folder.
    case notADirectory
    /// The operand is a folder.
    case isADirectory
    /// The name is taken, or collides with another one under Dropbox's folding.
    case exists
    /// The folder has entries.
    case notEmpty
    /// The name is longer than 255 bytes.
    case nameTooLong
    /// The name is not valid UTF-8.
    case invalidEncoding
    /// An argument or a name that cannot be.
    case invalidArgument
    /// The mount, the shared folder or the token allows no writes.
    case readOnly
    /// Not allowed to this user or by the server.
    case accessDenied
    /// An operation that Dropbox has no notion of, such as a hard link or a device.
    case notPermitted
    /// The handle's content can no longer be had.
    case staleHandle
    /// A handle or a mode that does not fit the operation.
    case badHandle
    /// The local disk is full.
    case noSpace
    /// The account's quota is used up.
    case quotaExceeded
    /// Larger than Dropbox can store.
    case tooLarge
    /// In use, or protected: a shared folder's mount point, a locked file.
    case busy
    /// Across namespaces that Dropbox cannot move between.
    case crossDevice
    /// No such extended attribute.
    case noAttribute
    /// The result does not fit the caller's buffer.
    case bufferTooSmall
    /// The file has no such offset (`lseek`).
    case noSuchOffset
    /// Too many levels of folders or links.
    case tooManyLinks
    /// Offline, and not cached here.
    case offline
    /// The caller was interrupted while waiting.
    case interrupted
    /// Not supported for this operand; the kernel may ask again for another.
    case unsupported
    /// Local disk, database or server failed in a way that has no better name; the text is for the log.
    case inputOutput(String)
}
