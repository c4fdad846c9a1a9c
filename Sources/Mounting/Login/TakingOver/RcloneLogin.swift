// The login of a Dropbox remote in rclone's configuration file. rclone renews its tokens with the
// secret of its app, which is in the file if the app is the user's own. That of rclone's app is
// rclone's, and dbxfs does not have it. https://rclone.org/dropbox/

import DropboxAPI
import LocalFiles
import LocalIO

/// Reads the logins of rclone.
package struct RcloneLogin: Sendable {
    private static let client = "rclone"
    /// The first line of an encrypted file, and those of later forms.
    private static let encryption = "RCLONE_ENCRYPT_V"

    /// The places of the file, of which the first that is there counts.
    let paths: [String]

    /// Takes the variables of a user's session.
    package init(_ variables: [String: String]) {
        let value = { (name: String) in variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value("RCLONE_CONFIG") {
            paths = [absolutePath(path)]
            return
        }
        let home = value("HOME")
        paths = [
            value("XDG_CONFIG_HOME").map { "\($0)/rclone/rclone.conf" },
            home.map { "\($0)/.config/rclone/rclone.conf" }, home.map { "\($0)/.rclone.conf" },
        ].compactMap(\.self)
    }

    /// The names of the remotes of Dropbox; none if they cannot be read.
    package var remotes: [String] {
        guard let path = paths.first(where: TakenLogin.isThere),
            let text = try? TakenLogin.text(of: path, Self.client)
        else { return [] }
        return Self.fitting(IniFile(parsing: text)).map(\.name)
    }

    private static func fitting(_ file: IniFile) -> [IniFile.Section] {
        file.sections.filter { $0["type"] == "dropbox" }
    }

    /// The login of a remote, or of the only one of Dropbox.
    package func login(of remote: String?) throws(CommandError) -> TakenLogin {
        guard let path = paths.first(where: TakenLogin.isThere) else {
            let places = paths.isEmpty ? "HOME is not set" : paths.joined(separator: ", ")
            throw failure("it has no configuration file (\(places)); RCLONE_CONFIG names another")
        }
        let text = try TakenLogin.text(of: path, Self.client)
        let first = text.split(whereSeparator: \.isNewline)
            .first { !$0.hasPrefix("#") && !$0.hasPrefix(";") && $0.contains { !$0.isWhitespace } }
        if first?.hasPrefix(Self.encryption) == true {
            throw failure(
                "\(path) is encrypted; decrypt it with `rclone config encryption remove`, run this again, and "
                    + "encrypt it with `rclone config encryption set`")
        }
        return try login(in: try section(remote, in: IniFile(parsing: text), path))
    }

    private func section(
        _ remote: String?, in file: IniFile, _ path: String
    ) throws(CommandError) -> IniFile.Section {
        let fitting = Self.fitting(file)
        let names = fitting.map(\.name).joined(separator: ", ")
        let choice = names.isEmpty ? "there is none of Dropbox" : "those of Dropbox are \(names)"
        guard var remote else {
            guard let only = fitting.first else {
                throw failure("\(path) has no remote of the type dropbox")
            }
            guard fitting.count == 1 else {
                throw failure("there are several, \(names): dbxfs login --from-rclone NAME")
            }
            return only
        }
        if remote.hasSuffix(":") { remote.removeLast() }
        guard let section = file.section(remote) else {
            throw failure("\(path) has no remote '\(remote)'; \(choice)")
        }
        guard let type = section["type"], type == "dropbox" else {
            let type = section["type"].map { "is of the type \($0)" } ?? "has no type"
            throw failure("the remote '\(remote)' \(type); \(choice)")
        }
        return section
    }

    private func login(in section: IniFile.Section) throws(CommandError) -> TakenLogin {
        let place = "the remote '\(section.name)'"
        guard let key = section["client_id"] else {
            throw failure(
                "\(place) uses rclone's own app, and Dropbox renews its tokens for rclone only; log in with an app of "
                    + "your own, `dbxfs login --app-key KEY` (`dbxfs login` says how to make one)")
        }
        guard StoredLogin.isAppKey(key) else {
            throw failure("the client_id of \(place) is no app key of Dropbox")
        }
        let secret = section["client_secret"]
        guard secret.map(PrivateFile.isSecret) != false else {
            throw failure("the client_secret of \(place) is damaged")
        }
        guard let text = section["token"] else {
            throw failure("\(place) has no token: run `rclone config reconnect \(section.name):`")
        }
        guard let token = try? JSON.decode(Token.self, from: Array(text.utf8)) else {
            throw failure("the token of \(place) is damaged")
        }
        guard let refreshToken = token.refreshToken, !refreshToken.isEmpty else {
            throw failure(
                "the token of \(place) cannot be renewed: run `rclone config reconnect \(section.name):`"
            )
        }
        guard PrivateFile.isSecret(refreshToken) else {
            throw failure("the token of \(place) is damaged")
        }
        var login = TakenLogin(
            client: Self.client, app: AppCredentials(key: key, secret: secret),
            refreshToken: refreshToken, isOwnApp: true)
        login.server = try server(section, place)
        return login
    }

    /// The server that renews the token, if it is not Dropbox.
    private func server(
        _ section: IniFile.Section, _ place: String
    ) throws(CommandError) -> String? {
        guard let address = section["token_url"] else { return nil }
        let end = "/oauth2/token"
        guard address.hasSuffix(end) else {
            throw failure("the token_url of \(place) does not end in \(end)")
        }
        return String(address.dropLast(end.count))
    }

    private func failure(_ reason: String) -> CommandError { .notTaken(Self.client, reason) }

    /// A grant as rclone keeps it.
    private struct Token: Decodable {
        var refreshToken: String?

        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
        }
    }
}
