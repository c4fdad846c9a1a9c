// Folders, deletes, moves and copies. The client retries a request when the fate of the first is
// unknown; an apparent failure may then be the first one's success.

package import Core
import DropboxAPI

extension DropboxStore {
    /// Creates a folder at a path.
    package func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        let result: Files.CreateFolderResult
        do {
            result = try await client.call(
                Files.createFolderV2, Files.CreateFolderArg(path: serverPath(path)),
                options: .change)
        } catch {
            let mapped = RemoteError(ofChange: error) { RemoteError($0) }
            if mapped == .conflict(.folder), error.context.earlierAttemptMayHaveTakenEffect,
                let there = try await entryAfterChange(at: path), case .folder = there.kind
            {
                return there
            }
            throw mapped
        }
        return try reader.entry(.folder(result.metadata))
    }

    /// Deletes a file or a folder.
    package func delete(
        _ node: RemoteReference, revision: Revision?
    ) async throws(RemoteError) {
        let name = try await nameInChange(of: node, isGuarded: revision != nil)
        var options = CallOptions.change
        // Without a revision, everything in a folder goes, too: a retry could delete what another
        // client has stored since the caller looked. The caller looks again instead.
        if revision == nil {
            options.isSafeToRepeat = false
            options.maxAttempts = 1
            options.pauseDeadline = .now
        }
        let deleted: Files.Metadata
        do {
            deleted = try await client.call(
                Files.deleteV2,
                Files.DeleteArg(path: name.text, parentRev: revision?.rawValue), options: options
            ).metadata
        } catch {
            if noteRefusal(of: name, error) { return try await delete(node, revision: revision) }
            let mapped = RemoteError(ofChange: error) { RemoteError($0) }
            if mapped == .notFound, error.context.earlierAttemptMayHaveTakenEffect { return }
            throw mapped
        }
        // The deletion itself has succeeded: of its response, only a different id matters.
        guard case .entry(let entry) = reader.read(deleted), let id = node.id,
            let found = entry.id, found != id
        else { return }
        compare(entry, with: node)
        throw .conflict(.other)
    }

    /// Moves to a free path, unless the node with the id is there already.
    package func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        do throws(RemoteError) {
            let moved = try reader.entry(try await relocate(Files.moveV2, node, target))
            try check(moved, is: node)
            return moved
        } catch {
            guard let id = node.id else { throw error }
            switch error {
            case .notFound, .conflict: break
            default: throw error
            }
            // A move that changes only the case has not succeeded while the old name is there.
            guard let there = try await entryAfterChange(at: target), there.id == id,
                there.name.string == target.lastComponent.map(Folding.compose)
            else { throw error }
            return there
        }
    }

    /// Copies to a free path.
    package func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        let copied: Files.Metadata
        do throws(RelocationFailure) {
            copied = try await relocateOnce(Files.copyV2, source, target)
        } catch {
            if error.reason == .conflict(.file), error.mayBeDone,
                let there = try await entryAfterChange(at: target),
                case .file(let copy) = there.kind,
                let found = try await originalAfterCopy(source),
                case .file(let original) = found.kind,
                copy.id != original.id, copy.hash == original.hash
            {
                return there
            }
            throw error.reason
        }
        return try reader.entry(copied)
    }

    /// The entry at a path at which a request may have put one.
    private func entryAfterChange(
        at path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        do throws(RemoteError) {
            return try await entry(at: path)
        } catch {
            throw error.afterPossibleChange
        }
    }

    private func originalAfterCopy(
        _ node: RemoteReference
    ) async throws(RemoteError) -> RemoteEntry? {
        do throws(RemoteError) {
            if let id = node.id { return try await entry(of: id) }
            return try await entry(at: node.path)
        } catch {
            throw error.afterPossibleChange
        }
    }

    private func relocate(
        _ route: Route<Files.RelocationArg, Files.RelocationResult, Files.RelocationError>,
        _ source: RemoteReference, _ target: RemotePath
    ) async throws(RemoteError) -> Files.Metadata {
        do throws(RelocationFailure) {
            return try await relocateOnce(route, source, target)
        } catch {
            throw error.reason
        }
    }

    /// Sends a move or copy; retries `notFound` for a source that was uploaded a moment ago.
    private func relocateOnce(
        _ route: Route<Files.RelocationArg, Files.RelocationResult, Files.RelocationError>,
        _ source: RemoteReference, _ target: RemotePath
    ) async throws(RelocationFailure) -> Files.Metadata {
        var pauses = RecentUploads.pauses[...]
        var mayBeDone = false
        while true {
            let name: NodeName
            do throws(RemoteError) {
                name = try await nameInChange(of: source)
            } catch {
                throw RelocationFailure(
                    reason: mayBeDone ? error.afterPossibleChange : error, mayBeDone: mayBeDone)
            }
            let argument = Files.RelocationArg(fromPath: name.text, toPath: serverPath(target))
            do {
                return try await client.call(route, argument, options: .change).metadata
            } catch {
                if noteRefusal(of: name, error) { continue }
                let reason = RemoteError(ofChange: error) { RemoteError($0) }
                let failure = RelocationFailure(
                    reason: mayBeDone ? reason.afterPossibleChange : reason,
                    mayBeDone: mayBeDone || error.context.earlierAttemptMayHaveTakenEffect)
                mayBeDone = mayBeDone || error.mayHaveTakenEffect
                guard error.routeError == .fromLookup(.notFound),
                    wasUploadedRecently(source.path), let pause = pauses.popFirst()
                else { throw failure }
                guard (try? await clock.sleep(pause)) != nil else {
                    throw RelocationFailure(reason: .cancelled)
                }
            }
        }
    }
}

/// The failure of a move or copy.
private struct RelocationFailure: Error {
    var reason: RemoteError
    /// Whether an earlier request of the same call may have done it.
    var mayBeDone = false
}

extension RemotePath {
    var lastComponent: String? {
        components.last
    }
}
