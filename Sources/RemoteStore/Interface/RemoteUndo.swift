// Listings of deleted entries. A separate protocol, as `RemoteHistory` is: only commands need it.

package import Core
import Saturating

/// A cloud that lists deleted entries.
package protocol RemoteUndo: RemoteHistory {
    /// Starts a listing of a folder with deleted entries, folders too. A cloud may list a deleted folder, or throw
    /// `notFound` for it.
    func listWithDeleted(_ folder: RemotePath, recursive: Bool) async throws(RemoteError)
        -> RemotePage
    /// The next page. Throws `cursorReset` when the cursor has expired.
    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage
}

extension RemoteUndo {
    /// Calls `body` with each entry below a folder, deleted ones included, in the server's order. If the folder is
    /// deleted and the cloud does not list it, a folder above is listed instead.
    ///
    /// Throws `notFound` if there is and was nothing at the path, and `notAFolder` if a file is there.
    package func forEachEntry(
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

/// Paths as users write them. A folded path has the key of each name; of a listing, only the last name of an entry has its
/// original spelling.
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
