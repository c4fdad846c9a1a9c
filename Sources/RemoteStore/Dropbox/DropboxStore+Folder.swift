// Follows the mounted folder: other clients may rename, move, delete or replace it. The server's
// responses for its path are not documented for these cases, so the folder is identified by its id.

import Core
import DropboxAPI
import Synchronization

extension DropboxStore {
    /// How long a confirmation of the folder's place is trusted by changes that would otherwise
    /// recreate the folder.
    private static let trust = Duration.seconds(2)

    /// A folder's id and path on the server.
    struct FoundFolder: Hashable {
        var id: FileID
        var path: RemotePath
    }

    // MARK: Names

    /// The name of the root of all paths.
    package var root: String { rooted.withLock { $0.folder.name(in: $0.root.name) } }

    /// The path of the mounted folder in the account, where it is now; empty for the whole account.
    package var folder: RemotePath { rooted.withLock { $0.folder.shown } }

    /// Restores the mounted folder that an earlier process has recorded.
    package func resume(root: String) {
        rooted.withLock { $0.folder.resume(name: root) }
    }

    /// Changes the root of all paths.
    package func start(at root: Root) {
        rooted.withLock { $0.start(at: root) }
    }

    /// Updates the root: the team's namespace, if this is a view of the team's space, and the path
    /// of the mounted folder, or the folder that has replaced it.
    package func refreshRoot() async throws(RemoteError) {
        if case .team = rooted.withLock({ $0.root }) {
            let account = try await account()
            // Without a team's space, there is only the home folder.
            start(at: account.teamNamespace.map { .team(namespace: $0) } ?? .home)
        }
        let folder = rooted.withLock { $0.folder }
        guard folder.isPart else { return }
        if let id = folder.id, let found = try await find(id.rawValue), found.id == id {
            return note(found)
        }
        guard let found = try await find(folder.wanted.rawValue) else {
            throw .rootMissing(folder.wanted.rawValue)
        }
        note(found)
    }

    // MARK: Asking

    /// The mounted folder, requested once per process. Throws `notFound` or `notAFolder` if it
    /// never existed, and `rootChanged` if the folder that an earlier process recorded is gone.
    @discardableResult
    func mountedFolder() async throws(RemoteError) -> MountedFolder {
        let folder = rooted.withLock { $0.folder }
        guard folder.isPart, folder.confirmed == nil else { return folder }
        if let id = folder.id {
            guard let found = try await find(id.rawValue), found.id == id else {
                throw .rootChanged
            }
            note(found)
        } else {
            guard let found = try await find(folder.wanted.rawValue, isFirst: true) else {
                throw .notFound
            }
            note(found)
        }
        return rooted.withLock { $0.folder }
    }

    /// Prevents a change that creates missing parents from recreating the mounted folder. Throws
    /// `rootChanged` when the folder is gone from its path.
    func prepareToMake() async throws(RemoteError) {
        do throws(RemoteError) {
            let folder = try await mountedFolder()
            guard folder.isPart, let confirmed = folder.confirmed,
                confirmed.duration(to: clock.now()) > Self.trust
            else { return }
            try await confirm(folder)
        } catch {
            throw error.beforeChange
        }
    }

    /// Throws `rootChanged` unless the mounted folder is still at its path: only then do a
    /// `notFound` and the listings of that path concern it.
    func confirm(_ folder: MountedFolder) async throws(RemoteError) {
        guard folder.isPart, let id = folder.id else { return }
        guard let found = try await find(id.rawValue), found.id == id, found.path == folder.path
        else { throw .rootChanged }
        rooted.withLock { rooted in
            if rooted.folder.path == found.path { rooted.folder.confirmed = clock.now() }
        }
    }

    private func note(_ found: FoundFolder) {
        rooted.withLock { rooted in
            rooted.folder.id = found.id
            rooted.folder.path = found.path
            rooted.folder.confirmed = clock.now()
        }
    }

    /// The folder of a path or an id; nil when there is none with a path. On the first request a
    /// file is an error of its own.
    private func find(
        _ name: String, isFirst: Bool = false
    ) async throws(RemoteError) -> FoundFolder? {
        let metadata: Files.Metadata
        do {
            metadata = try await client.call(
                Files.getMetadata, Files.GetMetadataArg(path: name), options: .interactive)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound || mapped == .disallowedName { return nil }
            throw mapped
        }
        guard case .folder(let folder) = metadata else {
            if isFirst { throw .notAFolder }
            return nil
        }
        guard let path = folder.pathLower else { return nil }
        guard MetadataReader.isPlace(path), MetadataReader.isIdentifier(folder.id) else {
            throw .malformed("a folder without a usable path or id")
        }
        return FoundFolder(id: FileID(folder.id), path: RemotePath(rawValue: path))
    }
}

/// The root of the account's paths, the client for it, and the mounted folder in it.
struct Rooted: Sendable {
    private(set) var root: DropboxStore.Root
    private(set) var client: DropboxClient
    var folder: MountedFolder

    init(_ root: DropboxStore.Root, _ client: DropboxClient, _ folder: MountedFolder) {
        self.root = root
        self.client = client.rooted(at: root.pathRoot)
        self.folder = folder
    }

    mutating func start(at root: DropboxStore.Root) {
        self.root = root
        client = client.rooted(at: root.pathRoot)
        folder.confirmed = nil
    }
}
