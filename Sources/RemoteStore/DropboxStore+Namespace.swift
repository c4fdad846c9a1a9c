// Folders, deletes, moves and copies.

public import Core
import DropboxAPI

extension DropboxStore {
    /// Makes a folder.
    public func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        let result: Files.CreateFolderResult
        do {
            result = try await client.call(
                Files.createFolder, Files.CreateFolderArg(path: serverPath(path)),
                options: Self.interactive)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try entry(.folder(result.metadata))
    }

    /// Deletes a file or a folder.
    public func delete(_ path: RemotePath, revision: Revision?) async throws(RemoteError) {
        do {
            _ = try await client.call(
                Files.delete,
                Files.DeleteArg(path: serverPath(path), parentRev: revision?.rawValue),
                options: Self.unhurried)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    /// Moves to a free place.
    public func move(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let argument = Files.RelocationArg(
            fromPath: serverPath(path), toPath: serverPath(target))
        let result: Files.RelocationResult
        do {
            result = try await client.call(Files.move, argument, options: Self.unhurried)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try entry(result.metadata)
    }

    /// Copies to a free place.
    public func copy(
        _ path: RemotePath, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let argument = Files.RelocationArg(
            fromPath: serverPath(path), toPath: serverPath(target))
        let result: Files.RelocationResult
        do {
            result = try await client.call(Files.copy, argument, options: Self.unhurried)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try entry(result.metadata)
    }
}
