// Old revisions of files on Dropbox. Their retention depends on the account's plan.

package import Core
import DropboxAPI
import Saturating

extension DropboxStore: RemoteHistory {
    /// Maximum revisions in one response; the API's limit.
    private static let revisionLimit = 100

    /// The newest revisions of the file at a path.
    package func revisions(
        of path: RemotePath, limit: Int
    ) async throws(RemoteError) -> RemoteRevisions {
        guard path != .root else { throw .notAFile }
        try await mountedFolder()
        var argument = Files.ListRevisionsArg(path: serverPath(path))
        var found = RemoteRevisions(versions: [], isDeleted: false)
        var most = Self.revisionLimit
        while true {
            let rest = limit -| found.versions.count
            argument.limit = UInt64(clamping: max(1, min(rest, most)))
            let page: Files.ListRevisionsResult
            do {
                page = try await client.call(
                    Files.listRevisions, argument, options: .interactive)
            } catch {
                if error.isTooLarge,
                    let fewer = ListingRules.smallerPage(than: UInt32(clamping: argument.limit))
                {
                    most = Int(clamping: fewer)
                    continue
                }
                throw RemoteError(error) { RemoteError($0) }
            }
            if argument.beforeRev == nil {
                found.isDeleted = page.isDeleted
                found.deleted = page.serverDeleted
                    .map { WallTime(seconds: $0.secondsSince1970) }
            }
            for entry in page.entries {
                let file = try reader.version(entry)
                let author = entry.sharingInfo?.modifiedBy
                found.versions.append(.init(file: file, author: author))
            }
            guard page.hasMore, found.versions.count < limit, let last = page.entries.last,
                last.rev != argument.beforeRev
            else { return found }
            argument.beforeRev = last.rev
        }
    }

    /// The newest revisions of a file by its id.
    package func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] {
        guard id.isSendable else { return [] }
        try await mountedFolder()
        let limit = UInt64(clamping: Self.revisionLimit)
        let page: Files.ListRevisionsResult
        do {
            page = try await client.call(
                Files.listRevisions,
                Files.ListRevisionsArg(path: id.rawValue, mode: .id, limit: limit),
                options: .interactive)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound || mapped == .notAFile { return [] }
            throw mapped
        }
        var found: [RemoteFile] = []
        for entry in page.entries { found.append(try reader.version(entry)) }
        return found
    }

    /// Restores an old revision as the current one.
    package func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        // A retry could overwrite what other clients have stored after the first request.
        try await prepareToMake()
        var options = CallOptions.change
        options.isSafeToRepeat = false
        let file: Files.FileMetadata
        do {
            file = try await client.call(
                Files.restore,
                Files.RestoreArg(path: serverPath(path), rev: revision.rawValue), options: options)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try reader.entry(.file(file))
    }
}

extension DropboxStore: RemoteUndo {
    /// Starts a listing of a folder with deleted entries.
    package func listWithDeleted(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        try await list(folder, recursive: recursive, includesDeleted: true)
    }
}

extension RemoteError {
    fileprivate init(_ error: Files.ListRevisionsError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .invalidBeforeRev, .beforeRevNotSupported: self = .notFound
        case .unknown(let tag): self = .server(tag)
        }
    }

    fileprivate init(_ error: Files.RestoreError) {
        switch error {
        case .pathLookup(let lookup): self.init(lookup)
        case .pathWrite(let write): self.init(write)
        case .invalidRevision: self = .notFound
        case .inProgress: self = .busy
        case .unknown(let tag): self = .server(tag)
        }
    }
}
