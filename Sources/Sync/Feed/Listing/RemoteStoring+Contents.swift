// Complete listings, over any number of requests. Not responsible for applying them.

import Core
import RemoteStore
import Saturating

/// Limits of a listing that is collected in memory, often with no commit in flight: a server that
/// goes on for ever is not waited for.
enum ListingLimits {
    /// Pages without an entry.
    static let mostEmptyPages = 100
    /// Entries, of some 600 bytes each. Dropbox itself advises against folders of more than 10,000.
    static let mostEntries = 300_000
    /// Bytes of the entries' texts: 140 for each of that many entries.
    static let mostBytes = 40 << 20
    /// Bytes of the texts of deltas that are applied together, which take some five times as much
    /// memory. Beyond that everything is listed again, page by page.
    static let mostDeltaBytes = 16 << 20
}

/// The result of a listing, all pages together.
struct RemoteContents: Hashable, Sendable {
    var entries: [RemoteEntry] = []
    /// Entries that were left out because no filesystem can hold their names.
    var refusedCount = 0
    /// Bytes of the entries' texts.
    private(set) var textBytes = 0

    fileprivate mutating func add(_ page: RemotePage) {
        entries.append(contentsOf: page.entries)
        textBytes +|= page.textBytes
        refusedCount +|= page.refusedCount
    }

    fileprivate mutating func add(_ other: RemoteContents) {
        entries.append(contentsOf: other.entries)
        textBytes +|= other.textBytes
        refusedCount +|= other.refusedCount
    }
}

extension RemoteStoring {
    /// All entries of a folder; with `recursive` all entries below it, too, and the folder itself.
    func contents(
        of folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemoteContents {
        try await beginningAnew { () async throws(RemoteError) in
            try await contents(from: try await list(folder, recursive: recursive))
        }
    }

    /// The changes since a cursor, in order.
    func changes(after cursor: Cursor) async throws(RemoteError) -> RemoteContents {
        try await contents(from: try await list(after: cursor))
    }

    private func contents(from first: RemotePage) async throws(RemoteError) -> RemoteContents {
        var page = first
        var contents = RemoteContents()
        var emptyPages = 0
        contents.add(page)
        while page.hasMore {
            guard contents.entries.count <= ListingLimits.mostEntries,
                contents.textBytes <= ListingLimits.mostBytes,
                emptyPages < ListingLimits.mostEmptyPages
            else { throw .malformed("the listing goes on for ever") }
            page = try await list(after: page.cursor)
            if page.entries.isEmpty { emptyPages +|= 1 }
            contents.add(page)
        }
        return contents
    }

    /// Whether a listing is of a given folder, and not of another one at its path.
    func isListing(
        _ contents: RemoteContents, of folder: RemoteReference
    ) async throws(RemoteError) -> Bool {
        guard let id = folder.id else { return true }
        let depth = folder.path.components.count
        if let itself = contents.entries.first(where: { $0.foldedPath.components.count == depth }) {
            return itself.id == id
        }
        // A listing folder by folder does not contain the first one.
        return try await entry(at: folder.path)?.id == id
    }

    /// The entries of several folders, requested concurrently, in the order of the folders. A
    /// folder that was removed since, or became a file, has none; the deltas will tell.
    func contents(of folders: [RemotePath]) async -> [RemoteOutcome<RemoteContents>] {
        await withTaskGroup(of: (Int, RemoteOutcome<RemoteContents>).self) { group in
            for (index, folder) in folders.enumerated() {
                // The compiler (6.3, optimised) breaks a tuple whose later element throws: the
                // answers would belong to other folders. `Scripts/lint` refuses such tuples.
                group.addTask { (index, await outcome(of: folder)) }
            }
            var answers = [RemoteOutcome<RemoteContents>](
                repeating: .success(RemoteContents()), count: folders.count)
            for await (index, answer) in group {
                answers[index] = answer
            }
            return answers
        }
    }

    /// The entries of one folder; none if it was removed since, or became a file.
    private func outcome(of folder: RemotePath) async -> RemoteOutcome<RemoteContents> {
        do throws(RemoteError) {
            return .success(try await contents(of: folder, recursive: false))
        } catch {
            switch error {
            case .notFound, .notAFolder: return .success(RemoteContents())
            default: return .failure(error)
            }
        }
    }

    /// All entries below a folder, listed folder by folder, so many at once. Throws `server` if it
    /// changes during that, because entries may have moved between listed and unlisted parts.
    func contentsFolderByFolder(
        of folder: RemotePath, atOnce: Int
    ) async throws(RemoteError) -> RemoteContents {
        let start = try await latestCursor()
        guard let filed = try await entry(at: folder)?.foldedPath else { throw .notFound }
        var found = try await contents(of: folder, recursive: false)
        var unlisted = found.folders[...]
        while !unlisted.isEmpty {
            guard found.entries.count <= ListingLimits.mostEntries,
                found.textBytes <= ListingLimits.mostBytes
            else {
                throw .malformed("the listing goes on for ever")
            }
            let next = Array(unlisted.prefix(atOnce))
            unlisted = unlisted.dropFirst(next.count)
            for answer in await contents(of: next) {
                let contents = try answer.get()
                found.add(contents)
                unlisted.append(contentsOf: contents.folders)
            }
        }
        let deltas = try await changes(after: start)
        guard deltas.refusedCount == 0,
            !deltas.entries.contains(where: { $0.foldedPath.isWithin(filed) })
        else {
            throw .server("the folder changed while it was listed")
        }
        return found
    }
}

extension RemoteContents {
    fileprivate var folders: [RemotePath] {
        entries.filter(\.isFolder).map(\.foldedPath)
    }
}

extension RemoteError {
    /// Whether the server fails at this listing, independent of the client and its rate.
    var isRefusalToList: Bool {
        switch self {
        case .server, .timedOut, .malformed: true
        default: false
        }
    }
}
