// Undo for folders: brings back deleted files below one, or the state before a time. Each file is
// restored as `restore` does.

package import Core
import MetadataStore
package import RemoteStore
import Saturating
import Synchronization
import Tree

extension SyncEngine {
    /// Files dealt with at a time. Dropbox lets one change of a namespace wait for another.
    private static let undoConcurrency = 4
    /// Revisions of a file that are asked for first; few files have more since the wanted time.
    private static let undoRevisions = (first: 20, most: 1000)

    /// Brings the files below a folder back; the folder may be deleted. `report` is called with
    /// each progress, on the task's thread.
    ///
    /// Throws `unknown` if there never was such a folder. Cancellation ends it after the files in
    /// work.
    package func undo(
        below names: [FileName], to target: UndoTarget, from history: any RemoteUndo,
        report: @escaping @Sendable (UndoProgress) -> Void
    ) async throws(HistoryError) -> UndoProgress {
        var progress = UndoProgress()
        let folder = try await folderPath(names)
        let paths = try await candidates(below: folder, target, history) { found in
            progress.found = found
            report(progress)
        }
        progress.found = paths.count
        progress.isListing = false
        report(progress)
        let depth = folder.components.count
        let failure = await withTaskGroup(of: (Int, UndoneFile).self) { group -> HistoryError? in
            var failure: HistoryError?
            for next in 0..<(paths.count +| Self.undoConcurrency) {
                if next >= Self.undoConcurrency, let (index, outcome) = await group.next() {
                    let below = paths[index].components.dropFirst(depth)
                    let shown = [names.map(\.string), Array(below)].joined().map { "/\($0)" }
                        .joined()
                    progress.note(outcome, at: shown)
                    if case .refused(let error) = outcome, error.endsUndo {
                        failure = failure ?? error
                    }
                    report(progress)
                }
                guard next < paths.count, failure == nil, !Task.isCancelled else { continue }
                // Folders above may have other names here than on the server.
                let below = paths[next].components.dropFirst(depth)
                group.addTask {
                    (next, await self.undo(names, below, to: target, history))
                }
            }
            return failure
        }
        // Files that are back stay; the caller may repeat the call.
        if let failure { throw failure }
        if Task.isCancelled { throw .remote(.cancelled) }
        return progress
    }

    // MARK: Parts

    private func folderPath(_ names: [FileName]) async throws(HistoryError) -> RemotePath {
        try await readTree { try HistoryTarget.folder(names, in: $0) }
    }

    private func candidates(
        below folder: RemotePath, _ target: UndoTarget, _ history: any RemoteUndo,
        report: (Int) -> Void
    ) async throws(HistoryError) -> [RemotePath] {
        var found: [RemoteEntry] = []
        var spelled = SpelledPaths(below: folder)
        do throws(RemoteError) {
            try await history.forEachEntry(
                below: folder, recursive: true,
                begin: { (found, spelled) = ([], SpelledPaths(below: folder)) }
            ) { entry throws(RemoteError) in
                try spelled.note(entry)
                if target.concerns(entry) {
                    found.append(entry)
                    if found.count.isMultiple(of: 1000) { report(found.count) }
                }
            }
        } catch {
            switch error {
            case .notFound: throw .unknown
            default: throw .remote(error)
            }
        }
        return found.map { spelled.path(of: $0) }
    }

    private func undo(
        _ names: [FileName], _ below: ArraySlice<String>, to target: UndoTarget,
        _ history: any RemoteUndo
    ) async -> UndoneFile {
        do throws(HistoryError) {
            var names = names
            for component in below {
                guard let name = try? FileName(component) else { throw .unknown }
                names.append(name)
            }
            guard let revision = try await revision(of: names, for: target, history) else {
                return .unchanged
            }
            return .restored(
                try await restore(names, folding: true, to: revision, from: history).size)
        } catch {
            switch error {
            // A folder that was deleted.
            case .isFolder, .unknown: return .unchanged
            default: return .refused(error)
            }
        }
    }

    private func revision(
        of names: [FileName], for target: UndoTarget, _ history: any RemoteUndo
    ) async throws(HistoryError) -> Revision? {
        guard case .before = target else {
            return target.revision(
                of: try await revisions(of: names, folding: true, limit: 1, from: history))
        }
        let (first, most) = Self.undoRevisions
        let newest = try await revisions(of: names, folding: true, limit: first, from: history)
        if let revision = target.revision(of: newest) { return revision }
        guard newest.versions.count >= first else { return nil }
        return target.revision(
            of: try await revisions(of: names, folding: true, limit: most, from: history))
    }
}

extension HistoryTarget {
    /// The remote path of a folder, present or former; the mount's root without names.
    static func folder(_ names: [FileName], in tree: some TreeReading) throws -> RemotePath {
        var folder = InodeID.root
        var rest = names[...]
        while let name = rest.first, let node = try tree.child(like: name, of: folder) {
            guard node.kind == .folder else { throw HistoryError.unknown }
            if node.flags.contains(.localOnly) { throw HistoryError.localOnly }
            folder = node.inode
            rest = rest.dropFirst()
        }
        // Under its name, the server may know deleted files: of an earlier folder.
        guard let known = try tree.remotePath(of: folder) else {
            throw HistoryError.unsentChanges
        }
        return rest.reduce(RemotePath(rawValue: known)) { $0.appending($1) }
    }
}
