// Entries: metadata, folders, changes and searches.

import DropboxAPI

extension FileExamples {
    /// Asks what is at a path.
    func getMetadata(_ path: String) async throws -> String {
        switch try await client.files.getMetadata(path: path) {
        case .file(let file): "a file of \(file.size) bytes"
        case .folder(let folder): "a folder, \(folder.name)"
        default: "something else"
        }
    }

    /// Lists a folder and all below it; there is more if `hasMore` says so.
    func listFolder(_ path: String, limit: UInt32) async throws -> Files.ListFolderResult {
        try await client.files.listFolder(path: path, recursive: true, limit: limit)
    }

    /// Lists what follows on a page, or what has changed since the last one.
    func listFolderContinue(_ cursor: Files.ListFolderCursor) async throws -> [Files.Metadata] {
        let page = try await client.files.listFolderContinue(cursor: cursor)
        guard page.hasMore else { return page.entries }
        return page.entries + (try await listFolderContinue(page.cursor))
    }

    /// Takes a cursor for the changes from now on.
    func listFolderGetLatestCursor(_ path: String) async throws -> Files.ListFolderCursor {
        try await client.files.listFolderGetLatestCursor(path: path, recursive: true).cursor
    }

    /// Waits up to a minute for a change, and returns whether there was one.
    func listFolderLongpoll(_ cursor: Files.ListFolderCursor) async throws -> Bool {
        let answer = try await client.files.listFolderLongpoll(cursor: cursor, timeout: 60)
        // The server may ask not to be called again at once.
        if let backoff = answer.backoff { try await Task.sleep(for: .seconds(backoff)) }
        return answer.changes
    }

    /// Finds files and folders by words of their names, below a folder.
    func searchV2(
        _ words: String, in folder: String, limit: UInt64
    ) async throws -> Files.SearchV2Result {
        try await client.files.searchV2(
            query: words, options: .init(path: folder, maxResults: limit, filenameOnly: true))
    }

    /// Takes the next page of a search.
    func searchContinueV2(_ cursor: Files.SearchV2Cursor) async throws -> [String] {
        let page = try await client.files.searchContinueV2(cursor: cursor)
        return page.matches.compactMap { match in
            guard case .metadata(let entry) = match.metadata else { return nil }
            return entry.pathDisplay
        }
    }
}
