// Listings of deleted entries. A separate protocol, as `RemoteHistory` is: only commands need it.

package import Core
import Saturating

/// A cloud that lists deleted entries.
package protocol RemoteUndo: RemoteHistory {
    /// Starts a listing of a folder with deleted entries, folders too. A cloud may list a deleted
    /// folder, or throw `notFound` for it.
    func listWithDeleted(_ folder: RemotePath, recursive: Bool) async throws(RemoteError)
        -> RemotePage
    /// The next page. Throws `cursorReset` when the cursor has expired.
    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage
}

extension RemoteUndo {
    /// Calls `body` with each entry below a folder, deleted ones included, in the server's order.
    /// If the folder is deleted and the cloud does not list it, a folder above is listed instead.
    /// `begin` is called before the first entry, and again if the listing has to begin anew: what
    /// `body` has collected since is to be dropped.
    ///
    /// Throws `notFound` if there is and was nothing at the path, and `notAFolder` if a file is
    /// there.
    package func forEachEntry(
        below folder: RemotePath, recursive: Bool, begin: () -> Void,
        _ body: (RemoteEntry) throws(RemoteError) -> Void
    ) async throws(RemoteError) {
        try await beginningAnew { () async throws(RemoteError) in
            begin()
            try await listEntries(below: folder, recursive: recursive, body)
        }
    }

    private func listEntries(
        below folder: RemotePath, recursive: Bool,
        _ body: (RemoteEntry) throws(RemoteError) -> Void
    ) async throws(RemoteError) {
        let scope = ListedScope(folder, isRecursive: recursive)
        var (page, isElsewhere) = try await firstPage(of: folder, recursive: recursive)
        var emptyPages = 0
        var isEmpty = true
        while true {
            for entry in page.entries where scope.covers(entry.foldedPath) {
                isEmpty = false
                try body(entry)
            }
            guard page.hasMore else { break }
            if page.entries.isEmpty { emptyPages +|= 1 }
            guard emptyPages < ListedScope.mostEmptyPages else {
                throw .malformed("the listing goes on for ever")
            }
            page = try await list(after: page.cursor)
        }
        if isEmpty && isElsewhere { throw .notFound }
    }

    private func firstPage(
        of folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> (page: RemotePage, isElsewhere: Bool) {
        var listed = folder
        while true {
            let isElsewhere = listed != folder
            do throws(RemoteError) {
                let page = try await listWithDeleted(listed, recursive: recursive || isElsewhere)
                return (page, isElsewhere)
            } catch {
                // With a file above, there is no folder of that name either.
                if isElsewhere && error == .notAFolder { throw .notFound }
                guard error == .notFound, listed != .root else { throw error }
                listed = listed.parent
            }
        }
    }
}

/// The entries of a listing that lie in a folder.
private struct ListedScope {
    /// Pages without an entry, of which Dropbox sends some.
    static let mostEmptyPages = 100

    private let keys: [String]
    private let isRecursive: Bool

    init(_ folder: RemotePath, isRecursive: Bool) {
        keys = folder.components.map(Folding.fold)
        self.isRecursive = isRecursive
    }

    func covers(_ path: RemotePath) -> Bool {
        let components = path.components
        guard components.count > keys.count, isRecursive || components.count == keys.count +| 1
        else {
            return false
        }
        return zip(components, keys).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// Paths as users write them. A folded path has the key of each name; of a listing, only the last
/// name of an entry has its original spelling.
package struct SpelledPaths: Sendable {
    /// Bytes of all paths and names.
    private static let mostBytes = 256 << 20

    private let folder: RemotePath
    private let depth: Int
    private var names: [RemotePath: String] = [:]
    private var bytes = 0

    /// Spells paths below a folder, of which the spelling is known.
    package init(below folder: RemotePath) {
        self.folder = folder
        depth = folder.components.count
    }

    /// Learns the spelling of an entry that others may lie in.
    package mutating func note(_ entry: RemoteEntry) throws(RemoteError) {
        if case .file = entry.kind { return }
        bytes +|= entry.foldedPath.rawValue.utf8.count +| entry.name.string.utf8.count
        guard bytes < Self.mostBytes else { throw .malformed("the listing goes on for ever") }
        // A living folder's name counts; a deleted one of the path had perhaps another.
        if entry.isFolder || names[entry.foldedPath] == nil {
            names[entry.foldedPath] = entry.name.string
        }
    }

    /// The spelling of an entry's path. Folders of which no entry was noted have their keys.
    package func path(of entry: RemoteEntry) -> RemotePath {
        path(of: entry.foldedPath.parent).appending(entry.name)
    }

    /// Whether each folder above an entry was noted.
    fileprivate func spells(_ entry: RemoteEntry) -> Bool {
        var key = ""
        return entry.foldedPath.parent.components.enumerated().allSatisfy { level, component in
            key += "/\(component)"
            return level < depth || names[RemotePath(rawValue: key)] != nil
        }
    }

    private func path(of foldedFolder: RemotePath) -> RemotePath {
        var key = ""
        var spelled = folder.rawValue
        for (level, component) in foldedFolder.components.enumerated() {
            key += "/\(component)"
            guard level >= depth else { continue }
            spelled += "/\(names[RemotePath(rawValue: key)] ?? component)"
        }
        return RemotePath(rawValue: spelled)
    }
}

/// The living entries of a listing with their paths as users write them. That a server tells a
/// folder before what it contains is an assumption: an entry that comes first waits.
package struct SpelledListing: Sendable {
    /// Bytes of the paths that may wait at once.
    private static let mostWaiting = 256 << 20

    private let depth: Int
    private var paths: SpelledPaths
    private var waiting: [RemoteEntry] = []
    private var waitingBytes = 0

    /// Begins a listing of a folder, of which the spelling is known.
    package init(of folder: RemotePath) {
        depth = folder.components.count
        paths = SpelledPaths(below: folder)
    }

    /// Takes a page. Returns the entries whose paths are known by now, without the folder itself.
    ///
    /// Throws `malformed` if the server tells too much of which it never tells the folders.
    package mutating func take(
        _ page: [RemoteEntry]
    ) throws(RemoteError) -> [(entry: RemoteEntry, path: RemotePath)] {
        let entries = page.filter { $0.foldedPath.components.count > depth }
        for entry in entries { try paths.note(entry) }
        // Only a folder ends the waiting.
        var candidates = entries
        if !waiting.isEmpty, entries.contains(where: \.isFolder) {
            candidates.insert(contentsOf: waiting, at: 0)
            (waiting, waitingBytes) = ([], 0)
        }
        var known: [(entry: RemoteEntry, path: RemotePath)] = []
        for entry in candidates {
            if paths.spells(entry) {
                known.append((entry, paths.path(of: entry)))
            } else {
                waiting.append(entry)
                waitingBytes +|= entry.foldedPath.rawValue.utf8.count
            }
        }
        guard waitingBytes <= Self.mostWaiting else {
            throw .malformed("a listing without the folders of what it tells")
        }
        return known
    }

    /// Ends the listing. Returns the entries that still wait: unknown folders have their keys.
    package mutating func end() -> [(entry: RemoteEntry, path: RemotePath)] {
        defer { waiting = [] }
        return waiting.map { ($0, paths.path(of: $0)) }
    }
}
