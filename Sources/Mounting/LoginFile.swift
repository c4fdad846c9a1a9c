// The one file that a login lies in. Not responsible for what is in it (StoredLogin), for getting a login,
// or for making access tokens of it: those are kept in memory only.

public import DropboxAPI
public import PrivateFiles

/// The file of an account's login. It is replaced as a whole, so a reader sees the old login or the new
/// one.
public struct LoginFile: Hashable, Sendable {
    /// Where it lies, in a folder of mode 0700.
    public let path: String

    /// Names it; it need not exist.
    public init(path: String) {
        self.path = path
    }

    /// Which of its versions is there; nil when there is none. Looks at the file's entry only.
    public var version: PrivateFile.Version? { PrivateFile.version(of: path) }

    /// Whether somebody has logged out.
    public var isMissing: Bool { PrivateFile.isMissing(path) }

    /// The login; nil when there is no file. Refuses a file that others may read.
    public func load() throws(CommandError) -> StoredLogin? {
        do throws(StoredLogin.FileError) {
            return try StoredLogin.read(path)
        } catch {
            throw CommandError(error)
        }
    }

    /// Replaces the login, durably; makes the folder if need be.
    public func save(_ login: StoredLogin) throws(CommandError) {
        try makePrivateFolder(folderPath(of: path))
        do throws(StoredLogin.FileError) {
            try login.write(to: path)
        } catch {
            throw CommandError(error)
        }
    }

    /// Removes the login, if there is one.
    public func remove() throws(CommandError) {
        do throws(PrivateFileError) {
            try PrivateFile.remove(path)
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    fileprivate init(_ error: StoredLogin.FileError) {
        self =
            switch error {
            case .file(let error): CommandError(error)
            case .damaged(let file, let reason): .loginDamaged(file: file, reason: reason)
            }
    }
}
