// Dropbox's search, in names and content. It finds what it has indexed: a file that was stored a
// minute ago may be missing.

import Core
import DropboxAPI
import Saturating

/// A file or folder that a search has found.
package struct FoundEntry: Hashable, Sendable {
    /// Its facts, with its folded path.
    package var entry: RemoteEntry
    /// Its path as the server shows it.
    package var path: String
}

extension DropboxStore {
    /// Entries of one page; the API's limit is 1,000.
    private static let searchPage: UInt64 = 200
    /// Pages without an entry in a row.
    private static let mostEmptyPages = 20

    /// Calls `body` with each entry that is found below a folder, until it returns false.
    /// `namesOnly` leaves content out.
    package func search(
        _ query: String, below folder: RemotePath, namesOnly: Bool, _ body: (FoundEntry) -> Bool
    ) async throws(RemoteError) {
        try await mountedFolder()
        var options = Files.SearchOptions()
        options.path = serverPath(folder)
        options.maxResults = Self.searchPage
        options.filenameOnly = namesOnly
        var told: Set<RemotePath> = []
        while true {
            do throws(CallError<Files.SearchError>) {
                return try await search(query, options) { entry in
                    !told.insert(entry.entry.foldedPath).inserted || body(entry)
                }
            } catch {
                // The search begins anew, because its cursor keeps the size of pages.
                let size = UInt32(clamping: options.maxResults)
                guard error.isTooLarge, let fewer = ListingRules.smallerPage(than: size) else {
                    throw RemoteError(error) { RemoteError($0) }
                }
                options.maxResults = UInt64(clamping: fewer)
            }
        }
    }

    private func search(
        _ query: String, _ options: Files.SearchOptions, _ body: (FoundEntry) -> Bool
    ) async throws(CallError<Files.SearchError>) {
        var emptyPages = 0
        var result = try await client.call(
            Files.searchV2, Files.SearchV2Arg(query: query, options: options),
            options: .interactive)
        while true {
            let found = result.matches.compactMap { self.found($0.metadata) }
            for entry in found where !body(entry) { return }
            emptyPages = found.isEmpty ? emptyPages +| 1 : 0
            guard result.hasMore, let cursor = result.cursor,
                emptyPages < Self.mostEmptyPages
            else { return }
            result = try await client.call(
                Files.searchContinueV2, Files.SearchV2ContinueArg(cursor: cursor),
                options: .interactive)
        }
    }

    private func found(_ metadata: Files.MetadataV2) -> FoundEntry? {
        guard case .metadata(let metadata) = metadata,
            case .entry(let entry) = reader.read(metadata)
        else { return nil }
        let plain = entry.foldedPath.parent.appending(entry.name).rawValue
        // The spelling of folders is for people only; the number of names has to agree.
        let shown = metadata.pathDisplay ?? plain
        let isPlausible =
            shown.utf8.split(separator: UInt8(ascii: "/")).count
            >= entry.foldedPath.components.count
        return FoundEntry(entry: entry, path: isPlausible ? shown : plain)
    }
}

extension RemoteError {
    fileprivate init(_ error: Files.SearchError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .invalidArgument(let reason): self = .server(reason ?? "an invalid search")
        case .internalError: self = .server("the search failed")
        case .unknown(let tag): self = .server(tag)
        }
    }
}
