// `dbxfs shared`: the shared folders that an account has in its tree, or can have there. Needs no
// mount.

import ArgumentParser
import Blocking
import Core
import Mounting
import RemoteStore

struct SharedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared",
        abstract: "List shared folders, and whether they are joined.",
        discussion: """
            A joined folder is in the account, and so on mounts of it; `dbxfs join` and `dbxfs leave` change that. \
            The app needs the permissions sharing.read and sharing.write, and the account a login that asked for \
            them, as `dbxfs login` does without --no-sharing. With --json, one object per folder, each on a line of its own.
            """)

    @OptionGroup var account: AccountOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let folders = try SharedFolders(account.name, account.scope, for: self).list()
        if json {
            for folder in folders { try Terminal.printJSON(folder) }
        } else if folders.isEmpty {
            Terminal.complain("no shared folders", prefix: "")
        } else {
            Terminal.print(folders.map(\.text).joined(separator: "\n\n"))
        }
    }
}

/// The shared folders of an account, directly on Dropbox.
struct SharedFolders {
    private let account: String
    private let environment: Environment
    private let remote: RemoteAccess

    /// Finds the login of an account by its local name; prepares this process for requests.
    init(
        _ account: String, _ scope: Environment.Scope, for command: some ParsableCommand
    ) throws(CommandError) {
        ProcessSettings.adjustLimits()
        do throws(CommandError) {
            environment = try Environment(scope: scope)
            let source = try MountSource(accountNamed: account)
            self.account = account
            command.quietLogs(environment)
            remote = try RemoteAccess(source, environment)
        } catch {
            throw error.withoutMount
        }
    }

    /// All of them, in the order of their names.
    func list() throws(CommandError) -> [SharedFolderReport] {
        try asking { store async throws(RemoteError) in try await store.sharedFolders() }
            .map(SharedFolderReport.init)
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Joins a folder of the list; returns its path in the account, if Dropbox tells it, and
    /// whether that is new.
    func join(_ folder: SharedFolderReport) throws(CommandError) -> (path: String?, isNew: Bool) {
        let known = RemoteSharedFolder(
            id: folder.id, name: folder.name, access: .other, path: folder.path)
        return try asking(missing: .noSharedFolder(folder.name)) {
            store async throws(RemoteError) in try await store.join(known)
        }
    }

    /// Leaves the folder of an id.
    func leave(_ id: String) throws(CommandError) {
        try asking(missing: .noSharedFolder(id)) { store async throws(RemoteError) in
            try await store.leave(sharedFolder: id)
        }
    }

    /// The id of the shared folder at a path in the account.
    func id(at path: String) throws(CommandError) -> String {
        let entry = try asking(missing: .notOnDropbox(path)) { store async throws(RemoteError) in
            try await store.entry(at: RemotePath(rawValue: path))
        }
        guard let entry else { throw .notOnDropbox(path) }
        guard case .folder(let folder) = entry.kind, let id = folder.sharedFolderID else {
            throw .notShared(path)
        }
        return id
    }

    /// Makes this thread wait for the server.
    private func asking<Value: Sendable>(
        missing: CommandError? = nil,
        _ body: @escaping @Sendable (DropboxStore) async throws(RemoteError) -> Value
    ) throws(CommandError) -> Value {
        let remote = remote
        let answer = WorkerThread.result { () async throws(RemoteError) in
            try await body(try await remote.started())
        }
        switch answer {
        case .success(let value)?: return value
        case .failure(.notFound)?, .failure(.disallowedName)?:
            throw missing ?? .serverRefused(server: environment.serverName, detail: "not found")
        case .failure(let error)?: throw message(error).withoutMount
        case nil: throw .system("the server could not be asked")
        }
    }

    private func message(_ error: RemoteError) -> CommandError {
        let server = environment.serverName
        switch error {
        case .forbidden(let detail):
            return .sharingForbidden(
                server: server, detail: detail,
                advice: CommandError.sharingAdvice(account, environment.scope))
        case .protected, .insufficientSpace:
            return .serverRefused(server: server, detail: "\(error)")
        default: return ListRemoteCommand.message(error, "", environment)
        }
    }
}

extension SharedFolderReport {
    fileprivate init(_ folder: RemoteSharedFolder) {
        let access: Access =
            switch folder.access {
            case .owner: .owner
            case .editor: .editor
            case .viewer: .viewer
            case .other: .other
            }
        self.init(
            id: folder.id, name: folder.name, access: access, owners: folder.owners,
            team: folder.team, path: folder.path)
    }
}
