// Lists a folder in pages, then its changes.
//
// A first listing walks the living entries in the order of their paths, page by page, while the
// tree may change. Its cursor records the length of the change log at the beginning, and later
// changes are delivered after the walk: a client that applies all entries in order ends with the
// current tree, even if entries have moved across the position of the walk.

/// A page of a listing.
struct ListingPage: Sendable {
    var entries: [Metadata] = []
    var next: Cursor
    var hasMore: Bool
}

/// The reason why a listing cannot continue.
enum ListingError: APIUnion, Equatable {
    case path(LookupError)
    case reset

    var json: JSONValue {
        switch self {
        case .path(let error): .tag("path", error.json)
        case .reset: .tag("reset")
        }
    }
}

extension AccountTree {
    /// The scope of a listing of a folder; the folder may be deleted if the listing includes
    /// deleted entries.
    func scope(
        _ path: String, from base: NodeID, pageSize: Int, includesDeleted: Bool = false
    ) throws(LookupError) -> ListingScope {
        let key: String
        switch try resolve(path, from: base) {
        case .node(let folder):
            guard self[folder].isFolder else { throw .notFolder }
            key = nodes.paths(of: folder, from: .root).key
        case .deleted(let display, _):
            guard includesDeleted, conduct.listsGoneFolders,
                let path = try? AbsolutePath(display, folding: folding),
                tombstones.isFolder(path.key)
            else { throw .notFound }
            key = path.key
        case .revision: throw .notFound
        }
        return ListingScope(base: base, folderKey: key, pageSize: pageSize)
    }

    /// A cursor at the beginning of a listing.
    func firstCursor(_ scope: ListingScope, account: String) -> Cursor {
        Cursor(
            account: account, scope: scope, phase: .entries(after: []), changes: changes.count,
            epoch: cursorEpoch)
    }

    /// A cursor for later changes in a scope.
    func latestCursor(_ scope: ListingScope, account: String) -> Cursor {
        Cursor(
            account: account, scope: scope, phase: .changes, changes: changes.count,
            epoch: cursorEpoch)
    }

    /// The page after a cursor.
    func page(_ cursor: Cursor) throws(ListingError) -> ListingPage {
        let folder = try folder(of: cursor)
        switch cursor.phase {
        case .entries(let names): return entriesPage(cursor, folder: folder, after: names)
        case .tombstones(let key): return tombstonesPage(cursor, after: key)
        case .changes: return changesPage(cursor, folder: folder)
        }
    }

    /// The position in the change log of the first change on the page after a cursor; nil for an
    /// empty page. A listing that is incomplete returns -1: its entries are older than any change.
    func firstNews(_ cursor: Cursor) throws(ListingError) -> Int? {
        let folder = try folder(of: cursor)
        guard cursor.phase == .changes else { return -1 }
        return (cursor.changes..<changes.count).first {
            entry(at: $0, in: cursor.scope, folder: folder) != nil
        }
    }

    /// The folder that a cursor lists; nil if it is deleted and the listing includes deleted
    /// entries.
    private func folder(of cursor: Cursor) throws(ListingError) -> NodeID? {
        guard cursor.epoch == cursorEpoch, cursor.changes <= changes.count,
            Int(cursor.scope.base.index) < nodes.count
        else { throw .reset }
        guard let path = try? AbsolutePath(cursor.scope.folderKey, folding: folding),
            let folder = nodes.node(at: path.components, below: .root)
        else {
            guard cursor.scope.includesDeleted, conduct.listsGoneFolders,
                tombstones.isFolder(cursor.scope.folderKey)
            else { throw conduct.goneFolderResets ? .reset : .path(.notFound) }
            return nil
        }
        guard self[folder].isFolder else { throw .path(.notFolder) }
        if conduct.newFolderResets, isReplaced(cursor) { throw .reset }
        return folder
    }

    /// Whether the folder that a cursor lists has left its path since the cursor was made.
    private func isReplaced(_ cursor: Cursor) -> Bool {
        (cursor.changes..<changes.count).contains { position in
            guard let key = changes.deletion(at: Int32(position))?.key else { return false }
            let folder = cursor.scope.folderKey
            return folder == key || folder.utf8.starts(with: (key + "/").utf8)
        }
    }
}

// MARK: The living entries

