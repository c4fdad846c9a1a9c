// The items of a cloud's tree and the index of their names. Not responsible for the rules by which
// they change (`InMemoryTree`).

import Core
import RemoteStore

/// Files and folders by their ids, and by their folders and the keys of their names.
struct InMemoryItems {
    /// The root, which has no entry, or a folder in it.
    enum Folder: Hashable {
        case root
        case item(FileID)
    }

    struct Item {
        var id: FileID
        var folder: Folder
        var name: FileName
        /// The file's metadata; nil for folders.
        var file: RemoteFile?
    }

    private var items: [FileID: Item] = [:]
    /// Children by the keys of their names.
    private var children: [Folder: [String: FileID]] = [:]

    // MARK: Looking

    subscript(id: FileID) -> Item? { items[id] }

    func child(_ folded: String, of folder: Folder) -> Item? {
        children[folder]?[folded].flatMap { items[$0] }
    }

    /// The children of a folder, by their folded names.
    func inside(_ folder: Folder) -> [Item] {
        (children[folder] ?? [:]).sorted { $0.key < $1.key }.compactMap { items[$0.value] }
    }

    /// The path of keys.
    func foldedPath(of item: Item) -> String {
        guard case .item(let id) = item.folder, let parent = items[id] else {
            return "/" + item.name.folded
        }
        return foldedPath(of: parent) + "/" + item.name.folded
    }

    /// Bytes of all files.
    var size: Int64 { items.values.reduce(0) { $0 + ($1.file?.size ?? 0) } }

    /// Bytes of a file, or of all files below a folder.
    func size(of item: Item) -> Int64 {
        inside(.item(item.id)).reduce(item.file?.size ?? 0) { $0 + size(of: $1) }
    }

    /// Number of items below one, itself counted.
    func count(of item: Item) -> Int {
        inside(.item(item.id)).reduce(1) { $0 + count(of: $1) }
    }

    // MARK: Changing

    /// Inserts an item at its place.
    mutating func insert(_ item: Item) {
        items[item.id] = item
        children[item.folder, default: [:]][item.name.folded] = item.id
    }

    /// Replaces the file of an item that stays at its place.
    mutating func replace(_ item: Item) {
        items[item.id] = item
    }

    /// Takes an item from its folder. It and everything below it stay known by their ids.
    mutating func detach(_ item: Item) {
        children[item.folder]?[item.name.folded] = nil
    }

    /// Removes a detached item and everything below it. Returns the ids.
    mutating func remove(_ item: Item) -> [FileID] {
        var removed = [item.id]
        for child in inside(.item(item.id)) { removed += remove(child) }
        children[.item(item.id)] = nil
        items[item.id] = nil
        return removed
    }
}
