// Pages and cursors over the reference tree. Pure: a cursor and a tree in, a page out.

import Core
import Foundation
import RemoteStore

/// The changes that a server leaves out of the deltas after a cursor. The specification promises no
/// more than that a client which applies them ends with the server's tree.
package enum LogCompaction: Hashable, Sendable, CaseIterable {
    /// Each change has an entry.
    case none
    /// Each file and folder has one entry, at its last place; deletions have one at each path.
    case nodes
    /// Each path has one entry; a folder that took the place of something twice, because the entry
    /// of a folder says nothing of the content of another one there.
    case paths
}

/// The position of a listing, and then of its deltas.
struct InMemoryListing: Codable {
    /// Cursors of an earlier epoch have expired.
    var epoch: Int
    /// Folded path of the listed folder.
    var folder: String
    var isRecursive: Bool
    /// Whether it also lists entries deleted together with a folder.
    var tellsEachDeletion: Bool
    /// While listing: the folded path of the last entry returned; nil once the listing is complete.
    var last: String?
    /// The first change not delivered yet. Set when a listing begins, so that entries that move
    /// across its position are delivered after it.
    var change: Int

    /// Begins a listing of the folder at a folded path.
    init(
        epoch: Int, folder: RemotePath, isRecursive: Bool, change: Int,
        tellsEachDeletion: Bool = false
    ) {
        self.epoch = epoch
        self.folder = folder.rawValue
        self.isRecursive = isRecursive
        self.tellsEachDeletion = tellsEachDeletion
        self.last = ""
        self.change = change
    }

    init?(_ cursor: Cursor) {
        guard
            let known = try? JSONDecoder().decode(Self.self, from: Data(cursor.rawValue.utf8))
        else { return nil }
        self = known
    }

    var cursor: Cursor {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Cursor((try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// The next page. Throws `notFound` when the listed folder is deleted.
    mutating func page(
        of tree: InMemoryTree, size: Int, compaction: LogCompaction = .none
    ) throws(RemoteError) -> RemotePage {
        let folder = try tree.folder(at: RemotePath(rawValue: folder))
        guard let last else { return changesPage(of: tree, size: size, compaction) }
        var entries = tree.entries(in: folder, recursive: isRecursive)
        // A recursive listing of a folder begins with the folder.
        if isRecursive, case .item = folder,
            let item = tree.item(at: RemotePath(rawValue: self.folder))
        {
            entries.insert(tree.entry(of: item), at: 0)
        }
        let rest = entries.filter { Self.precedes(last, $0.foldedPath.rawValue) }
        let page = Array(rest.prefix(size))
        self.last = rest.count > size ? page.last?.foldedPath.rawValue : nil
        return RemotePage(
            entries: page, cursor: cursor,
            hasMore: self.last != nil || change < tree.log.count)
    }

    private mutating func changesPage(
        of tree: InMemoryTree, size: Int, _ compaction: LogCompaction
    ) -> RemotePage {
        var entries: [RemoteEntry] = []
        let told = tellsEachDeletion ? nil : tree.told(from: change, compaction)
        while change < tree.log.count, entries.count < size {
            if covers(tree.log[change]), told?.contains(change) ?? true {
                entries.append(tree.withPresentFacts(tree.log[change]))
            }
            if tellsEachDeletion {
                entries += tree.goneTogether[change, default: []].filter(covers)
            }
            change += 1
        }
        return RemotePage(entries: entries, cursor: cursor, hasMore: change < tree.log.count)
    }

    /// Whether the next page may have entries.
    func hasChanges(in tree: InMemoryTree) -> Bool {
        last != nil || (try? tree.folder(at: RemotePath(rawValue: folder))) == nil
            || tree.log.dropFirst(change).contains(where: covers)
    }

    private func covers(_ entry: RemoteEntry) -> Bool {
        let path = entry.foldedPath.components
        let above = RemotePath(rawValue: folder).components
        return path.count > above.count && path.starts(with: above)
            && (isRecursive || path.count == above.count + 1)
    }

    /// The order of `InMemoryTree.entries`: parents before children, siblings by name.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        RemotePath(rawValue: left).components.lexicographicallyPrecedes(
            RemotePath(rawValue: right).components)
    }
}

extension InMemoryTree {
    /// The changes from one on that are told; nil if all are.
    fileprivate func told(from start: Int, _ compaction: LogCompaction) -> Set<Int>? {
        guard compaction != .none else { return nil }
        var told: Set<Int> = []
        var ids: Set<FileID> = []
        var paths: Set<RemotePath> = []
        var folders: Set<RemotePath> = []
        for index in log.indices.dropFirst(start).reversed() {
            let entry = log[index]
            let isLastOfPath = paths.insert(entry.foldedPath).inserted
            if isLastOfPath, entry.isFolder { folders.insert(entry.foldedPath) }
            let isNeeded =
                isLastOfPath || entry.kind == .deleted && folders.remove(entry.foldedPath) != nil
            if compaction == .paths, !isNeeded { continue }
            if let id = entry.id {
                guard ids.insert(id).inserted, let item = item(at: entry.foldedPath),
                    self.entry(of: item).id == id
                else { continue }
            }
            told.insert(index)
        }
        return told
    }
}
