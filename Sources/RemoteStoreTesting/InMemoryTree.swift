// A cloud's tree as plain values: the reference of what Dropbox does, small enough to be read.

import ContentHashing
import Core
import RemoteStore

/// Files, folders, revisions and the stream of changes of one account.
struct InMemoryTree {
    struct Item {
        var id: FileID
        var parent: FileID?
        var name: FileName
        /// nil for folders.
        var file: RemoteFile?
    }

    private static let rootID = FileID("id:root")

    private(set) var items: [FileID: Item]
    private var children: [FileID: [String: FileID]] = [:]
    /// Every change, as deltas report it.
    private(set) var log: [RemoteEntry] = []
    /// Content of every revision that ever was.
    private(set) var contents: [Revision: [UInt8]] = [:]
    private var counter = 0

    init() {
        let name = (try? FileName("root")).map { $0 }
        items = [:]
        if let name {
            items[Self.rootID] = Item(id: Self.rootID, parent: nil, name: name)
        }
    }

    var used: Int64 { items.values.reduce(0) { $0 + ($1.file?.size ?? 0) } }

    // MARK: Looking

    func item(at path: RemotePath) -> Item? {
        var current = items[Self.rootID]
        for component in path.components {
            guard let parent = current, let id = children[parent.id]?[Folding.fold(component)]
            else { return nil }
            current = items[id]
        }
        return current
    }

    func entry(of item: Item) -> RemoteEntry {
        RemoteEntry(
            foldedPath: RemotePath(rawValue: Folding.fold(path(of: item))), name: item.name,
            kind: item.file.map { .file($0) } ?? .folder(RemoteFolder(id: item.id)))
    }

    /// Everything in a folder, parents before children.
    func entries(in folder: Item, recursive: Bool) -> [RemoteEntry] {
        let inside = (children[folder.id] ?? [:]).sorted { $0.key < $1.key }
        return inside.flatMap { _, id -> [RemoteEntry] in
            guard let item = items[id] else { return [] }
            let below = recursive && item.file == nil ? entries(in: item, recursive: true) : []
            return [entry(of: item)] + below
        }
    }

    private func path(of item: Item) -> String {
        guard let parent = item.parent.flatMap({ items[$0] }) else { return "" }
        return path(of: parent) + "/" + item.name.string
    }

    // MARK: Changing

    mutating func makeFolder(at path: RemotePath) throws(RemoteError) -> RemoteEntry {
        if let known = item(at: path) {
            throw .conflict(known.file == nil ? .folder : .file)
        }
        let (parent, name) = try folderAbove(path)
        return add(Item(id: nextID(), parent: parent, name: name))
    }

    mutating func store(
        _ bytes: [UInt8], commit: RemoteCommit, now: Timestamp
    ) throws(RemoteError) -> RemoteEntry {
        let hash = ContentHasher.hash(bytes)
        if let expected = commit.hash, expected != hash { throw .contentMismatch }
        let known = item(at: commit.path)
        if let known, known.file == nil { throw .conflict(.folder) }
        switch commit.expectation {
        case .absent(let strict):
            if let known, let file = known.file {
                guard !strict, file.hash == hash else { throw .conflict(.file) }
                return entry(of: known)
            }
        case .revision(let revision):
            guard known?.file?.revision == revision else { throw .conflict(.file) }
        }
        counter += 1
        let revision = Revision("rev\(counter)")
        contents[revision] = bytes
        var file = RemoteFile(
            id: known?.id ?? nextID(), revision: revision, hash: hash, size: Int64(bytes.count),
            clientModified: commit.clientModified.wholeSeconds, serverModified: now.wholeSeconds)
        if var known {
            file.id = known.id
            known.file = file
            items[known.id] = known
            log.append(entry(of: known))
            return entry(of: known)
        }
        let (parent, name) = try folderAbove(commit.path)
        return add(Item(id: file.id, parent: parent, name: name, file: file))
    }

