// Which files of other clients were deleted together with a folder: a function of the changes that
// the server reports. Not responsible for requesting them, or for the restoration.

import Core
import MetadataStore
import RemoteStore

/// Changes of the server, in their order and by their last state at each path.
struct ToldChanges {
    private let entries: [RemoteEntry]
    /// The last entry at a path that is not a deletion: its place in the order, and the file.
    private var last: [RemotePath: (index: Int, file: RemoteFile?)] = [:]
    /// The last deletion at a path: its place in the order.
    private var deletions: [RemotePath: Int] = [:]
    /// The last name at a path.
    private var names: [RemotePath: FileName] = [:]
    /// The last path of a file.
    private var paths: [FileID: RemotePath] = [:]

    /// Takes changes in their order.
    init(_ entries: [RemoteEntry]) {
        self.entries = entries
        for (index, entry) in entries.enumerated() {
            let path = entry.foldedPath
            names[path] = entry.name
            switch entry.kind {
            case .folder: last[path] = (index, nil)
            case .file(let file):
                last[path] = (index, file)
                paths[file.id] = path
            case .deleted: deletions[path] = index
            }
        }
    }

    /// Whether they contain the deletion of the folder, where it was or where others moved it.
    func contain(deletionOf search: FolderSearch) -> Bool {
        guard let place = places(of: search).last else { return false }
        return isDeleted(place.path, since: place.start)
    }

    /// Whether they contain each of these folders, and so presumably each file in them.
    func contain(_ folders: Set<String>) -> Bool {
        folders.allSatisfy { folder in
            let path = RemotePath(rawValue: folder)
            return last[path] != nil || deletions[path] != nil
        }
    }

    /// The files that exist after these changes, wherever they were moved.
    var survivors: Set<FileID> {
        Set(
            last.compactMap { path, entry in
                isDeleted(path, since: entry.index) ? nil : entry.file?.id
            })
    }

    /// A file that was deleted with a folder, or just before.
    struct DeletedFile {
        let path: RemotePath
        /// Its last reported state; nil if only its deletion is reported.
        let told: RemoteFile?
    }

    /// The files that were deleted with the folder, or just before, by their paths. It held no
    /// files before these changes: its users had deleted them.
    func deletedFiles(in search: FolderSearch) -> [DeletedFile] {
        var files: [RemotePath: RemoteFile?] = [:]
        for place in places(of: search) {
            let told = ToldChanges(lifetime(of: place))
            for path in told.deletedFiles(below: place.path, search.folders) {
                files.updateValue(told.last[path]?.file, forKey: path)
            }
        }
        // The folder may have been moved with a file, which was deleted where it was last.
        let lastOnes = files.filter { path, file in file.map { paths[$0.id] == path } ?? true }
        return lastOnes.map { DeletedFile(path: $0.key, told: $0.value) }
            .sorted { $0.path.rawValue < $1.path.rawValue }
    }

    /// A path with the names as they were shown, as far as these changes tell them.
    func shown(_ path: RemotePath) -> RemotePath {
        var keys = RemotePath.root
        var shown = ""
        for key in path.components {
            keys = RemotePath(rawValue: "\(keys.rawValue)/\(key)")
            shown += "/\(names[keys]?.string ?? key)"
        }
        return RemotePath(rawValue: shown)
    }

    // MARK: Places

    /// A path that the folder had, from a change on.
    private typealias Place = (path: RemotePath, start: Int)

    private func places(of search: FolderSearch) -> [Place] {
        let first = RemotePath(rawValue: search.place)
        var places: [Place] = [(first, 0)]
        guard let id = search.folder else { return places }
        for (index, entry) in entries.enumerated() where entry.id == id {
            if entry.foldedPath != places.last?.path { places.append((entry.foldedPath, index)) }
        }
        return places
    }

    /// The changes while the folder was there, until something new was there after its deletion.
    private func lifetime(of place: Place) -> [RemoteEntry] {
        var isGone = false
        for index in entries.indices.dropFirst(place.start) {
            let entry = entries[index]
            if case .deleted = entry.kind {
                isGone = isGone || place.path.isWithin(entry.foldedPath)
            } else if isGone, entry.foldedPath.isWithin(place.path) {
                return Array(entries[place.start..<index])
            }
        }
        return Array(entries[place.start...])
    }

    private func deletedFiles(below folder: RemotePath, _ folders: Set<String>) -> Set<RemotePath> {
        Set(deletions.keys).union(last.keys).filter { path in
            guard path != folder, path.isWithin(folder) else { return false }
            guard let entry = last[path] else { return !folders.contains(path.rawValue) }
            return entry.file != nil && isDeleted(path, since: entry.index)
        }
    }

    /// Whether a path, or a folder above it, was deleted after a place in the order.
    private func isDeleted(_ path: RemotePath, since index: Int) -> Bool {
        path.withAncestors.contains { path in deletions[path].map { $0 >= index } ?? false }
    }
}
