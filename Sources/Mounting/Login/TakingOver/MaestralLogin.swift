// The login of Maestral, whose app renews tokens without a secret. Its configuration file names the
// account, and the keyring that has the token: the session's, or a plain file of Python's
// keyrings.alt where there is none. https://github.com/samschott/maestral

import DropboxAPI
import Foundation
import LocalFiles

/// Reads the logins of Maestral.
package struct MaestralLogin: Sendable {
    private static let client = "Maestral"
    /// Maestral's app, as its source names it.
    package static let appKey = "2jmbq42w7vof78h"
    /// The backends of Python's keyring that are read here.
    private static let sessionKeyring = "keyring.backends.SecretService.Keyring"
    private static let plainKeyring = "keyrings.alt.file.PlaintextKeyring"

    /// The folder of the configuration files; nil without a home.
    let folder: String?
    /// The file of the plain keyring; nil without a home.
    let plainFile: String?
    private let tool: any ForeignKeyring

    /// Takes the variables of a user's session. The desktop may ask the caller for the keyring's
    /// password.
    package init(_ variables: [String: String], _ caller: Keyring.Caller) {
        self.init(variables, keyring: SessionKeyring(caller: caller))
    }

    init(_ variables: [String: String], keyring: any ForeignKeyring) {
        let folder = { (name: String, below: String) -> String? in
            let slash = UInt8(ascii: "/")
            if let folder = variables[name], folder.utf8.first == slash { return folder }
            return variables["HOME"].flatMap { $0.utf8.first == slash ? "\($0)\(below)" : nil }
        }
        self.folder = folder("XDG_CONFIG_HOME", "/.config").map { $0 + "/maestral" }
        plainFile = folder("XDG_DATA_HOME", "/.local/share")
            .map { $0 + "/python_keyring/keyring_pass.cfg" }
        tool = keyring
    }

    /// The login of a configuration, by default that of its first account.
    package func login(of configuration: String?) throws(CommandError) -> TakenLogin {
        let name = configuration ?? "maestral"
        guard let folder else { throw failure("HOME is not set") }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw failure("'\(name)' is no name of a configuration")
        }
        let path = "\(folder)/\(name).ini"
        guard TakenLogin.isThere(path) else {
            throw failure(
                "there is no \(path); `maestral config-files` lists its configurations: "
                    + "dbxfs login --from-maestral NAME")
        }
        let file = IniFile(parsing: try TakenLogin.text(of: path, Self.client))
        guard let login = file.section("auth"), let account = login["account_id"] else {
            throw failure("it is not logged in (\(path))")
        }
        // Of versions that had tokens without an end.
        if let type = login["token_access_type"], type != "offline" {
            throw failure(
                "its token is of an old kind that is not renewed: run `maestral auth link --relink`"
            )
        }
        let token = try token("config:\(name):\(account)", login["keyring"])
        guard PrivateFile.isSecret(token) else { throw failure("its token is damaged") }
        return TakenLogin(
            client: Self.client, app: AppCredentials(key: Self.appKey), refreshToken: token,
            isOwnApp: false)
    }

    private func token(_ name: String, _ keyring: String?) throws(CommandError) -> String {
        switch keyring {
        case Self.sessionKeyring: return try tool.secret(of: Self.client, name)
        case Self.plainKeyring: return try plainToken(name)
        case nil, "automatic": throw failure("it has no token: run `maestral auth link`")
        case let other?:
            throw failure("its token is in a keyring that is not supported here (\(other))")
        }
    }

    private func plainToken(_ name: String) throws(CommandError) -> String {
        guard let plainFile else { throw failure("HOME is not set") }
        let file = IniFile(parsing: try TakenLogin.text(of: plainFile, Self.client))
        guard let text = file.section(Self.client)?[Self.escaped(name)] else {
            throw failure("\(plainFile) has no token for it")
        }
        guard let bytes = Data(base64Encoded: text) else { throw failure("its token is damaged") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name as keyrings.alt writes it: other bytes than letters and digits as `_` and two
    /// hexadecimal digits.
    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(character) : "_" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }

    private func failure(_ reason: String) -> CommandError { .notTaken(Self.client, reason) }
}
