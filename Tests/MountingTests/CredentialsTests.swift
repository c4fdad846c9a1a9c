// Where the token comes from. From where it is not taken is in `HostileCredentialsTests`.

import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import Mounting

@Suite struct CredentialsTests {
    private let folder: TemporaryFolder
    private let file: String
    private let login: LoginFile

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path + "/token"
        login = LoginFile(path: folder.path + "/credentials.json", server: nil)
    }

    private func token(_ variables: [String: String] = [:]) throws(CommandError) -> String {
        try find(variables).secret
    }

    private func find(_ variables: [String: String]) throws(CommandError) -> Credentials {
        let environment = try Environment(
            variables.merging(["HOME": folder.path]) { current, _ in current })
        return try Credentials.find(
            environment: environment, account: "work", login: login, tokenFile: file
        ).unlocked(.background)
    }

    @Test("a private file's token is used, without its line's end")
    func privateFile() throws {
        _ = try folder.write("sl.secret_1\n", to: "token", mode: 0o600)
        #expect(try token() == "sl.secret_1")
    }

    @Test("the environment wins over the file")
    func environmentWins() throws {
        _ = try folder.write("from-file", to: "token", mode: 0o600)
        #expect(try token(["DBXFS_ACCESS_TOKEN": " from-environment "]) == "from-environment")
    }

    @Test("the environment wins over a login, and a login over the file")
    func order() throws {
        _ = try folder.write("from-file", to: "token", mode: 0o600)
        try login.save(.sample)
        #expect(try token() == "refresh-secret")
        #expect(try token(["DBXFS_ACCESS_TOKEN": "from-environment"]) == "from-environment")
        try login.remove()
        #expect(try token() == "from-file")
    }

    @Test(
        "a login without the scope to write is read-only; one that does not tell its scopes is not")
    func readOnly() throws {
        for (scopes, isReadOnly) in [
            (["files.content.read"], true), (["files.content.read", "files.content.write"], false),
            ([], false),
        ] {
            var stored = StoredLogin.sample
            stored.scopes = scopes
            try login.save(stored)
            #expect(try find([:]).isReadOnly == isReadOnly, "\(scopes)")
        }
        #expect(try !find(["DBXFS_ACCESS_TOKEN": "token"]).isReadOnly)
    }

    @Test("a login that the environment names wins over the account's, and must be there")
    func copiedLogin() throws {
        try login.save(.sample)
        var copied = StoredLogin.sample
        copied.refreshToken = "copied"
        try LoginFile(path: folder.path + "/data/login", server: nil).save(copied)
        let link = folder.path + "/login"
        #expect(symlink("data/login", link) == 0)
        #expect(try token(["DBXFS_LOGIN_FILE": link]) == "copied")
        #expect(try token(["DBXFS_LOGIN_FILE": link, "DBXFS_ACCESS_TOKEN": "token"]) == "token")
        let missing = folder.path + "/none"
        #expect(
            throws: CommandError.credentialsMissing(variable: "DBXFS_LOGIN_FILE", file: missing)
        ) { try token(["DBXFS_LOGIN_FILE": missing]) }
        #expect(chmod(folder.path + "/data/login", 0o644) == 0)
        #expect(throws: CommandError.credentialsTooOpen(file: folder.path + "/data/login")) {
            try token(["DBXFS_LOGIN_FILE": link])
        }
    }

    @Test("a refresh token of the environment is used with the app that the environment names")
    func refreshToken() throws {
        try login.save(.sample)
        let variables = ["DBXFS_REFRESH_TOKEN": " renewable\n", "DBXFS_APP_KEY": "fleet"]
        #expect(try find(variables) == .refreshToken("renewable", appKey: "fleet"))
        #expect(
            try token(variables.merging(["DBXFS_ACCESS_TOKEN": "fixed"]) { $1 }) == "fixed")
        #expect(
            try token(variables.merging(["DBXFS_LOGIN_FILE": folder.path + "/none"]) { $1 })
                == "renewable")
    }

    @Test("the app of a refresh token may be that of the configuration file, for its account")
    func configuredApp() throws {
        let text = "app_key = \"all\"\n[account.work]\napp_key = \"works\""
        let environment = try Environment(
            ["HOME": folder.path, "DBXFS_REFRESH_TOKEN": "renewable"],
            configuration: Configuration(parsing: text, file: "/c"))
        #expect(
            try Credentials.find(
                environment: environment, account: "work", login: login, tokenFile: file)
                == .credentials(.refreshToken("renewable", appKey: "works")))
    }

    @Test("a refresh token without an app, or with an invalid one, is not passed over in silence")
    func refreshTokenWithoutApp() throws {
        try login.save(.sample)
        let variables = ["DBXFS_REFRESH_TOKEN": "renewable"]
        if Environment.defaultAppKey == nil {
            #expect(throws: CommandError.refreshTokenWithoutApp) { try token(variables) }
        }
        #expect(throws: CommandError.badAppKey("a&b", name: "app key")) {
            try token(variables.merging(["DBXFS_APP_KEY": "a&b"]) { $1 })
        }
        #expect(
            throws: CommandError.credentialsUnreadable(
                file: "DBXFS_REFRESH_TOKEN", reason: "not a token")
        ) { try token(["DBXFS_REFRESH_TOKEN": "two words", "DBXFS_APP_KEY": "fleet"]) }
    }

    @Test("the variable that is used is named, and can be left aside")
    func variable() throws {
        var variables = ["HOME": folder.path]
        #expect(try Environment(variables).credentialsVariable == nil)
        for name in ["DBXFS_LOGIN_FILE", "DBXFS_REFRESH_TOKEN", "DBXFS_ACCESS_TOKEN"] {
            variables[name] = "/value"
            var environment = try Environment(variables)
            #expect(environment.credentialsVariable == name)
            environment.ignoreCredentials()
            #expect(environment.credentialsVariable == nil)
        }
    }

    @Test("a login that cannot be used is not passed over in silence", arguments: [0o644, 0o600])
    func unusableLogin(mode: Int) throws {
        _ = try folder.write("from-file", to: "token", mode: 0o600)
        _ = try folder.write("{", to: "credentials.json", mode: mode)
        let error = try #require(throws: CommandError.self) { try token() }
        #expect(
            error
                == (mode == 0o600
                    ? .loginDamaged(file: login.path, reason: "it is damaged")
                    : .credentialsTooOpen(file: login.path)))
    }

    @Test("no secret is in what a log or a debugger shows")
    func descriptions() {
        let login = StoredLogin.sample
        for value: Any in [
            login, Credentials.login(login, self.login, version: nil),
            Credentials.token("refresh-secret"),
            LoginFile.Contents.login(login),
            Credentials.Found.credentials(.login(login, self.login, version: nil)),
            Credentials.refreshToken("refresh-secret", appKey: "fleet"),
            RedirectAnswer.code("refresh-secret"),
        ] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains("secret"))
        }
    }

    @Test("without a token, the message names all ways to give one")
    func noToken() throws {
        let error = try #require(throws: CommandError.self) { try token() }
        #expect(
            error
                == .noToken(
                    account: "work", command: "dbxfs login --account work", file: file))
        #expect(error.message.contains("DBXFS_ACCESS_TOKEN"))
        #expect(error.message.contains("run: dbxfs login --account work"))
        #expect(error.message.contains(file))
        #expect(error.exitStatus == .mountFailure)
    }
}
