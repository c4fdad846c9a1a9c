// Logins of rclone and Maestral: which can be used, and the messages about the others. With a
// server they are tried in the scenario `taken-login`.

import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import Mounting

@Suite struct RcloneLoginTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path + "/rclone.conf"
    }

    private func login(
        _ text: String, of remote: String? = nil
    ) throws(CommandError) -> TakenLogin {
        try? Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return try RcloneLogin(["RCLONE_CONFIG": file]).login(of: remote)
    }

    /// The message of the refusal; nil if the login is taken.
    private func refusal(_ text: String, of remote: String? = nil) -> String? {
        do throws(CommandError) {
            _ = try login(text, of: remote)
            return nil
        } catch {
            return error.message
        }
    }

    private static let token =
        #"{"access_token":"sl.a","token_type":"bearer","refresh_token":"r-1","expiry":"2026-11-25T10:00:00Z"}"#
    /// A remote of the user's own app, as rclone 1.60 writes it.
    private static let own = """
        [home]
        type = dropbox
        client_id = myapp
        client_secret = s3cret
        token = \(token)

        """

    @Test("a remote with an app of the user's own is taken, with key, secret and refresh token")
    func taken() throws {
        let login = try login(Self.own)
        #expect(login.app == AppCredentials(key: "myapp", secret: "s3cret"))
        #expect(login.refreshToken == "r-1" && login.client == "rclone" && login.isOwnApp)
        #expect(login.server == nil)
        #expect(!"\(login)".contains("r-1") && !String(reflecting: login).contains("s3cret"))
    }

    @Test(
        "keys in capitals, other marks, comments, Windows lines and an app without a secret are read, too",
        arguments: [
            "; made by hand\n[home]\nTYPE: dropbox\n# of mine\nClient_ID = myapp\ntoken=TOKEN\n",
            "[home]\r\ntype = dropbox\r\nclient_id = myapp\r\nclient_secret =\r\ntoken = TOKEN\r\n",
        ])
    func spellings(text: String) throws {
        let login = try login(text.replacing("TOKEN", with: Self.token))
        #expect(login.app == AppCredentials(key: "myapp") && login.refreshToken == "r-1")
    }

    @Test("of several remotes, one is named, with a colon or without")
    func several() throws {
        let text =
            Self.own + Self.own.replacing("home", with: "work").replacing("r-1", with: "r-2")
            + "[box]\ntype = crypt\nremote = home:\n"
        #expect(try login(text, of: "work").refreshToken == "r-2")
        #expect(try login(text, of: "home:").refreshToken == "r-1")
        let choice = try #require(refusal(text))
        #expect(choice.contains("home, work") && choice.contains("--from-rclone NAME"))
        let crypt = try #require(refusal(text, of: "box"))
        #expect(crypt.contains("of the type crypt") && crypt.contains("home, work"))
        let unknown = try #require(refusal(text, of: "nowhere"))
        #expect(unknown.contains("no remote 'nowhere'"))
        #expect(RcloneLogin(["RCLONE_CONFIG": file]).remotes == ["home", "work"])
    }

    @Test("what cannot be used is named, with what to do, and without a secret")
    func refusals() throws {
        let cases: [(String, String)] = [
            ("", "no remote of the type dropbox"),
            ("type = dropbox\nclient_id = myapp\n", "no remote of the type dropbox"),
            ("[x]\nclient_id = myapp\n", "no remote of the type dropbox"),
            ("[x]\ntype = onedrive\ntoken = \(Self.token)\n", "no remote of the type dropbox"),
            ("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA", "is encrypted"),
            ("RCLONE_ENCRYPT_V1:\nAAAA", "rclone config encryption remove"),
            ("[x]\ntype = dropbox\ntoken = \(Self.token)\n", "rclone's own app"),
            (Self.own.replacing("= myapp", with: "="), "dbxfs login --app-key KEY"),
            (Self.own.replacing("myapp", with: "my app"), "no app key"),
            (Self.own.replacing("s3cret", with: "s3 cret"), "client_secret"),
            (Self.own.replacing("token = {", with: "tokens = {"), "rclone config reconnect home:"),
            (Self.own.replacing("token = {", with: "token = "), "damaged"),
            (Self.own.replacing(#""r-1""#, with: #""""#), "cannot be renewed"),
            (Self.own.replacing("refresh_token", with: "refresh"), "cannot be renewed"),
            (Self.own.replacing("r-1", with: #"r\n1"#), "damaged"),
            (Self.own.replacing(#""r-1""#, with: "7"), "damaged"),
            (Self.own + "token_url = https://elsewhere.example/token\n", "token_url"),
        ]
        for (text, words) in cases {
            let message = try #require(refusal(text), "\(text)")
            #expect(message.contains(words), "\(message)")
            for secret in ["s3cret", "s3 cret", "sl.a", "r-1"] {
                #expect(!message.contains(secret), "\(message)")
            }
        }
    }

    @Test("damaged files are refused, and end nothing")
    func damaged() throws {
        var random = SeededRandom(seed: 7)
        let bytes = Array(Self.own.utf8)
        for _ in 0..<2000 {
            var text = bytes
            for _ in 0...Int.random(in: 0...4, using: &random) {
                text[Int.random(in: text.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let kept = text.prefix(Int.random(in: 0...text.count, using: &random))
            guard let login = try? login(String(decoding: kept, as: UTF8.self)) else { continue }
            #expect(StoredLogin.isAppKey(login.app.key) && !login.refreshToken.isEmpty)
        }
    }

    @Test("the file is where rclone has it")
    func places() {
        #expect(RcloneLogin(["RCLONE_CONFIG": "/etc/r"]).paths == ["/etc/r"])
        #expect(
            RcloneLogin(["HOME": "/h", "XDG_CONFIG_HOME": "/x", "RCLONE_CONFIG": ""]).paths == [
                "/x/rclone/rclone.conf", "/h/.config/rclone/rclone.conf", "/h/.rclone.conf",
            ])
        #expect(RcloneLogin([:]).remotes == [])
        #expect(throws: CommandError.self) {
            try RcloneLogin(["HOME": folder.path]).login(of: nil)
        }
    }

    @Test("a token goes to the server that gave it, and to no other")
    func servers() throws {
        let here = try Environment(
            ["HOME": folder.path, "DBXFS_ENDPOINT": "http://127.0.0.1:8080"])
        let dropbox = try Environment(["HOME": folder.path])
        let ours = try login(Self.own)
        try ours.check(dropbox)
        #expect(throws: CommandError.self) { try ours.check(here) }
        let text = Self.own + "token_url = http://127.0.0.1:8080/oauth2/token\n"
        let others = try login(text)
        try others.check(here)
        #expect(throws: CommandError.self) { try others.check(dropbox) }
        try login(Self.own + "token_url = https://api.dropboxapi.com/oauth2/token\n").check(dropbox)
    }
}

@Suite struct MaestralLoginTests {
    /// A keyring with one secret.
    private struct Ring: ForeignKeyring {
        func secret(of program: String, _ user: String) throws(CommandError) -> String {
            guard program == "Maestral", user == "config:maestral:dbid:AAA-b" else {
                throw .notTaken(program, "the keyring has no token for it")
            }
            return "r-1"
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["maestral", "python_keyring"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    private func login(_ name: String? = nil) throws(CommandError) -> TakenLogin {
        try MaestralLogin(
            ["XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path], keyring: Ring()
        ).login(of: name)
    }

    private func refusal(_ name: String? = nil) -> String? {
        do throws(CommandError) {
            _ = try login(name)
            return nil
        } catch {
            return error.message
        }
    }

    /// As Maestral 1.9 writes it.
    private static func file(
        _ keyring: String, account: String = "dbid:AAA-b", type: String = "offline"
    ) -> String {
        """
        [main]
        version = 18.0.0

        [auth]
        account_id = \(account)
        keyring = \(keyring)
        token_access_type = \(type)

        [sync]
        path = /home/me/Dropbox

        """
    }

    private static let session = "keyring.backends.SecretService.Keyring"

    @Test("the token of the session's keyring is taken, for Maestral's app")
    func keyring() throws {
        try put(Self.file(Self.session), "maestral/maestral.ini")
        let login = try login()
        #expect(login.app == AppCredentials(key: MaestralLogin.appKey))
        #expect(login.refreshToken == "r-1" && !login.isOwnApp && login.server == nil)
        #expect(StoredLogin.isAppKey(MaestralLogin.appKey))
    }

    @Test("the token of a plain keyring is taken from its file, as Python writes it")
    func plain() throws {
        try put(Self.file("keyrings.alt.file.PlaintextKeyring"), "maestral/work.ini")
        try put(
            "[other]\na = \n\tYQ==\n\n[Maestral]\nconfig_3awork_3adbid_3aAAA_2Db = \n\tci0y\n\t\n\n",
            "python_keyring/keyring_pass.cfg")
        #expect(try login("work").refreshToken == "r-2")
    }

    @Test("what cannot be used is named")
    func refusals() throws {
        #expect(try #require(refusal()).contains("maestral config-files"))
        #expect(try #require(refusal("../x")).contains("no name"))
        let plain = "keyrings.alt.file.PlaintextKeyring"
        let cases: [(String, String)] = [
            ("", "not logged in"), (Self.file(Self.session, account: ""), "not logged in"),
            (Self.file(Self.session, type: "legacy"), "maestral auth link --relink"),
            (Self.file("automatic"), "maestral auth link"),
            (Self.file("keyring.backends.kwallet.DBusKeyring"), "not supported here"),
            (Self.file(Self.session, account: "dbid:other"), "no token"),
            (Self.file(plain), "cannot be read"),
        ]
        for (text, words) in cases {
            try put(text, "maestral/maestral.ini")
            #expect(try #require(refusal(), "\(text)").contains(words), "\(text)")
        }
        try put(Self.file(plain), "maestral/maestral.ini")
        let key = "config_3Amaestral_3Adbid_3AAAA_2Db"
        for (text, words) in [
            ("[Maestral]\nother = YQ==\n", "no token"),
            ("[Maestral]\n\(key) = ***\n", "damaged"), ("[Maestral]\n\(key) = YSBi\n", "damaged"),
        ] {
            try put(text, "python_keyring/keyring_pass.cfg")
            #expect(try #require(refusal(), "\(text)").contains(words), "\(text)")
        }
    }
}
