// Dropbox as the cloud of a filesystem. Not responsible for HTTP, tokens and retries: those are
// DropboxAPI's; here its routes become the operations of `RemoteStoring`, and nothing that the server
// says is believed before it has been checked.

import ContentHashing
public import Core
public import DropboxAPI

/// An account on Dropbox, or the part of it below a folder.
public final class DropboxStore: RemoteStoring {
    /// Largest answer to one listing; the most that the API allows.
    private static let pageLimit: UInt32 = 2000

    let client: DropboxClient
    /// The folder that the mount's root is: "" for the account's, "/Projects" for a part.
    let prefix: RemotePath
    private let foldedPrefix: String

    /// Speaks for one account by way of a client.
    public init(client: DropboxClient, prefix: RemotePath = .root) {
        self.client = client
        self.prefix = prefix
        self.foldedPrefix = Folding.fold(prefix.rawValue)
    }

    /// Options for calls that a process may be waiting for.
    static var interactive: CallOptions { .within(.seconds(60)) }
    /// Options for commits, which big files make slow: rclone has seen more than two minutes.
    static var unhurried: CallOptions { .within(.seconds(900)) }

    func serverPath(_ path: RemotePath) -> String {
        prefix.rawValue + path.rawValue
    }

    // MARK: Account

    /// Whose account this is.
    public func account() async throws(RemoteError) -> RemoteAccount {
        do {
            let account = try await client.call(Users.getCurrentAccount, options: Self.interactive)
            return RemoteAccount(
                id: account.accountID, displayName: account.name.displayName,
                email: account.email, rootNamespace: account.rootInfo.rootNamespaceID)
        } catch {
            throw RemoteError(error)
        }
    }

    /// Bytes used and allowed; for a member of a team with a cap of their own, that one.
    public func space() async throws(RemoteError) -> RemoteSpace {
        do {
            let usage = try await client.call(Users.getSpaceUsage, options: Self.interactive)
            return RemoteSpace(usage)
        } catch {
            throw RemoteError(error)
        }
    }

    // MARK: Listing

    /// The first page of a folder.
    public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        do {
            let argument = Files.ListFolderArg(
                path: serverPath(folder), recursive: recursive, limit: Self.pageLimit)
            return page(
                try await client.call(Files.listFolder, argument, options: Self.interactive))
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    /// The next page or delta.
    public func list(after cursor: Core.Cursor) async throws(RemoteError) -> RemotePage {
        do {
            let argument = Files.ListFolderContinueArg(cursor: cursor.rawValue)
            return page(
                try await client.call(
                    Files.listFolderContinue, argument, options: Self.interactive))
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    /// Waits for a change.
    public func waitForChange(
        after cursor: Core.Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        do {
            let argument = Files.ListFolderLongpollArg(
                cursor: cursor.rawValue, timeout: UInt64(min(480, max(30, timeout))))
            let result = try await client.call(Files.listFolderLongpoll, argument)
            return RemoteChange(
                hasChanges: result.changes, backoff: result.backoff.map { Int(clamping: $0) })
        } catch {
            throw RemoteError(error) { $0 == .reset ? .cursorReset : .server("\($0)") }
        }
    }

    /// What is at a path.
    public func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        let metadata: Files.Metadata
        do {
            metadata = try await client.call(
                Files.getMetadata, Files.GetMetadataArg(path: serverPath(path)),
                options: Self.interactive)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound { return nil }
            throw mapped
        }
        return try entry(metadata)
    }

    // MARK: Entries

    private func page(_ result: Files.ListFolderResult) -> RemotePage {
        var entries: [RemoteEntry] = []
        entries.reserveCapacity(result.entries.count)
        var refused = 0
        for metadata in result.entries {
            switch RemoteEntry.reading(metadata, below: foldedPrefix) {
            case .entry(let entry): entries.append(entry)
            case .root: break
            case .refused: refused += 1
            }
        }
        return RemotePage(
            entries: entries, cursor: Core.Cursor(result.cursor), hasMore: result.hasMore,
            refusedCount: refused)
    }

    /// An entry in answer to a call about one; the server must name it sensibly.
    func entry(_ metadata: Files.Metadata) throws(RemoteError) -> RemoteEntry {
        guard case .entry(let entry) = RemoteEntry.reading(metadata, below: foldedPrefix) else {
            throw .malformed("an entry without a usable name or path")
        }
        return entry
    }
}
