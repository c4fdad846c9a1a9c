// Follows the mounted folder: others may rename, move or delete it, or make another one in its place. What
// the server says of its path is not documented for these cases, so the folder is asked for by its id.

import Core
import DropboxAPI
import Synchronization

extension DropboxStore {
    /// How long the server's word that the folder is where it was lasts for changes that would make a folder
    /// anew.
    private static let trust = Duration.seconds(2)

    /// A folder as the server has it.
    struct FoundFolder: Hashable {
        var id: FileID
        var path: RemotePath
    }

    // MARK: Names

    /// Names what paths start from.
    public var root: String { rooted.withLock { $0.folder.name(in: $0.root.name) } }

    /// Takes over what an earlier process has noted of the mounted folder.
    public func resume(root: String) {
        rooted.withLock { $0.folder.resume(name: root) }
    }

    /// Has paths start from another root from now on.
    public func start(at root: Root) {
        rooted.withLock { $0.start(at: root) }
    }

    /// Finds out which space the person's team has now, if this is a view of the team's, and where the mounted
    /// folder is, or which one is in its place now.
    public func refreshRoot() async throws(RemoteError) {
        if case .team = rooted.withLock({ $0.root }) {
            let account = try await account()
            // Without a team's space, the home folder is all that there is.
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

    /// Where the mounted folder is: asked for once in a process. Throws `notFound` or `notAFolder` if there
    /// never was one, and `rootChanged` if the one that an earlier process knew is gone.
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

    /// Makes sure that a change which makes what is missing above it does not make the mounted folder anew.
    /// Throws `rootChanged` when that is gone from its path.
    func prepareToMake() async throws(RemoteError) {
        let folder = try await mountedFolder()
        guard folder.isPart, let confirmed = folder.confirmed,
            confirmed.duration(to: clock.now()) > Self.trust
        else { return }
        try await confirm(folder)
    }

    /// Throws `rootChanged` unless the mounted folder is where it was: then what is missing in it is missing,
    /// and what is told of its path is told of it.
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

    /// The folder that a path or an id leads to; nil when there is none that can be reached by a path. The
    /// first question says what it is instead of a folder.
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

/// What the account's paths start from, with the client that says so, and the mounted folder in it.
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