    mutating func delete(_ path: RemotePath, revision: Revision?) throws(RemoteError) {
        guard let item = item(at: path), item.parent != nil else { throw .notFound }
        if let revision, let file = item.file, file.revision != revision {
            throw .conflict(.file)
        }
        let gone = RemoteEntry(
            foldedPath: entry(of: item).foldedPath, name: item.name, kind: .deleted)
        detach(item)
        forget(item)
        log.append(gone)
    }

    mutating func move(
        _ path: RemotePath, to target: RemotePath
    ) throws(RemoteError) -> RemoteEntry {
        guard var item = item(at: path), item.parent != nil else { throw .notFound }
        if let known = self.item(at: target) {
            // Dropbox does not rename by case only.
            throw .conflict(known.file == nil ? .folder : .file)
        }
        let source = Folding.fold(path.rawValue)
        if Folding.fold(target.rawValue).hasPrefix(source + "/") { throw .conflict(.other) }
        let (parent, name) = try folderAbove(target)
        log.append(
            RemoteEntry(
                foldedPath: entry(of: item).foldedPath, name: item.name, kind: .deleted))
        detach(item)
        item.parent = parent
        item.name = name
        let moved = add(item)
        if item.file == nil { log += entries(in: item, recursive: true) }
        return moved
    }

    mutating func copy(
        _ path: RemotePath, to target: RemotePath, now: Timestamp
    ) throws(RemoteError) -> RemoteEntry {
        guard let item = item(at: path), item.parent != nil else { throw .notFound }
        if let known = self.item(at: target) {
            throw .conflict(known.file == nil ? .folder : .file)
        }
        guard let file = item.file else {
            let made = try makeFolder(at: target)
            for id in (children[item.id] ?? [:]).values {
                guard let child = items[id] else { continue }
                _ = try copy(
                    path.appending(child.name), to: target.appending(child.name), now: now)
            }
            return made
        }
        return try store(
            contents[file.revision] ?? [],
            commit: RemoteCommit(
                path: target, expectation: .absent(strict: true),
                clientModified: file.clientModified, hash: nil), now: now)
    }

    // MARK: Parts

    /// The folder that a new entry goes into; missing ones are made, as Dropbox does on commits.
    private mutating func folderAbove(
        _ path: RemotePath
    ) throws(RemoteError) -> (FileID, FileName) {
        var components = path.components
        guard let last = components.popLast() else { throw .disallowedName }
        var parent = Self.rootID
        for component in components {
            let name = try Self.name(component)
            if let id = children[parent]?[name.folded], let known = items[id] {
                guard known.file == nil else { throw .conflict(.ancestor) }
                parent = id
            } else {
                let folder = Item(id: nextID(), parent: parent, name: name)
                _ = add(folder)
                parent = folder.id
            }
        }
        return (parent, try Self.name(last))
    }

    private static func name(_ text: String) throws(RemoteError) -> FileName {
        do {
            return try FileName(Folding.compose(text))
        } catch {
            throw .disallowedName
        }
    }

    private mutating func add(_ item: Item) -> RemoteEntry {
        items[item.id] = item
        if let parent = item.parent {
            children[parent, default: [:]][item.name.folded] = item.id
        }
        log.append(entry(of: item))
        return entry(of: item)
    }

    private mutating func detach(_ item: Item) {
        if let parent = item.parent {
            children[parent]?[item.name.folded] = nil
        }
    }

    private mutating func forget(_ item: Item) {
        for id in (children[item.id] ?? [:]).values {
            if let child = items[id] { forget(child) }
        }
        children[item.id] = nil
        items[item.id] = nil
    }

    private mutating func nextID() -> FileID {
        counter += 1
        return FileID("id:item\(counter)")
    }
}

extension RemotePath {
    var components: [String] { rawValue.split(separator: "/").map(String.init) }
}
