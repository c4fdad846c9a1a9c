// What `dbxfs login` leaves behind, and the one file that it lies in. Not responsible for getting it, or
// for making access tokens of it: those are kept in memory only.

import Foundation
import Glibc
import SystemPackage

/// The right to use an account until it is revoked.
public struct StoredLogin: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// The app that the login is for; no secret.
    public var appKey: String
    /// The secret from which access tokens are made.
    public var refreshToken: String
    /// What the login allows, as Dropbox names it.
    public var scopes: [String]
    /// The account, `dbid:…`.
    public var accountID: String

    private enum CodingKeys: String, CodingKey {
        case appKey = "app_key"
        case refreshToken = "refresh_token"
        case scopes
        case accountID = "account_id"
    }

    /// Names every field.
    public init(appKey: String, refreshToken: String, scopes: [String], accountID: String) {
        self.appKey = appKey
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.accountID = accountID
    }

    /// Never the secret.
    public var description: String { "<login of \(accountID)>" }
    /// Never the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text can be an app's key: it is put into addresses and forms.
    public static func isAppKey(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

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
        guard let text = try PrivateFile.read(path) else { return nil }
        guard let login = try? JSONDecoder().decode(StoredLogin.self, from: Data(text.utf8)) else {
            throw .loginDamaged(file: path, reason: "it is damaged")
        }
        let isSound =
            StoredLogin.isAppKey(login.appKey) && PrivateFile.isSecret(login.refreshToken)
            && !login.accountID.isEmpty
        guard isSound else { throw .loginDamaged(file: path, reason: "it is incomplete") }
        return login
    }

    /// Replaces the login, durably; makes the folder if need be.
    public func save(_ login: StoredLogin) throws(CommandError) {
        try makePrivateFolder(folderPath(of: path))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(login) else {
            throw .system("the login cannot be written as JSON")
        }
        try writePrivately(String(decoding: data, as: UTF8.self) + "\n", to: path)
    }

    /// Removes the login, if there is one.
    public func remove() throws(CommandError) {
        if unlink(path) != 0, errno != ENOENT {
            throw .folderUnusable(path: path, reason: currentErrno.description)
        }
        // What a `save` that was killed has left: it holds a secret, too.
        let folder = folderPath(of: path)
        for name in folderNames(in: folder) where isPath(folder + "/" + name, leftFrom: path) {
            unlink(folder + "/" + name)
        }
        synchronizeFolder(of: path)
    }
}
