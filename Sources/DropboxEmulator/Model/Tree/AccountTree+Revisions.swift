// The history of files, and searching entries by name.

/// Whose revisions are listed: `files.ListRevisionsMode`.
enum RevisionsMode: String, Sendable {
    case path
    case id
}

/// The revisions of a file: `files.ListRevisionsResult`.
struct RevisionsPage: Sendable {
    let isDeleted: Bool
    let serverDeleted: APITime?
    let entries: [FileMetadata]
    let hasMore: Bool
}

/// Why revisions were not listed: `files.ListRevisionsError`.
enum RevisionsError: APIUnion, Equatable {
    case path(LookupError)
    case invalidBeforeRev
    case beforeRevNotSupported

    var json: JSONValue {
        switch self {
        case .path(let error): .tag("path", error.json)
        case .invalidBeforeRev: .tag("invalid_before_rev")
        case .beforeRevNotSupported: .tag("before_rev_not_supported")
        }
    }
}

extension AccountTree {
    /// The revisions of a file, newest first: by path those of every file that was there, by id
    /// those of the file at all its paths.
    func revisions(
        _ path: String, mode: RevisionsMode, limit: Int, before: String?, from base: NodeID
    ) throws(RevisionsError) -> RevisionsPage {
        let (newest, deletedAt) = try newestRevision(path, from: base)
        var next: RevisionID? = newest
        if let before {
            guard mode == .path else { throw .beforeRevNotSupported }
            while let candidate = next, revText(candidate) != before {
                next = self[candidate].previousAtPath
            }
            guard let found = next else { throw .invalidBeforeRev }
            next = self[found].previousAtPath
        }
        var entries: [FileMetadata] = []
        while let revision = next, entries.count < limit {
            entries.append(fileMetadata(of: revision, from: base))
            next =
                mode == .path
                ? self[revision].previousAtPath : self[revision].previousOfFile
        }
        return RevisionsPage(
            isDeleted: deletedAt != nil, serverDeleted: deletedAt, entries: entries,
            hasMore: next != nil)
    }

    private func newestRevision(
        _ path: String, from base: NodeID
    ) throws(RevisionsError) -> (RevisionID, APITime?) {
        do throws(LookupError) {
            switch try resolve(path, from: base) {
            case .revision: throw .malformedPath
            case .node(let node):
                guard let revision = self[node].revision else { throw .notFile }
                return (revision, nil)
            case .deleted(let display, _):
                guard let key = (try? AbsolutePath(display, folding: folding))?.key,
                    let tombstone = tombstones[key], let last = tombstone.lastRevision
                else { throw .notFile }
                return (last, tombstone.deletedAt)
            }
        } catch {
            throw .path(error)
        }
    }

    /// The living entries below a folder whose name contains every word of a query, in the order of
    /// their paths, after skipping some.
    func search(
        _ query: String, in folder: NodeID, skipping: Int, limit: Int
    ) -> (found: [NodeID], hasMore: Bool) {
        let words = PathComponent(query, folding: folding).key.split(whereSeparator: \.isWhitespace)
        var walk = TreeWalk(self, folder: folder, after: [], isRecursive: true)
        var found: [NodeID] = []
        var skipped = 0
        while let node = walk.next(in: self) {
            guard words.allSatisfy({ self[node].key.contains($0) }) else { continue }
            if skipped < skipping {
                skipped += 1
            } else if found.count == limit {
                return (found, true)
            } else {
                found.append(node)
            }
        }
        return (found, false)
    }
}
