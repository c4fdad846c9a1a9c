// `dbxfs logout`: revokes the login on Dropbox, then removes it here. The queue is kept.

import ArgumentParser
import Blocking
import DropboxAPI
import Mounting

struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the login of an account.",
        discussion: """
            Dropbox forgets the login, and it is removed here. What is queued stays queued, and is \
            sent by the next mount after a login to the same account.
            """)

    @OptionGroup var account: AccountOption

    @Flag(help: "Also when the account is mounted, or Dropbox cannot be reached.")
    var force = false

    func run() throws {
        ProcessSettings.adjustLimits()
        let environment = try Environment(scope: account.scope)
        let file = try account.folders(environment).login
        Environment.forgetToken()
        quietLogs(environment)
        guard let contents = try contents(file) else { return }
        if !force { try refuseMounted(environment) }
        try ProcessSettings.giveUpCapabilities()
        if let login = try login(of: contents, file) { try revoke(login, environment) }
        if try file.remove(keyring: .asking) != nil { Terminal.complain(KeyringFault.leftover) }
        Terminal.print("Logged out.")
        for (folder, queued) in queues(environment) {
            Terminal.complain(
                "\(Terminal.count(queued, "change")) still queued in \(folder): kept, and sent by "
                    + "the next mount after a login to this account")
        }
    }

    /// The login, with its secret or without; nil if an unreadable one was removed, or what the
    /// keyring had of an earlier one.
    private func contents(_ file: LoginFile) throws(CommandError) -> LoginFile.Contents? {
        do throws(CommandError) {
            if let contents = try file.contents() { return contents }
        } catch {
            guard force else { throw error }
            if try file.remove(keyring: .asking) != nil { Terminal.complain(KeyringFault.leftover) }
            Terminal.complain(error.message)
            Terminal.complain("it was removed; end the login at \(CommandError.connectedApps)")
            return nil
        }
        guard file.hasLeftover else { throw .notLoggedIn(account: account.name) }
        // An earlier logout could not clear the keyring, or was killed.
        try ProcessSettings.giveUpCapabilities()
        if let fault = try file.remove(keyring: .asking) {
            throw .keyring(fault, login: CommandError.login(account.name, account.scope))
        }
        Terminal.print("Removed from the keyring.")
        return nil
    }

    /// The login with its secret; nil if the keyring does not have it, and the user accepts that.
    private func login(
        of contents: LoginFile.Contents, _ file: LoginFile
    ) throws(CommandError) -> StoredLogin? {
        do throws(CommandError) {
            return try file.waitForLogin(of: contents, .asking)
        } catch {
            // A logout that was killed had removed it.
            let isMissing = if case .keyring(.missing, _) = error { true } else { false }
            guard force || isMissing else { throw error }
            Terminal.complain(error.message)
            Terminal.complain("end the login at \(CommandError.connectedApps)")
            return nil
        }
    }

    /// The locks tell of mounts that do not answer, too.
    private func refuseMounted(_ environment: Environment) throws(CommandError) {
        let mountpoint =
            environment.lockHolders(of: account.name).first
            ?? mounts(environment).first?.mountpoint
        if let mountpoint {
            throw .stillMounted(account: account.name, mountpoint: mountpoint)
        }
    }

    // MARK: On Dropbox

    /// Revokes the login on Dropbox, or reports why that failed.
    private func revoke(
        _ login: StoredLogin, _ environment: Environment
    ) throws(CommandError) {
        let access = try DropboxAccess(environment)
        let client = access.client(access.renewing(login))
        let failure = WorkerThread.waiting { () async -> String? in
            do throws(CallError<NoError>) {
                _ = try await client.call(Auth.tokenRevoke, options: .within(.seconds(30)))
                return nil
            } catch {
                return Self.isEnded(error) ? nil : error.summary
            }
        }
        guard let failure = failure ?? "no answer" else { return }
        guard force else {
            throw .notRevoked(server: environment.serverName, detail: failure)
        }
        Terminal.complain(
            "\(environment.serverName) could not be told to end the login (\(failure)): end it at "
                + CommandError.connectedApps)
    }

    /// Whether the login was invalid before.
    private static func isEnded(_ error: CallError<NoError>) -> Bool {
        switch error.kind {
        case .token(.invalidGrant), .auth(.invalidAccessToken): true
        default: false
        }
    }

    // MARK: Here

    /// The queues, by state folder or mountpoint.
    private func queues(_ environment: Environment) -> [(String, Int)] {
        let mounted = mounts(environment).map { ($0.mountpoint, $0.pendingOperations) }
        let unmounted = AccountFolders.states(of: account.name, environment: environment)
            .map { ($0, queued(in: $0)) }
        return [mounted, unmounted].flatMap(\.self).filter { $0.1 > 0 }
    }

    /// Changes in a state folder that is not mounted.
    private func queued(in folder: String) -> Int {
        guard AccountLock.currentHolder(of: folder) == nil else { return 0 }
        return AccountSurvey.pending(in: folder)?.operations ?? 0
    }

    private func mounts(_ environment: Environment) -> [MountStatus] {
        ControlClient(folder: ControlFolder(path: environment.runtimeFolder)).allMounts()
            .filter { $0.account == account.name }
    }
}
