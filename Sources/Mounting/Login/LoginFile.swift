// The one file of a login. Not responsible for its content (StoredLogin), for getting a login, or
// for making access tokens of it: those are kept in memory only.

package import DropboxAPI
import Glibc
package import LocalIO

/// The file of an account's login. It is replaced as a whole, so a reader sees the old login or the
/// new one.
package struct LoginFile: Hashable, Sendable {
    /// Its path, in a folder of mode 0700.
    package let path: String
    /// The address of the mounts' server; nil for Dropbox. That server must not get a login from
    /// another one: the address may be left over from a test, and any program may listen there.
    private let server: String?

    /// Takes a path, which need not exist. Its login is for a server's `address`, or for Dropbox.
    package init(path: String, server: String?) {
        self.path = path
        self.server = server
    }

    /// The version of the file; nil if there is none. Reads the directory entry only.
    package var version: PrivateFile.Version? { PrivateFile.version(of: path) }

    /// Whether the user has logged out.
    package var isMissing: Bool { PrivateFile.isMissing(path) }

    /// Reads the login; nil if there is no file. Refuses a file that others may read, and a login
    /// from another server.
    package func load() throws(CommandError) -> StoredLogin? {
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

    /// Creates the folder, if needed.
    package func makeFolder() throws(CommandError) {
        try makePrivateFolder(folderPath(of: path))
    }

    /// Removes a folder that was made for nothing.
    package func removeEmptyFolder() {
        rmdir(folderPath(of: path))
    }

    /// Replaces the login by one from the server, durably; creates the folder if needed.
    package func save(_ login: StoredLogin) throws(CommandError) {
        var login = login
        login.server = server
        try makeFolder()
        do throws(StoredLogin.FileError) {
            try login.write(to: path)
        } catch {
            throw CommandError(error)
        }
    }

    /// Removes the login, if there is one.
    package func remove() throws(CommandError) {
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
