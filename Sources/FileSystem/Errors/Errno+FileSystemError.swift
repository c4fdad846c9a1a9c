// The only table from errors to errno. Exhaustive, so that a new case must choose its errno.

package import SystemPackage

extension Errno {
    /// The errno that a process gets for an error.
    package init(_ error: FileSystemError) {
        switch error {
        case .noEntry: self = .noSuchFileOrDirectory
        case .notADirectory: self = .notDirectory
        case .isADirectory: self = .isDirectory
        case .exists: self = .fileExists
        case .notEmpty: self = .directoryNotEmpty
        case .nameTooLong: self = .fileNameTooLong
        case .invalidEncoding: self = .illegalByteSequence
        case .invalidArgument: self = .invalidArgument
        case .readOnly: self = .readOnlyFileSystem
        case .accessDenied: self = .permissionDenied
        // Tools take EPERM from link(2) and mknod(2) as "this filesystem has none", ENOSYS as a
        // bug.
        case .notPermitted: self = .notPermitted
        case .staleHandle: self = .staleNFSFileHandle
        case .badHandle: self = .badFileDescriptor
        // ENFILE: the limit is not that of the calling process, which EMFILE would mean.
        case .tooManyOpenFiles: self = .tooManyOpenFilesInSystem
        case .noSpace: self = .noSpace
        // Distinguishes the full disk: EDQUOT for the account, ENOSPC for the local one.
        case .quotaExceeded: self = .diskQuotaExceeded
        case .tooLarge: self = .fileTooLarge
        case .busy: self = .resourceBusy
        case .crossDevice: self = .improperLink
        case .noAttribute: self = .noData
        case .bufferTooSmall: self = .outOfRange
        case .noSuchOffset: self = .noSuchAddressOrDevice
        case .tooManyLinks: self = .tooManySymbolicLinkLevels
        // ENOTCONN would read like a dead mount ("Transport endpoint is not connected").
        case .offline: self = .networkDown
        case .interrupted: self = .interrupted
        case .unsupported: self = .notSupported
        case .notImplemented: self = .noFunction
        // ETIMEDOUT confuses tools and EAGAIN makes them spin, so a final failure is EIO.
        case .inputOutput: self = .ioError
        }
    }
}
