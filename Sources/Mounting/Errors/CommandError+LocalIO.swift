// The calls of `LocalIO` with errors of commands: for a file, a folder or another program that
// fails.

import Glibc
package import LocalFiles
package import LocalIO
import SystemPackage

/// Replaces a file by one of mode 0600 with this text, durable before it takes the name.
package func writePrivately(_ text: String, to path: String) throws(CommandError) {
    do {
        try PrivateFile.replace(path, with: text)
    } catch {
        throw CommandError(error)
    }
}

/// Creates a folder and its parents; the last one is private to the user, or becomes so.
///
/// Refuses a folder of another user, who could read or replace files in it.
func makePrivateFolder(_ path: String) throws(CommandError) {
    do {
        try PrivateFolder.make(path)
    } catch {
        throw CommandError(error)
    }
}

extension CommandError {
    /// Translates the failure to start a program.
    package init(_ error: ChildProcessError) {
        self = .system(error.message)
    }

    /// Translates the failure to open one of our files in a folder.
    init(_ error: RegularFile.Failure, file: String, in folder: String) {
        self =
            switch error {
            case .system(let error) where error.errno == ENOSPC: .diskFull(folder)
            case .system(let error): .folderUnusable(path: folder, reason: error.description)
            case .notAFile, .tooLarge:
                .folderUnusable(path: folder, reason: "\(file) is \(error.description)")
            }
    }

    /// Translates the refusal of a private file or folder.
    package init(_ error: PrivateFileError) {
        self =
            switch error {
            case .fileTooOpen(let path): .credentialsTooOpen(file: path)
            case .folderTooOpen(let path): .folderNotPrivate(path)
            case .unreadable(let path, let reason):
                .credentialsUnreadable(file: path, reason: reason)
            case .unwritable(let path, let reason): .folderUnusable(path: path, reason: reason)
            case .diskFull(let path): .diskFull(path)
            }
    }
}

/// Whether a folder has no entries.
package func isEmptyFolder(_ path: String) throws(CommandError) -> Bool {
    do {
        return try namesOfFolder(path).isEmpty
    } catch {
        throw .folderUnusable(path: path, reason: error.description)
    }
}
