// One file or folder at a time: making, copying, moving and deleting.

import DropboxAPI

/// Examples of the routes of `files`.
struct FileExamples {
    let client: DropboxClient
}

extension FileExamples {
    /// Makes a folder, and those around it that are missing.
    func createFolderV2(_ path: String) async throws -> Files.FolderMetadata {
        try await client.files.createFolderV2(path: path).metadata
    }

    /// Stores a small file, as a new version if the path has one already.
    func upload(_ bytes: [UInt8], to path: String) async throws -> Files.FileMetadata {
        try await client.files.upload(path: path, mode: .overwrite, body: BytesBody(bytes))
    }

    /// Copies a file or folder; if the name is taken, the copy gets another one.
    func copyV2(_ source: String, to target: String) async throws -> Files.Metadata {
        let copy = try await client.files.copyV2(
            fromPath: source, toPath: target, autorename: true)
        return copy.metadata
    }

    /// Renames a file or folder, or moves it elsewhere.
    func moveV2(_ source: String, to target: String) async throws -> Files.Metadata {
        try await client.files.moveV2(fromPath: source, toPath: target).metadata
    }

    /// Deletes a file, unless another client has changed it since this revision.
    func deleteV2(_ path: String, ifStill rev: Files.Rev?) async throws -> Files.Metadata {
        try await client.files.deleteV2(path: path, parentRev: rev).metadata
    }

    /// Deletes a file of a team so that no user can restore it.
    func permanentlyDelete(_ path: String) async throws {
        try await client.files.permanentlyDelete(path: path)
    }

    /// Locks files of a team, and returns how many are locked now.
    func lockFileBatch(_ paths: [String]) async throws -> Int {
        let locks = try await client.files.lockFileBatch(entries: paths.map { .init(path: $0) })
        return locks.entries.count { lock in
            if case .success = lock { true } else { false }
        }
    }
}
