// Collects the facts about one account: its credentials, the server's response, and the state of
// its databases. Each part has a timeout.

import Blocking
import DropboxAPI
import Foundation
import LocalIO
import MetadataStore
import Mounting
import RemoteStore
import Staging
import Sync

struct AccountInspection {
    /// Seconds for the server's response, including a new access token, and for one database.
    private static let serverTimeout = 20
    private static let databaseTimeout = 20
    /// Seconds for checking the invariants of a tree; a million entries take some.
    private static let treeTimeout = 120

    let environment: Environment
    let account: String
    /// Whether it is one of several accounts, and the user has not named it.
    var isOneOfSeveral = false
    /// Whether the invariants of the rows are checked.
    var isDeep = false
    /// The mounts that answer, of any account.
    var mounts: [MountStatus] = []

    func facts() throws(CommandError) -> AccountFacts {
        let folders = AccountFolders(
            source: MountSource(account: account, remotePath: ""), settings: MountSettings(),
            environment: environment)
        let api = environment.endpoint?.address ?? DropboxHosts.dropbox.api
        let isLoopback = api.hasPrefix("http:")
        let route = ServerRoute(
            server: environment.serverName,
            proxy: isLoopback
                ? nil : ServerRoute.proxy(for: api, variables: ProcessVariables.all))
        let trees = AccountFolders.states(of: account, environment: environment).map(tree)
        var facts: AccountFacts
        do throws(CommandError) {
            let found = try Credentials.find(
                environment: environment, account: account, login: folders.login,
                tokenFile: folders.token)
            let credentials = try found.unlocked(.background)
            let access = found.isInKeyring ? .keyring : access(credentials, folders)
            facts = AccountFacts(account: account, access: access, route: route)
            facts.isReadOnly = credentials.isReadOnly
            let settings = try MountSettings(parsing: [], over: environment.options(of: account))
            let running = posixOfMounts()
            facts.isSharingOfMount = running != nil
            facts.sharing = PosixSharing(
                isWanted: (running ?? settings.posix) == .dropbox, scopes: credentials.scopes,
                command: CommandError.login(account, environment.scope))
            try ask(credentials, member: settings.member, &facts)
        } catch {
            facts = AccountFacts(account: account, access: .refused(error), route: route)
        }
        facts.isOneOfSeveral = isOneOfSeveral
        facts.hasLeftover = folders.login.hasLeftover
        facts.trees = trees
        return facts
    }

    /// The option that the mounts of the account tell; nil if there is none, or not all say the
    /// same.
    private func posixOfMounts() -> MountSettings.Posix? {
        let said = Set(mounts.filter { $0.account == account }.map(\.posix))
        guard said.count == 1, let value = said.first ?? nil else { return nil }
        return MountSettings.Posix(rawValue: value)
    }

    private func access(
        _ credentials: Credentials, _ folders: AccountFolders
    ) -> AccountFacts.Access {
        switch credentials {
        case .login: .login
        case .refreshToken: .environment("DBXFS_REFRESH_TOKEN")
        case .token where environment.accessToken != nil: .environment("DBXFS_ACCESS_TOKEN")
        case .token: .token(folders.token)
        }
    }

    // MARK: The server

    private func ask(
        _ credentials: Credentials, member: String?, _ facts: inout AccountFacts
    ) throws(CommandError) {
        var access = try DropboxAccess(environment)
        let command = CommandError.login(account, environment.scope)
        let probe = ServerProbe(access.transport)
        access.transport = probe
        let store = DropboxStore(
            client: access.client(
                access.tokens(credentials, command: command) { _ in }, member: member))
        let answer = WorkerThread.within(seconds: Double(Self.serverTimeout)) {
            WorkerThread.result { () async throws(RemoteError) in
                try await store.account()
            }
        }
        facts.route.latency = probe.sample?.latency
        facts.route.clockLead = probe.sample?.clockLead
        facts.answer =
            switch answer.flatMap({ $0 }) {
            case .success(let found)?: checked(found)
            case .failure(let error)?:
                .failed(CommandError(error, server: environment.serverName, remotePath: ""))
            case nil: .silent(seconds: Self.serverTimeout)
            }
    }

    /// Reports credentials for another account than the recorded one as failed.
    private func checked(_ found: RemoteAccount) -> AccountFacts.Answer {
        do throws(CommandError) {
            try AccountIdentity.check(found, for: account, environment)
            return .accepted(person: found.person)
        } catch {
            return .failed(error)
        }
    }

    // MARK: The databases

    private func tree(_ folder: String) -> TreeFacts {
        let holder = AccountLock.currentHolder(of: folder)
        let path = AccountFolders.database(in: folder)
        var facts = Self.inspect(path, folder, mountpoint: holder?.mountpoint)
        let lost = LostAndFound(folder: AccountFolders.lostAndFound(in: folder))
        facts.lost =
            WorkerThread.within(seconds: Double(Self.databaseTimeout)) { lost.summary }
            ?? LostSummary()
        facts.recovery = RecoverCommand.name(environment.scope)
        if isDeep { facts.tree = Self.contradictions(of: path, facts.database) }
        return facts
    }

    private static func contradictions(
        of path: String, _ database: TreeFacts.Database
    ) -> TreeFacts.Tree? {
        switch database {
        case .absent, .damaged, .tooNew, .unreadable: return nil
        case .sound, .mounted, .unchecked: break
        }
        let found = WorkerThread.within(seconds: Double(treeTimeout)) {
            Result { try DatabaseInspection(path: path).contradictions(limit: 20) }
        }
        return switch found {
        case .success(let lines?)?: .contradictions(lines)
        case .success(nil)?: .older
        case .failure(let error)?: .unreadable("\(error)")
        case nil: .unchecked(seconds: treeTimeout)
        }
    }

    private static func inspect(
        _ path: String, _ folder: String, mountpoint: String?
    ) -> TreeFacts {
        let read = WorkerThread.within(seconds: Double(databaseTimeout)) {
            contents(of: path, folder, mountpoint: mountpoint)
        }
        guard let read else {
            return TreeFacts(folder: folder, database: .unreadable("no answer from the disk"))
        }
        guard case .sound = read.database else { return read }
        let damage = WorkerThread.within(seconds: Double(databaseTimeout)) {
            Result { try DatabaseInspection(path: path).damage() }
        }
        var facts = read
        facts.database =
            switch damage {
            case .success(nil)?: .sound
            case .success(let damage?)?: .damaged(damage)
            case .failure(let error)?: .unreadable("\(error)")
            case nil: .unchecked(seconds: databaseTimeout)
            }
        return facts
    }

    /// The queue; `sound` only means that it can be read.
    private static func contents(
        of path: String, _ folder: String, mountpoint: String?
    ) -> TreeFacts {
        guard FileManager.default.fileExists(atPath: path) else {
            return TreeFacts(folder: folder, database: .absent)
        }
        var facts = TreeFacts(
            folder: folder, database: mountpoint.map { .mounted(at: $0) } ?? .sound)
        do {
            let inspection = try DatabaseInspection(path: path)
            if try inspection.isTooNew() {
                facts.database = .tooNew
                return facts
            }
            try inspection.read { snapshot in
                facts.pending = try snapshot.pending().operations
                facts.refused = try snapshot.refusedChanges()
            }
        } catch {
            facts.database = .unreadable("\(error)")
        }
        return facts
    }
}
