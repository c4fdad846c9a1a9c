// The one file that a login lies in. Not responsible for what is in it (StoredLogin), for getting a login,
// or for making access tokens of it: those are kept in memory only.

public import DropboxAPI
public import PrivateFiles

/// The file of an account's login. It is replaced as a whole, so a reader sees the old login or the new
/// one.
public struct LoginFile: Hashable, Sendable {
    /// Where it lies, in a folder of mode 0700.
    public let path: String
    /// The address of the server that mounts talk to; nil for Dropbox. Who answers there must not get what another
    /// server gave: the address may be left over from a test, and anybody may listen there.
    private let server: String?

    /// Names it; it need not exist. Its login is for a server's `address`, or for Dropbox.
    public init(path: String, server: String?) {
        self.path = path
        self.server = server
    }

    /// Which of its versions is there; nil when there is none. Looks at the file's entry only.
    public var version: PrivateFile.Version? { PrivateFile.version(of: path) }

    /// Whether somebody has logged out.
    public var isMissing: Bool { PrivateFile.isMissing(path) }

    /// The login; nil when there is no file. Refuses a file that others may read, and a login that another server
    /// gave.
    public func load() throws(CommandError) -> StoredLogin? {
        let login: StoredLogin?
        do throws(StoredLogin.FileError) {
            login = try StoredLogin.read(path)
        } catch {
            throw CommandError(error)
        }
        guard let login, login.server != server else { return login }
        throw .otherServer(
            file: path, login: login.server ?? "Dropbox", configured: server ?? "Dropbox")
    }

    /// Replaces the login by one that the server gave, durably; makes the folder if need be.
    public func save(_ login: StoredLogin) throws(CommandError) {
        var login = login
        login.server = server
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
