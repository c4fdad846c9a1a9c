// `dbxfs login`: from the user's authorization in a browser to a login that mounts use.
// `Consent.swift` obtains the authorization.

import ArgumentParser
import Core
import DropboxAPI
import LocalIO
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
            account go on with the new login. With --from-rclone or --from-maestral, dbxfs uses the login of that \
            client instead of asking for one.
            """)

    @OptionGroup var account: AccountOption

    @Option(
        help: """
            The app's key. Without it: DBXFS_APP_KEY, else app_key of the configuration file, else \
            that of this account's last login, else that of whoever built dbxfs, if there is one.
            """)
    var appKey: String?

    @Flag(help: "Print the address to open anywhere, and read the code that Dropbox shows.")
    var noBrowser = false

    @OptionGroup var takeover: TakeoverOptions

    @Flag(
        inversion: .prefixedNo,
        help: """
            Refuse an app without sharing.read and, unless with --read-only, sharing.write, which `dbxfs link`, \
            `shared`, `join` and `leave` need; or do not ask for them. Without either: ask, and go on if the app lacks them.
            """)
    var sharing: Bool?

    @Flag(
        help: """
            Do not ask for files.metadata.write, which keeping modes, times and attributes on \
            Dropbox needs.
            """)
    var noPosix = false

    @Flag(help: "Ask for nothing that changes files: mounts with this login are read-only.")
    var readOnly = false

    @Flag(
        inversion: .prefixedNo,
        help: """
            Keep the secret of the login in the desktop's keyring, or in a file. Without either: where the \
            last login has it, at first in a file, which system mounts and services need.
            """)
    var keyring: Bool?

    func validate() throws {
        if takeover.isWished, appKey != nil || noBrowser || readOnly || sharing != nil {
            throw ValidationError(
                "a login that is taken over has its app and its permissions already: leave out --app-key, "
                    + "--no-browser, --read-only, --sharing and --no-sharing")
        }
        guard keyring == true, account.system else { return }
        throw ValidationError("system mounts have no keyring: leave out --keyring")
    }

    func run() throws {
        ProcessSettings.adjustLimits()
        let environment = try Environment(scope: account.scope)
        Environment.forgetToken()
        let folders = try account.folders(environment)
        // An unusable file is about to be replaced. The app of another server's login is not this
        // server's.
        let stored = try? folders.login.contents()
        let taken = try takeover.login(ProcessVariables.all)
        try taken?.check(environment)
        let key = try taken == nil ? appKey(environment, stored) : nil
        let usesKeyring = keyring ?? folders.login.isInKeyring
        quietLogs(environment)
        // While root may still make it: from here on, the process reads what others answer.
        try folders.login.makeFolder()
        do throws(CommandError) {
            try ProcessSettings.giveUpCapabilities()
            // Before the user is sent to Dropbox.
            if usesKeyring { try folders.login.checkKeyring() }
            if let key {
                try logIn(key, folders.login, environment, usesKeyring: usesKeyring)
            }
            if let taken {
                try takeOver(taken, folders.login, environment, usesKeyring: usesKeyring)
            }
        } catch {
            folders.login.removeEmptyFolder()
            throw error
        }
    }

    private func logIn(
        _ key: String, _ file: LoginFile, _ environment: Mounting.Environment, usesKeyring: Bool
    ) throws(CommandError) {
        let access = try DropboxAccess(environment)
        let app = AppCredentials(key: key)
        let consent = Consent(access.login(app: app), scopes: scopes)
        let grant = try consent.obtain(usesBrowser: !noBrowser)
        let session = LoginSession(access, grant)
        do throws(CommandError) {
            try session.checkScopes(scopes)
            try keep(session, app, file, environment, usesKeyring: usesKeyring, takenFrom: nil)
        } catch {
            // The grant is not stored, so it is revoked.
            session.revoke()
            throw error
        }
    }

    private var scopes: LoginScopes {
        LoginScopes(sharing: sharing, posix: !noPosix, isReadOnly: readOnly)
    }

    /// Goes on with the login of another client. It is that client's, too, so it is not revoked
    /// after a failure.
    private func takeOver(
        _ taken: TakenLogin, _ file: LoginFile, _ environment: Mounting.Environment,
        usesKeyring: Bool
    ) throws(CommandError) {
        let session = try LoginSession(try DropboxAccess(environment), taken, needing: scopes)
        try keep(
            session, taken.app, file, environment, usesKeyring: usesKeyring, takenFrom: taken.client
        )
        Terminal.print(taken.consequences(of: CommandError.login(account.name, account.scope)))
    }

    private func keep(
        _ session: LoginSession, _ app: AppCredentials, _ file: LoginFile,
        _ environment: Mounting.Environment, usesKeyring: Bool, takenFrom client: String?
    ) throws(CommandError) {
        let owner = try session.owner(environment.serverName)
        try AccountIdentity.check(owner.account, for: account.name, environment)
        let leftover = try file.save(
            try session.login(app, owner.account), keyring: usesKeyring ? .asking : nil)
        ControlClient(folder: ControlFolder(path: environment.runtimeFolder))
            .announceLogin(account: account.name)
        report(owner, environment, usesKeyring: usesKeyring)
        if leftover != nil { Terminal.complain(KeyringFault.leftover) }
        session.reportMissing(scopes, takenFrom: client)
    }

    private func appKey(
        _ environment: Environment, _ stored: LoginFile.Contents?
    ) throws(CommandError) -> String {
        // Maestral's app, of a login that was taken over, does not lead a browser back here.
        let last = stored.flatMap { $0.appKey == MaestralLogin.appKey ? nil : $0.appKey }
        let named = appKey ?? environment.appKey(of: account.name) ?? last
        guard let key = named ?? Environment.defaultAppKey else {
            let steps = CommandError.appSteps(
                scopes: scopes,
                redirects: LoopbackListener.ports.map(LoopbackListener.redirect),
                login: CommandError.login(account.name, account.scope)
                    + (readOnly ? " --read-only" : ""))
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
        if readOnly { Terminal.print("The login may only read: mounts with it are read-only.") }
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
