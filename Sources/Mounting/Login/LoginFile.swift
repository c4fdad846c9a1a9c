// The one file of a login, and the keyring if that has its secret. Not responsible for the content
// (StoredLogin), for getting a login, or for making access tokens of it: those are kept in memory
// only.

import Blocking
package import DropboxAPI
import Glibc
package import LocalFiles

/// The file of an account's login. It is replaced as a whole, so a reader sees the old login or the
/// new one.
package struct LoginFile: Hashable, Sendable {
    /// The content of the file.
    package enum Contents: Hashable, Sendable {
        /// The login with its secret.
        case login(StoredLogin)
        /// A login whose secret is in the keyring.
        case keyring(KeyringLogin)

        /// The key of the app that the login is for.
        package var appKey: String {
            switch self {
            case .login(let login): login.appKey
            case .keyring(let login): login.appKey
            }
        }

        /// The address of the server that issued it.
        fileprivate var server: String? {
            switch self {
            case .login(let login): login.server
            case .keyring(let login): login.server
            }
        }
    }

    /// Its path, in a folder of mode 0700.
    package let path: String
    /// The address of the mounts' server; nil for Dropbox. That server must not get a login from
    /// another one: the address may be left over from a test, and any program may listen there.
    private let server: String?
    /// The command that logs the account in, for messages.
    private let command: String
    private let keyring: Keyring

    /// Takes a path, which need not exist. Its login is for a server's `address`, or for Dropbox,
    /// and `command` replaces it.
    package init(path: String, server: String?, command: String = "dbxfs login") {
        self.init(path: path, server: server, command: command, keyring: Keyring())
    }

    init(
        path: String, server: String?, command: String = "dbxfs login", keyring: Keyring
    ) {
        self.path = path
        self.server = server
        self.command = command
        self.keyring = keyring
    }

    /// The version of the file; nil if there is none. Reads the directory entry only.
    package var version: PrivateFile.Version? { PrivateFile.version(of: path) }

    /// Whether the user has logged out.
    package var isMissing: Bool { PrivateFile.isMissing(path) }

    // MARK: Reading

    /// Reads the file and not the keyring; nil if there is no file. Refuses a file that others may
    /// read, and a login from another server.
    package func contents() throws(CommandError) -> Contents? {
        let text: String?
        do throws(PrivateFileError) {
            text = try PrivateFile.read(path)
        } catch {
            throw CommandError(error)
        }
        guard let text else { return nil }
        let contents = try parsed(text)
        guard contents.server != server else { return contents }
        throw .otherServer(
            file: path, login: contents.server ?? "Dropbox", configured: server ?? "Dropbox")
    }

    private func parsed(_ text: String) throws(CommandError) -> Contents {
        do throws(StoredLogin.Damage) {
            return .login(try StoredLogin(json: text))
        } catch {
            if let login = KeyringLogin(json: text) { return .keyring(login) }
            throw .loginDamaged(file: path, reason: error.reason)
        }
    }

    /// The login with its secret, from the keyring if that has it.
    package func login(
        of contents: Contents, _ caller: Keyring.Caller
    ) async throws(CommandError) -> StoredLogin {
        switch contents {
        case .login(let login): return login
        case .keyring(let login):
            do throws(KeyringFault) {
                return try await keyring.load(login, caller)
            } catch {
                throw .keyring(error, login: command)
            }
        }
    }

    /// The same for threads that may block.
    package func waitForLogin(
        of contents: Contents, _ caller: Keyring.Caller
    ) throws(CommandError) -> StoredLogin {
        switch contents {
        case .login(let login): return login
        case .keyring(let login):
            return try wait { keyring throws(KeyringFault) in
                try await keyring.load(login, caller)
            }
        }
    }

    // MARK: Replacing

    /// Throws unless logins can be kept in the keyring now, as far as that is known without asking
    /// the user.
    package func checkKeyring() throws(CommandError) {
        try wait { keyring throws(KeyringFault) in try await keyring.check() }
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
    ///
    /// With a `keyring`, that gets the secret, and the file has the rest. Returns why the keyring
    /// still has the secret of the login before, if it does.
    @discardableResult
    package func save(
        _ login: StoredLogin, keyring caller: Keyring.Caller? = nil
    ) throws(CommandError) -> KeyringFault? {
        var login = login
        login.server = server
        try makeFolder()
        let (old, hadLeftover) = (keyringEntry, hasLeftover)
        if caller != nil || old != nil { try mark.set() }
        if let caller {
            do throws(CommandError) {
                try saveInKeyring(login, caller, besides: old)
            } catch {
                // Nothing was stored, so there is nothing to clear.
                if old == nil, !hadLeftover, case .keyring(.locked, _) = error { mark.clear() }
                throw error
            }
        } else {
            try write(login.json)
        }
        guard old != nil || hadLeftover else {
            mark.clear()
            return nil
        }
        return clearKeyring(besides: keyringEntry, old, .background)
    }

    /// Whether the keyring has the secret of the login that is in the file, for whichever server
    /// that is.
    package var isInKeyring: Bool { keyringEntry != nil }

    /// Whether the keyring may have the secret of an earlier login, because a command was killed or
    /// the keyring was locked.
    package var hasLeftover: Bool { mark.isSet }

    private var mark: KeyringMark { KeyringMark(of: path) }

    /// Removes all entries but `kept`, among them that of the login before. Returns why the keyring
    /// still has one.
    private func clearKeyring(
        besides kept: String?, _ old: String?, _ caller: Keyring.Caller
    ) -> KeyringFault? {
        let names = Keyring.entries(of: path)
        let entries = [old, names.first, names.last].compactMap(\.self).filter { $0 != kept }
        let fault = removeEntries(entries, caller)
        if fault == nil { mark.clear() }
        return fault
    }

    private func saveInKeyring(
        _ login: StoredLogin, _ caller: Keyring.Caller, besides old: String?
    ) throws(CommandError) {
        let entries = Keyring.entries(of: path)
        let entry = entries.first == old ? entries.last : entries.first
        let file = KeyringLogin(login, entry: entry)
        try wait { keyring throws(KeyringFault) in try await keyring.save(login, entry, caller) }
        do throws(CommandError) {
            try write(file.json)
        } catch {
            _ = removeEntries([entry], .background)
            throw error
        }
    }

    /// Removes the login, if there is one, also from the keyring. Returns why the keyring still has
    /// the secret, if it does.
    @discardableResult
    package func remove(
        keyring caller: Keyring.Caller = .background
    ) throws(CommandError) -> KeyringFault? {
        // Without an entry in the file and a mark, the keyring is not asked: there may be none.
        let entry = keyringEntry
        let isAsked = entry != nil || hasLeftover
        // The file, which names the entry, is removed also if the keyring keeps the secret.
        if isAsked { try? mark.set() }
        let fault = isAsked ? clearKeyring(besides: nil, entry, caller) : nil
        do throws(PrivateFileError) {
            try PrivateFile.remove(path)
        } catch {
            throw CommandError(error)
        }
        return fault
    }

    /// The entry that the file names, for whichever server its login is.
    private var keyringEntry: String? {
        guard let text = (try? PrivateFile.read(path)) ?? nil,
            case .keyring(let login)? = try? parsed(text)
        else { return nil }
        return login.entry
    }

    private func write(_ text: String) throws(CommandError) {
        try writePrivately(text + "\n", to: path)
    }

    private func removeEntries(
        _ entries: [String], _ caller: Keyring.Caller
    ) -> KeyringFault? {
        do throws(CommandError) {
            try wait { keyring throws(KeyringFault) in try await keyring.remove(entries, caller) }
            return nil
        } catch {
            if case .keyring(let fault, _) = error { return fault }
            return .unavailable(error.message)
        }
    }

    /// Waits for the keyring.
    private func wait<Value: Sendable>(
        for work: @escaping @Sendable (Keyring) async throws(KeyringFault) -> Value
    ) throws(CommandError) -> Value {
        let keyring = keyring
        let answer = WorkerThread.waiting { () async -> Result<Value, KeyringFault> in
            do throws(KeyringFault) {
                return .success(try await work(keyring))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success(let value)?: return value
        case .failure(let fault)?: throw .keyring(fault, login: command)
        case nil: throw .system("the keyring could not be asked")
        }
    }
}
