// Older versions of files.

import DropboxAPI

extension FileExamples {
    /// Lists the versions of a file, the newest first.
    func listRevisions(_ path: String) async throws -> [Files.FileMetadata] {
        let versions = try await client.files.listRevisions(path: path, limit: 100)
        if versions.isDeleted { print("\(path) is deleted; it can be restored") }
        return versions.entries
    }

    /// Makes an older version the present one.
    func restore(_ path: String, to rev: Files.Rev) async throws -> Files.FileMetadata {
        try await client.files.restore(path: path, rev: rev)
    }
}
