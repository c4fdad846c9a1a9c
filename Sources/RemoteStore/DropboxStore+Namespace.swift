// Folders, deletes, moves and copies. The client sends a request again when the fate of the first is
// unknown; what then looks like a failure may be the first one's success.

public import Core
import DropboxAPI

extension DropboxStore {
    /// Makes a folder.
    public func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        let result: Files.CreateFolderResult
        do {
            result = try await client.call(
                Files.createFolderV2, Files.CreateFolderArg(path: serverPath(path)),
                options: .change)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .conflict(.folder), error.context.earlierAttemptMayHaveTakenEffect,
                let there = try await entry(at: path), case .folder = there.kind
            {
                return there
            }
            throw mapped
        }
        return try reader.entry(.folder(result.metadata))
    }

    /// Deletes a file or a folder.
    public func delete(_ path: RemotePath, revision: Revision?) async throws(RemoteError) {
        var options = CallOptions.change
        // Without a revision to guard it, a second request could delete what another client has put
        // there after the first.
        if revision == nil { options.retryAfterSend = false }
        do {
            _ = try await client.call(
                Files.deleteV2,
                Files.DeleteArg(path: serverPath(path), parentRev: revision?.rawValue),
                options: options)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound, error.context.earlierAttemptMayHaveTakenEffect { return }
            throw mapped
        }
    }

    /// Moves to a free place.
    public func move(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await move(path, to: target, id: nil)
    }

    /// Moves to a free place, unless what has the id is there already.
    public func move(
        _ path: RemotePath, to target: RemotePath, id: FileID?
    ) async throws(RemoteError) -> RemoteEntry {
        let moved: Files.Metadata
        do {
            moved = try await relocate(Files.moveV2, path, target)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if let id, [.notFound, .conflict(.file), .conflict(.folder)].contains(mapped),
                let there = try await entry(at: target), there.id == id,
                // Its own old name is no success of a move that changes only the case.
                there.name.string == target.lastComponent.map(Folding.compose)
            {
                return there
            }
            throw mapped
        }
        return try reader.entry(moved)
    }

    /// Copies to a free place.
    public func copy(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let copied: Files.Metadata
        do {
            copied = try await relocate(Files.copyV2, path, target)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .conflict(.file), error.context.earlierAttemptMayHaveTakenEffect,
                let there = try await entry(at: target), case .file(let copy) = there.kind,
                let source = try await entry(at: path), case .file(let original) = source.kind,
                copy.id != original.id, copy.hash == original.hash
            {
                return there
            }
            throw mapped
        }
        return try reader.entry(copied)
    }

    /// Sends a move or copy; for a source that was uploaded a moment ago, again if it is not found.
    private func relocate(
        _ route: Route<Files.RelocationArg, Files.RelocationResult, Files.RelocationError>,
        _ path: RemotePath, _ target: RemotePath
    ) async throws(CallError<Files.RelocationError>) -> Files.Metadata {
        let argument = Files.RelocationArg(
            fromPath: serverPath(path), toPath: serverPath(target))
        var pauses = RecentUploads.pauses[...]
        while true {
            do {
                return try await client.call(route, argument, options: .change).metadata
            } catch {
                guard error.routeError == .fromLookup(.notFound), wasUploadedRecently(path),
                    let pause = pauses.popFirst()
                else { throw error }
                guard (try? await clock.sleep(pause)) != nil else {
                    throw CallError(kind: .cancelled, context: error.context)
                }
            }
        }
    }
}

extension RemoteEntry {
    var id: FileID? {
        switch kind {
        case .file(let file): file.id
        case .folder(let folder): folder.id
        case .deleted: nil
        }
    }
}

extension RemotePath {
    var lastComponent: String? {
        components.last
    }
}
