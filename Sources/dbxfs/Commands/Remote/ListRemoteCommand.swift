// `dbxfs ls-remote`: lists a folder directly from Dropbox, without a mount.

import ArgumentParser
import Blocking
import Core
import DropboxAPI
import Mounting
import RemoteStore
import Saturating

struct ListRemoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls-remote",
        abstract: "List what Dropbox has, without a mount.",
        discussion: """
            Asks Dropbox, not the mount: for whether something really is there. Exits with 2 if the path is \
            not, or cannot be listed. With --json, one object per entry, each on a line of its own.
            """)

    @Argument(
        help: ArgumentHelp(
            "An account and a path in it, or a path on a mount.",
            discussion: "Without it, the top folder of the account 'default'.",
            valueName: "[account][:/path]"), completion: .directory)
    var source = MountSource.standard.account

    @Flag(help: "List folders in folders, too.")
    var recursive = false

    @Flag(help: "List deleted files and folders instead.")
    var deleted = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "The account of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    func run() throws {
        ProcessSettings.adjustLimits()
        do throws(CommandError) {
            try list()
        } catch {
            throw error.withoutMount
        }
    }

    private func list() throws(CommandError) {
        let place = try RemotePlace(namedBy: source, RemotePlace.scope(system))
        let environment = place.environment
        quietLogs(environment)
        let remote = try RemoteAccess(place.source, environment)
        let path = place.source.remotePath
        let (recursive, deleted, json) = (recursive, deleted, json)
        let failure = WorkerThread.waiting { () async -> RemoteError? in
            do throws(RemoteError) {
                let show = { (entry: RemoteListing) -> Void in
                    if json {
                        try? Terminal.printJSON(entry)
                    } else {
                        Terminal.print(entry.text(below: path))
                    }
                }
                if deleted {
                    try await remote.listDeleted(recursive: recursive, show: show)
                } else {
                    try await remote.list(recursive: recursive, show: show)
                }
                return nil
            } catch {
                return error
            }
        }
        guard let failure else { throw .system("the server could not be asked") }
        if let failure { throw Self.message(failure, path, environment) }
    }

    /// The message for an error of the server.
    static func message(
        _ error: RemoteError, _ path: String, _ environment: Environment
    ) -> CommandError {
        switch error {
        case .notFound, .disallowedName: .notOnDropbox(path)
        // Another message than for a mount, because this command has no cache.
        case .offline(let detail):
            .system("\(environment.serverName) cannot be reached: \(detail)")
        default: CommandError(error, server: environment.serverName, remotePath: path)
        }
    }
}

/// Access to an account without a mount.
struct RemoteAccess: Sendable {
    private let store: DropboxStore
    private let root: MountSettings.Root
    private var folder: RemotePath

    /// Pages without an entry, of which Dropbox sends some.
    private static let mostEmptyPages = 100

    /// Uses the root that the configuration file sets for mounts.
    init(_ source: MountSource, _ environment: Environment) throws(CommandError) {
        let settings = try MountSettings(
            parsing: [], over: environment.options(of: source.account))
        let folders = AccountFolders(
            source: source, settings: settings, environment: environment)
        let found = try Credentials.find(
            environment: environment, account: source.account, login: folders.login,
            tokenFile: folders.token)
        try ProcessSettings.giveUpCapabilities()
        let credentials = try found.unlocked(.asking)
        // Entries that are shown already cannot be listed anew with smaller pages.
        let access = try DropboxAccess(environment) {
            $0.resultLimit = DropboxAccess.longestPageBytes
        }
        let client = access.client(
            access.tokens(
                credentials, command: CommandError.login(source.account, environment.scope),
                hide: { _ in }), member: settings.member)
        store = DropboxStore(client: client)
        root = settings.root
        folder = RemotePath(rawValue: source.remotePath)
    }

