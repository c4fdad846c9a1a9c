// Checks whose account a state folder belongs to, so that a wrong token cannot send one person's
// files to another person's account.

import Blocking
import DropboxAPI
import Foundation
import LocalIO
import MetadataStore
import Mounting
import RemoteStore
import Saturating

/// The account of a state folder, as of the last mount.
struct AccountIdentity {
    let folders: AccountFolders
    let source: MountSource
    /// The root of the mount's paths.
    let root: MountSettings.Root
    let environment: Mounting.Environment
    /// The login in use; nil with an access token.
    let login: StoredLogin?
    /// The mount's tokens, each checked against the account.
    let tokens: VerifiedTokens
    /// The account of the state folder; nil before its first mount.
    let known: AccountRecord?
    /// The state folder's database, which keeps the account's ID beside the rows.
    let store: MetadataStore

    /// Requests the account of the token, compares it with the record, and stores it.
    ///
    /// An account that was mounted here before also mounts while the server is unreachable; then
    /// the returned notice says so, and `tokens` checks the account before the first request.
    /// `knownTimeout` is for that, in seconds. Afterwards the store's paths start at
    /// the root.
    func check(
        _ remote: DropboxStore, knownTimeout: Double
    ) throws(CommandError) -> String? {
        if let known, let login, login.accountID != known.accountID {
            // Without this check an offline mount would send its queue to the wrong account later.
            throw .otherAccount(
                account: source.account, folder: folders.state, expected: known.person,
                found: "the account \(login.accountID)")
        }
        let (source, root, tokens, known) = (source, root, tokens, known)
        if case .namespace(let id) = root { remote.start(at: .namespace(id)) }
        let answer = WorkerThread.waiting {
            await Self.ask(
                remote, tokens, source, root, timeout: known == nil ? nil : knownTimeout)
        }
        switch answer {
        case .success(let account):
            if let known, known.accountID != account.id {
                throw .otherAccount(
                    account: source.account, folder: folders.state,
                    expected: known.person, found: account.person)
            }
            if root == .team, account.teamNamespace == nil {
                throw .noTeamSpace(account: account.email)
            }
            try save(account)
            return notice(about: account)
        case .failure(let error):
            let reason = self.reason(of: error)
            guard let known, error.allowsOfflineMount else { throw reason }
            if root == .team {
                guard let team = known.team else { throw reason }
                remote.start(at: .team(namespace: team))
            }
            return "mounted offline: \(environment.serverName): \(error)"
        case nil:
            throw .system("the account could not be asked for")
        }
    }

    /// A notice that only the own folder is mounted.
    private func notice(about account: RemoteAccount) -> String? {
        guard root == .home, source.remotePath.isEmpty, account.teamNamespace != nil else {
            return nil
        }
        return "only the own folder is mounted: -o root=team shows the team's folders, too"
    }

    private func reason(of error: RemoteError) -> CommandError {
        switch (root, error) {
        case (.team, .rootChanged), (.team, .forbidden):
            .rootForbidden(root: "team", detail: "\(error)")
        case (.namespace(let id), .rootChanged), (.namespace(let id), .forbidden):
            .rootForbidden(root: id, detail: "\(error)")
        default: CommandError(error, server: environment.serverName, remotePath: source.remotePath)
        }
    }

    /// The account, after a check that the folder exists; `timeout` is in seconds.
    private static func ask(
        _ remote: DropboxStore, _ tokens: VerifiedTokens, _ source: MountSource,
        _ root: MountSettings.Root, timeout: Double?
    ) async -> Result<RemoteAccount, RemoteError> {
        await withTaskGroup(of: Result<RemoteAccount, RemoteError>.self) { group in
            group.addTask {
                do throws(RemoteError) {
                    let account = try await tokens.owner()
                    if root == .team, let team = account.teamNamespace {
                        remote.start(at: .team(namespace: team))
                    }
                    if !source.remotePath.isEmpty || root != .home {
                        try await look(remote)
                    }
                    return .success(account)
                } catch {
                    return .failure(error)
                }
            }
            if let timeout {
                group.addTask {
                    try? await Task.sleep(for: .seconds(clamping: timeout))
                    return .failure(.timedOut)
                }
            }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
    }

    /// Checks that the folder to mount exists. A folder that was mounted before and is deleted on
    /// the server since is mounted all the same, because its queued changes are in the mount only.
    private static func look(_ remote: DropboxStore) async throws(RemoteError) {
        do throws(RemoteError) {
            _ = try await remote.list(.root, recursive: false)
        } catch {
            guard error == .rootChanged else { throw error }
            do throws(RemoteError) {
                try await remote.refreshRoot()
            } catch {
                guard case .rootMissing = error else { throw error }
            }
        }
    }

    /// The account whose rows the database has; nil before its first mount.
    ///
    /// Throws if they are from another server than the configured one. That is not asked whose the
    /// files are: it could name the account's ID, which is no secret.
    static func owner(
        of store: MetadataStore, _ plan: MountPlan
    ) throws(CommandError) -> AccountRecord? {
        let stored: StoredAccount?
        do {
            stored = try store.read { try $0.account() }
        } catch {
            throw CommandError(opening: plan.folders.database, error)
        }
        if let server = stored?.server, server != plan.environment.server {
            throw .filesOfOtherServer(
                account: plan.source.account, folder: plan.folders.state, noted: server,
                configured: plan.environment.server)
        }
        return try AccountRecord.read(
            plan.folders.identity, stored: stored?.id, person: stored?.person)
    }

    /// The recorded account of a state folder; nil before its first mount.
    static func known(in state: String) throws(CommandError) -> AccountRecord? {
        try AccountRecord.read(AccountFolders.identity(in: state))
    }

    /// Refuses a login for another account than the recorded one.
    static func check(
        _ found: RemoteAccount, for account: String, _ environment: Environment
    ) throws(CommandError) {
        for state in AccountFolders.states(of: account, environment: environment) {
            guard let known = try known(in: state), known.accountID != found.id else { continue }
            throw .otherLogin(
                account: account, folder: state, expected: known.person, found: found.person)
        }
    }

    private func save(_ account: RemoteAccount) throws(CommandError) {
        let record = AccountRecord(
            accountID: account.id, name: account.displayName, email: account.email,
            team: account.teamNamespace)
        try record.write(to: folders.identity)
        do {
            let stored = StoredAccount(
                id: account.id, server: environment.server, person: account.person)
            try store.write { try $0.setAccount(stored) }
        } catch {
            throw CommandError(opening: folders.database, error)
        }
    }
}

extension RemoteAccount {
    /// Name and address, for messages.
    var person: String { "\(displayName) <\(email)>" }
}

extension RemoteError {
    /// Whether the server was unreachable, as opposed to a response.
    fileprivate var allowsOfflineMount: Bool {
        switch self {
        case .offline, .unreachable, .timedOut, .rateLimited, .server, .unsent, .malformed,
            .cancelled:
            true
        case .unauthorized, .forbidden, .notFound, .notAFolder, .notAFile, .conflict,
            .insufficientSpace, .tooLarge, .tooManyEntries, .disallowedName, .busy, .protected,
            .cursorReset, .notDownloadable, .rootChanged, .rootMissing, .contentMismatch,
            .sessionLost, .contentUnreadable:
            false
        }
    }
}
