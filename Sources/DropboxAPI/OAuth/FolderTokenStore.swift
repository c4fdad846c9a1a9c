// Logins as files of a folder, for servers and for machines without a secret service.

import LocalFiles

/// Keeps each login in a file of mode 0600, in a folder of mode 0700.
///
/// A save replaces the file atomically and durably. A folder or file that other users can read is
/// refused (`TokenStoreError.notPrivate`): the login may have leaked.
///
/// The name of an account has room in that of its file: 243 bytes, of which a letter or digit of
/// ASCII takes one, as do `-`, `.`, `_` and `~`, and every other byte three. `load` throws
/// `invalidAccount` for a longer one, too, so that a program can find out before the login.
public struct FolderTokenStore: TokenStore {
    private static let suffix = ".json"
    /// Bytes of a file's name, at most, without the seven that a new version has until it is
    /// complete.
    private static let longestName = 255 - 7

    /// The path of the folder with the files.
    public let folder: String

    /// Names the folder by its absolute path; the first save creates it.
    public init(folder: String) {
        self.folder = folder
    }

    /// The login of an account; nil when there is none.
    public func load(_ account: String) throws(TokenStoreError) -> StoredLogin? {
        let path = try path(of: account)
        guard !PrivateFile.isMissing(path) else { return nil }
        try checkFolder()
        do throws(StoredLogin.FileError) {
            return try StoredLogin.read(path)
        } catch {
            throw TokenStoreError(error, account: account)
        }
    }

    /// Replaces an account's login.
    public func save(_ login: StoredLogin, for account: String) throws(TokenStoreError) {
        let path = try path(of: account)
        try checkFolder()
        do throws(StoredLogin.FileError) {
            try login.write(to: path)
        } catch {
            throw TokenStoreError(error, account: account)
        }
    }

    /// Removes an account's login, if there is one.
    public func remove(_ account: String) throws(TokenStoreError) {
        let path = try path(of: account)
        do throws(PrivateFileError) {
            try PrivateFile.remove(path)
        } catch {
            throw TokenStoreError(error)
        }
    }

    /// The names of all accounts, sorted.
    public func accounts() -> [String] {
        folderNames(in: folder).compactMap(Self.account).sorted()
    }

    private func checkFolder() throws(TokenStoreError) {
        do throws(PrivateFileError) {
            try PrivateFolder.make(folder, ifOpen: .refused)
        } catch {
            throw TokenStoreError(error)
        }
    }

    /// Escapes the account's name: it may contain any character, `/` among them; a file name may
    /// not.
    private func path(of account: String) throws(TokenStoreError) -> String {
        try TokenStoreError.check(account: account)
        let name = "\(FormEncoding.escape(account))\(Self.suffix)"
        guard name.utf8.count <= Self.longestName else { throw .invalidAccount(account) }
        return folder + "/" + name
    }

    /// The account of a file; nil for foreign files.
    private static func account(of name: String) -> String? {
        guard name.hasSuffix(suffix),
            let account = FormEncoding.unescape(name.dropLast(suffix.count)),
            "\(FormEncoding.escape(account))\(suffix)" == name
        else { return nil }
        return account
    }
}

extension TokenStoreError {
    fileprivate init(_ error: PrivateFileError) {
        self =
            switch error {
            case .fileTooOpen(let path), .folderTooOpen(let path): .notPrivate(path)
            case .unreadable(let path, let reason), .unwritable(let path, let reason):
                .failed("\(path): \(reason)")
            case .diskFull(let path): .failed("\(path): no space left on the disk")
            }
    }

    fileprivate init(_ error: StoredLogin.FileError, account: String) {
        self =
            switch error {
            case .file(let error): TokenStoreError(error)
            case .damaged(_, let reason): .damaged(account: account, reason: reason)
            }
    }
}