    /// Calls `show` with every entry of the folder, or with the file at the path.
    func list(
        recursive: Bool, show: (RemoteListing) -> Void
    ) async throws(RemoteError) {
        try await start()
        var page: RemotePage
        do {
            page = try await store.list(folder, recursive: recursive)
        } catch .notAFolder {
            guard let file = try await store.entry(at: folder) else { throw .notFound }
            if let listing = RemoteListing(file, at: folder.rawValue) { show(listing) }
            return
        }
        // Only the last name of a path has the original spelling.
        var spelled = SpelledListing(of: folder)
        func showAll(_ found: [(entry: RemoteEntry, path: RemotePath)]) {
            for (entry, path) in found {
                if let listing = RemoteListing(entry, at: path.rawValue) { show(listing) }
            }
        }
        var emptyPages = 0
        while true {
            showAll(try spelled.take(page.entries))
            guard page.hasMore else { return showAll(spelled.end()) }
            if page.entries.isEmpty { emptyPages +|= 1 }
            guard emptyPages < Self.mostEmptyPages else {
                throw .malformed("the listing goes on for ever")
            }
            page = try await store.list(after: page.cursor)
        }
    }

    /// Calls `show` with everything that was deleted in the folder, which may be deleted, too.
    func listDeleted(
        recursive: Bool, show: (RemoteListing) -> Void
    ) async throws(RemoteError) {
        try await start()
        // Entries may come before the folders that they were in.
        var spelled = SpelledPaths(below: folder)
        var found: [RemoteEntry] = []
        try await store.forEachEntry(
            below: folder, recursive: recursive,
            begin: { (found, spelled) = ([], SpelledPaths(below: folder)) }
        ) { entry throws(RemoteError) in
            try spelled.note(entry)
            if case .deleted = entry.kind { found.append(entry) }
        }
        for entry in found {
            show(RemoteListing(path: spelled.path(of: entry).rawValue, id: nil))
        }
    }

    /// Calls `show` with what Dropbox finds in the folder, until it returns false.
    func search(
        _ query: String, namesOnly: Bool, show: (RemoteListing) -> Bool
    ) async throws(RemoteError) {
        try await start()
        try await store.search(query, below: folder, namesOnly: namesOnly) { found in
            guard let listing = RemoteListing(found.entry, at: found.path) else { return true }
            return show(listing)
        }
    }

    /// The same account with another path.
    func at(_ path: String) -> RemoteAccess {
        var other = self
        other.folder = RemotePath(rawValue: path)
        return other
    }

    /// The file at the path, with the formats that it can be exported in.
    func document() async throws(RemoteError) -> RemoteDocument {
        try await start()
        return try await store.document(at: folder)
    }

    /// Exports a document that `document` has found; `write` is as in `RemoteExporting.export`.
    func export(
        _ document: RemoteDocument, as format: String?,
        write: @escaping @Sendable ([UInt8], Int64) -> Int32?
    ) async throws(ExportFailure) -> RemoteExport {
        try await store.export(document.id, as: format, limit: .max, write: write)
    }

    /// The account, after its root has been found.
    func started() async throws(RemoteError) -> DropboxStore {
        try await start()
        return store
    }

    private func start() async throws(RemoteError) {
        switch root {
        case .home: break
        case .namespace(let id): store.start(at: .namespace(id))
        case .team:
            guard let team = try await store.account().teamNamespace else {
                throw .forbidden("the account is in no team with a space of its own")
            }
            store.start(at: .team(namespace: team))
        }
    }
}

extension RemoteListing {
    fileprivate init?(_ entry: RemoteEntry, at path: String) {
        switch entry.kind {
        case .file(let file):
            self.init(
                path: path, id: file.id.rawValue,
                file: File(
                    bytes: file.size, modified: file.clientModified.seconds,
                    stored: file.serverModified.seconds, rev: file.revision.rawValue,
                    contentHash: file.hash.map { "\($0)" }))
        case .folder(let folder): self.init(path: path, id: folder.id.rawValue)
        case .deleted: return nil
        }
    }
}
