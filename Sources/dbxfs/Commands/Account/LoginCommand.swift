// `dbxfs login`: from the user's authorization in a browser to a login that mounts use.
// `Consent.swift` obtains the authorization.

import ArgumentParser
import Core
import DropboxAPI
import Logging
import Mounting
import RemoteStore

struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Allow dbxfs to use a Dropbox account.",
        discussion: """
            Opens Dropbox's page in a browser, waits for the answer, and keeps the login for mounts. \
            \(Environment.defaultAppKey == nil ? "The app key is" : "Instead of dbxfs's app, --app-key names") \
            that of an app of your own, made at \(CommandError.appConsole). Running mounts of the \
            account go on with the new login.
            """)

    @OptionGroup var account: AccountOption

    @Option(
        help: """
            The app's key. Without it: DBXFS_APP_KEY, else app_key of the configuration file, else \
            that of the last login, else that of whoever built dbxfs, if there is one.
            """)
    var appKey: String?

    @Flag(help: "Print the address to open anywhere, and read the code that Dropbox shows.")
    var noBrowser = false

    @Flag(
        help: """
            Ask for what `dbxfs link`, `shared`, `join` and `leave` need, too: the app has to have these \
            permissions.
            """)
    var sharing = false

    @Flag(
        help: """
            Do not ask for files.metadata.write, which keeping modes, times and attributes on \
            Dropbox needs.
            """)
    var noPosix = false

    @Flag(
        inversion: .prefixedNo,
        help: """
            Keep the secret of the login in the desktop's keyring, or in a file. Without either: where the \
            last login has it, at first in a file, which system mounts and services need.
            """)
    var keyring: Bool?

    func validate() throws {
        guard keyring == true, account.system else { return }
        throw ValidationError("system mounts have no keyring: leave out --keyring")
    }

    func run() throws {
        ProcessSettings.adjustLimits()
        let environment = try Environment(scope: account.scope)
        Environment.forgetToken()
        let folders = try account.folders(environment)
        // An unusable file is about to be replaced. The app of another server's login is not this server's.
        let stored = try? folders.login.contents()
        let key = try appKey(environment, stored)
        let usesKeyring = keyring ?? folders.login.isInKeyring
        quietLogs(environment)
        // While root may still make it: from here on, the process reads what others answer.
        try folders.login.makeFolder()
        do throws(CommandError) {
            try ProcessSettings.giveUpCapabilities()
            // Before the user is sent to Dropbox.
            if usesKeyring { try folders.login.checkKeyring() }
            try logIn(key, folders.login, environment, usesKeyring: usesKeyring)
        } catch {
            folders.login.removeEmptyFolder()
            throw error
        }
    }

    private func logIn(
        _ key: String, _ file: LoginFile, _ environment: Mounting.Environment, usesKeyring: Bool
    ) throws(CommandError) {
        let access = try DropboxAccess(environment)
        let consent = Consent(
            access.login(app: key), scopes: [scopes, wishedScopes].flatMap(\.self))
        let grant = try consent.obtain(usesBrowser: !noBrowser)
        let session = LoginSession(access, grant)
        do throws(CommandError) {
            try session.checkScopes(scopes)
            let owner = try session.owner(environment.serverName)
            try AccountIdentity.check(owner.account, for: account.name, environment)
            let leftover = try file.save(
                try session.login(appKey: key, owner.account), keyring: usesKeyring ? .asking : nil)
            ControlClient(folder: ControlFolder(path: environment.runtimeFolder))
                .announceLogin(account: account.name)
            report(owner, environment, usesKeyring: usesKeyring)
            if leftover != nil { Terminal.complain(KeyringFault.leftover) }
            if !noPosix { session.reportMissing(PosixSharing.scope) }
        } catch {
            // The grant is not stored, so it is revoked.
            session.revoke()
            throw error
        }
    }

    /// The scopes that dbxfs needs. Each route of `DropboxAPI` documents its own.
    static let scopes = [
        "account_info.read", "files.metadata.read", "files.content.read", "files.content.write",
    ]
    /// The scopes for shared links and shared folders. Optional, because they allow opening files to strangers.
    private static let sharingScopes = ["sharing.read", "sharing.write"]

    /// The scopes without which the login is refused, and those that it can do without.
    private var scopes: [String] { Self.scopes + (sharing ? Self.sharingScopes : []) }
    private var wishedScopes: [String] { noPosix ? [] : [PosixSharing.scope] }

    private func appKey(
        _ environment: Environment, _ stored: LoginFile.Contents?
    ) throws(CommandError) -> String {
        let named = appKey ?? environment.appKey(of: account.name) ?? stored?.appKey
        guard let key = named ?? Environment.defaultAppKey else {
            let steps = CommandError.appSteps(
                scopes: [scopes, wishedScopes].flatMap(\.self),
                redirects: LoopbackListener.ports.map(LoopbackListener.redirect),
                login: CommandError.login(account.name, account.scope))
            Terminal.complain(steps.joined(separator: "\n"), prefix: "")
            throw .noAppKey
        }
        guard StoredLogin.isAppKey(key) else {
            throw .badAppKey(key, name: appKey == nil ? "app key" : "--app-key")
        }
        return key
    }

    private func report(
        _ owner: LoginSession.Owner, _ environment: Environment, usesKeyring: Bool
    ) {
        let space = owner.space.map {
            ", \(Terminal.size($0.used)) of \(Terminal.size($0.allocated)) used"
        }
        Terminal.print("Logged in as \(owner.account.person)\(space ?? "").")
        if usesKeyring { Terminal.print("The secret of the login is in the keyring.") }
        for line in environment.mountAdvice(for: account.name) { Terminal.print(line) }
        if let used = environment.credentialsVariable {
            Terminal.complain("\(used) is set, and mounts use that instead of this login")
        }
    }
}

/// Selects the local account of a login.
struct AccountOption: ParsableArguments {
    @Option(
        name: .customLong("account"),
        help: "The name under which this machine knows the account.", completion: .accounts)
    var name = MountSource.standard.account

    @Flag(help: "The account of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    /// User or system accounts.
    var scope: Environment.Scope { system ? .system : .user }

    /// The folders of the account.
    func folders(_ environment: Environment) throws(CommandError) -> AccountFolders {
        let source = try MountSource(accountNamed: name)
        return AccountFolders(source: source, settings: MountSettings(), environment: environment)
    }
}

extension ParsableCommand {
    /// Logs warnings only, unless configured otherwise: these commands print their results
    /// themselves.
    func quietLogs(_ environment: Environment) {
        let level = environment.logLevel == .info ? .warning : environment.logLevel
        let sink = LogSink()
        sink.setLevel(level)
        LoggingSystem.bootstrap { LineLogHandler(label: $0, sink: sink) }
    }
}
