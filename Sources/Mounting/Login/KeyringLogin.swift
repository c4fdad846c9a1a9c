// The content of a login's file if its secret is in the keyring. Versions that did not know of
// keyrings take the file for an incomplete login, and say that the user has to log in again.

import DropboxAPI

/// A login without its secret, and the entry of the keyring that has the whole login.
package struct KeyringLogin: Hashable, Sendable, Codable {
    /// The key of the app that the login is for.
    package var appKey: String
    /// The scopes that the login was granted.
    var scopes: [String]
    /// The ID of the account.
    var accountID: String
    /// The address of the server that issued it; nil for Dropbox.
    var server: String?
    /// The name of the entry in the keyring.
    var entry: String

    private enum CodingKeys: String, CodingKey {
        case appKey = "app_key"
        case scopes
        case accountID = "account_id"
        case server
        case entry = "keyring"
    }

    /// All of a login but its secret.
    init(_ login: StoredLogin, entry: String) {
        appKey = login.appKey
        scopes = login.scopes
        accountID = login.accountID
        server = login.server
        self.entry = entry
    }

    /// Parses JSON; nil unless every field is valid.
    init?(json: String) {
        guard let login = try? JSON.decode(KeyringLogin.self, from: Array(json.utf8)),
            StoredLogin.isAppKey(login.appKey), !login.accountID.isEmpty, !login.entry.isEmpty
        else { return nil }
        self = login
    }

    /// The login as JSON in several lines.
    var json: String { JSON.text(of: self) }

    /// Whether a login of the keyring is the one that the file names.
    func matches(_ login: StoredLogin) -> Bool {
        login.accountID == accountID && login.server == server
    }
}
