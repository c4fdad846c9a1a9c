// A stored login and its JSON form. Not responsible for where it is stored: see TokenStore.

import Essentials
package import LocalFiles
import Saturating

/// The right to use an account until it is revoked.
public struct StoredLogin: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// The key of the app that the login is for; no secret.
    public var appKey: String
    /// The secret of that app, if the login is renewed with one and the program does not have it
    /// from elsewhere; nil for a login by PKCE.
    public var appSecret: String?
    /// The secret refresh token, from which access tokens are made.
    public var refreshToken: String
    /// The granted scopes, as Dropbox names them.
    public var scopes: [String]
    /// The account's id, `dbid:…`; of a team's login, the team's, `dbtid:…`.
    public var accountID: String
    /// The address of the server that issued it; nil for Dropbox. The secret must not be sent to
    /// any other server.
    public var server: String?
    /// The last access token; nil if none is stored.
    public var accessToken: String?
    /// When that token expires; nil when it does not expire or is not stored.
    public var expires: Timestamp?

    private enum CodingKeys: String, CodingKey {
        case appKey = "app_key"
        case appSecret = "app_secret"
        case refreshToken = "refresh_token"
        case scopes
        case accountID = "account_id"
        case server
        case accessToken = "access_token"
        case expires = "expires_at"
    }

    /// Takes over all fields.
    public init(
        appKey: String, refreshToken: String, scopes: [String], accountID: String,
        accessToken: String? = nil, expires: Timestamp? = nil, server: String? = nil
    ) {
        self.appKey = appKey
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.accountID = accountID
        self.accessToken = accessToken
        self.expires = expires
        self.server = server
    }

    /// The login of a token grant from `hosts`; nil unless it was for offline access and names its
    /// account.
    public init?(_ grant: TokenGrant, app: AppCredentials, hosts: DropboxHosts = .dropbox) {
        guard let refreshToken = grant.refreshToken, let account = grant.accountID ?? grant.teamID
        else { return nil }
        self.init(
            appKey: app.key, refreshToken: refreshToken, scopes: grant.scopes ?? [],
            accountID: account, server: hosts.loginServer)
        adopt(grant, at: .now)
    }

    /// Updates the login from a renewal: the access token, and all other fields that the grant has.
    mutating func adopt(_ grant: TokenGrant, at now: Timestamp) {
        accessToken = grant.accessToken
        expires = grant.expiresIn.map {
            Timestamp(secondsSince1970: now.secondsSince1970 +| min(max($0, 0), 1 << 40))
        }
        refreshToken = grant.refreshToken ?? refreshToken
        scopes = grant.scopes ?? scopes
    }

    /// A text without the secret.
    public var description: String { "<login of \(accountID)>" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text can be an app's key, which is put into URLs and forms.
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

extension Timestamp {
    static var now: Timestamp {
        .init(secondsSince1970: Int64(clamping: Date().timeIntervalSince1970))
    }
}

extension TokenGrant {
    fileprivate var scopes: [String]? { scope?.split(separator: " ").map(String.init) }
}

// MARK: Text and files

extension StoredLogin {
    /// The defect of a damaged login; it does not quote the text, which is secret.
    public struct Damage: DropboxError, Hashable {
        /// A phrase that follows the login's location in a message.
        public let reason: String
        /// One line: what happened, and what to do.
        public var summary: String { "the login cannot be used: \(reason); log in again" }
    }

    /// Parses JSON. Throws unless it is a login with every field valid.
    public init(json: String) throws(Damage) {
        guard let login = try? JSON.decode(StoredLogin.self, from: Array(json.utf8)) else {
            throw Damage(reason: "it is damaged")
        }
        let isSound =
            Self.isAppKey(login.appKey) && PrivateFile.isSecret(login.refreshToken)
            && login.appSecret.map(PrivateFile.isSecret) != false
            && login.accessToken.map(PrivateFile.isSecret) != false && !login.accountID.isEmpty
        guard isSound else { throw Damage(reason: "it is incomplete") }
        self = login
    }

    /// The login as JSON in several lines; nil fields are left out.
    public var json: String { JSON.text(of: self) }

    /// The error of reading a login's file.
    package enum FileError: Error {
        case file(PrivateFileError)
        case damaged(file: String, reason: String)
    }

    /// The login in a file; nil when there is no file. Refuses a file that other users can read.
    package static func read(_ path: String) throws(FileError) -> StoredLogin? {
        let text: String?
        do {
            text = try PrivateFile.read(path)
        } catch {
            throw .file(error)
        }
        guard let text else { return nil }
        do {
            return try StoredLogin(json: text)
        } catch {
            throw .damaged(file: path, reason: error.reason)
        }
    }

    /// Atomically replaces a file by this login, durably.
    package func write(to path: String) throws(FileError) {
        do {
            try PrivateFile.replace(path, with: json + "\n")
        } catch {
            throw .file(error)
        }
    }
}