extension AccountTree {
    private func entriesPage(
        _ cursor: Cursor, folder: NodeID?, after names: [String]
    ) -> ListingPage {
        guard let folder else { return tombstonesPage(cursor, after: "") }
        let scope = cursor.scope
        var walk = TreeWalk(self, folder: folder, after: names, isRecursive: scope.isRecursive)
        var page = ListingPage(next: cursor, hasMore: true)
        if names.isEmpty, scope.isRecursive, folder != scope.base {
            page.entries.append(metadata(of: folder, from: scope.base, with: scope.templates))
        }
        while page.entries.count < scope.pageSize {
            guard let node = walk.next(in: self) else { break }
            if isListed(node, in: scope) {
                page.entries.append(metadata(of: node, from: scope.base, with: scope.templates))
            }
        }
        if walk.isFinished(in: self) {
            page.next.phase = scope.includesDeleted ? .tombstones(after: "") : .changes
            page.hasMore = scope.includesDeleted || changes.count > cursor.changes
        } else {
            let position = walk.position(in: self)
            // The folder itself filled the page: the next one begins with its first entry, all of
            // whose names are behind this one.
            page.next.phase = .entries(after: position.isEmpty ? [""] : position)
        }
        if scope.isRecursive, conduct.listsChildrenFirst { page.entries.reverse() }
        return page
    }

    private func isListed(_ node: NodeID, in scope: ListingScope) -> Bool {
        scope.includesNonDownloadable || marks(of: node)?.exportAs == nil
    }

    private func tombstonesPage(_ cursor: Cursor, after last: String) -> ListingPage {
        let prefix = cursor.scope.folderKey + "/"
        let keys = tombstones.keys { key in
            key.utf8.count > prefix.utf8.count && isListed(key, in: cursor.scope)
                && Self.precedes(last, key)
        }
        var page = ListingPage(next: cursor, hasMore: true)
        for key in keys.prefix(cursor.scope.pageSize) {
            guard let tombstone = tombstones[key] else { continue }
            page.entries.append(
                .deleted(deletedMetadata(display: tombstone.display, from: cursor.scope.base)))
        }
        if keys.count > cursor.scope.pageSize {
            page.next.phase = .tombstones(after: keys[cursor.scope.pageSize - 1])
        } else {
            page.next.phase = .changes
            page.hasMore = changes.count > cursor.changes
        }
        return page
    }
}

// MARK: Changes

extension AccountTree {
    private func changesPage(_ cursor: Cursor, folder: NodeID?) -> ListingPage {
        var page = ListingPage(next: cursor, hasMore: false)
        var position = cursor.changes
        let gone = goneTogether(after: cursor)
        while position < changes.count, page.entries.count < cursor.scope.pageSize {
            if let entry = entry(at: position, in: cursor.scope, folder: folder) {
                page.entries.append(entry)
            }
            page.entries += gone[Int32(position)] ?? []
            position += 1
        }
        page.next.changes = position
        page.hasMore = position < changes.count
        return page
    }

    /// Entries deleted or moved together with a folder, by the position of that change: a listing
    /// with deleted entries includes each of them after the folder, in the order of their paths, if
    /// `Conduct.deltasNameDeleted`; any other one if `Conduct.deltasNameDescendants`.
    private func goneTogether(after cursor: Cursor) -> [Int32: [Metadata]] {
        let scope = cursor.scope
        guard
            scope.includesDeleted ? conduct.deltasNameDeleted : conduct.deltasNameDescendants
        else { return [:] }
        var gone: [Int32: [Metadata]] = [:]
        for (change, keys) in tombstones.keys(since: cursor.changes) {
            let deletion = changes.deletion(at: change)?.key
            gone[change] = keys.filter { $0 != deletion && isListed($0, in: scope) }
                .sorted(by: Self.precedes).compactMap { tombstones[$0] }
                .map { .deleted(deletedMetadata(display: $0.display, from: scope.base)) }
        }
        return gone
    }

    /// Whether a listing includes a folded path.
    private func isListed(_ key: String, in scope: ListingScope) -> Bool {
        // By bytes: a name may begin with an accent, which makes one character with the slash.
        let prefix = (scope.folderKey + "/").utf8
        guard key.utf8.starts(with: prefix) else { return false }
        return scope.isRecursive
            || !key.utf8.dropFirst(prefix.count).contains(UInt8(ascii: "/"))
    }

    /// The listing's entry for a change; nil if it lies outside of the scope, or if a newer change
    /// to the same entry follows.
    private func entry(
        at position: Int, in scope: ListingScope, folder: NodeID?
    ) -> Metadata? {
        guard let node = changes.node(at: position) else {
            guard let deletion = changes.deletion(at: Int32(position)),
                isDeletion(deletion, in: scope)
            else { return nil }
            return .deleted(deletedMetadata(display: deletion.display, from: scope.base))
        }
        guard let folder, self[node].isAlive, self[node].lastChange == Int32(position),
            node != scope.base,
            scope.isRecursive ? nodes.isNode(node, within: folder) : self[node].parent == folder,
            isListed(node, in: scope)
        else { return nil }
        return metadata(of: node, from: scope.base, with: scope.templates)
    }

    private func isDeletion(_ deletion: DeletedPath, in scope: ListingScope) -> Bool {
        scope.isRecursive
            ? deletion.key.utf8.starts(with: (scope.folderKey + "/").utf8)
                || deletion.key == scope.folderKey
            : deletion.parentKey == scope.folderKey
    }
}
