// Another client of the account in memory: its changes need no `await` and no preconditions.

package import Core
package import RemoteStore

extension InMemoryStore {
    /// Another client of the same account.
    package var otherClient: OtherClient { OtherClient(store: self) }
}

/// Changes an account as another client would. Paths are texts, as "/folder/file".
package struct OtherClient: Sendable {
    fileprivate let store: InMemoryStore

    /// Writes a file, replacing any entry at the path.
    @discardableResult
    package func put(
        _ path: String, _ bytes: [UInt8], modified: WallTime = WallTime(seconds: 1_000_000_000)
    ) throws(RemoteError) -> RemoteEntry {
        let path = RemotePath(rawValue: path)
        let revision = store.read { $0.item(at: path)?.file?.revision }
        return try store.store(
            bytes,
            RemoteCommit(
                path: path, expectation: revision.map { .revision($0) } ?? .absent(strict: true),
                clientModified: modified, hash: nil), byOther: true)
    }

    /// Writes a text file, replacing any entry at the path.
    @discardableResult
    package func put(_ path: String, _ text: String) throws(RemoteError) -> RemoteEntry {
        try put(path, Array(text.utf8))
    }

    /// Sets the facts of the file or folder at a path, as another machine's mount does.
    package func setFacts(_ path: String, _ facts: PosixFacts) throws(RemoteError) {
        try store.change { (tree) throws(RemoteError) in
            try tree.setFacts(facts, at: RemotePath(rawValue: path))
        }
    }

    /// Creates a symbolic link at a path.
    package func link(_ path: String, to target: String) throws(RemoteError) {
        try storeSpecial(path, LinkTarget(target))
    }

    /// Creates a document that cannot be downloaded at a path.
    package func document(_ path: String) throws(RemoteError) {
        try storeSpecial(path, nil)
    }

    private func storeSpecial(_ path: String, _ target: LinkTarget?) throws(RemoteError) {
        _ = try store.change { (tree) throws(RemoteError) in
            try tree.store(
                linkTo: target, at: RemotePath(rawValue: path),
                now: WallTime(seconds: 1_000_000_000))
        }
    }

    /// Creates a folder at a path.
    @discardableResult
    package func makeFolder(_ path: String) throws(RemoteError) -> RemoteEntry {
        try store.change { (tree) throws(RemoteError) in
            try tree.makeFolder(at: RemotePath(rawValue: path))
        }
    }

    /// Deletes the entry at a path.
    package func delete(_ path: String) throws(RemoteError) {
        try store.change { (tree) throws(RemoteError) in
            try tree.delete(RemotePath(rawValue: path), revision: nil)
        }
    }

    /// Moves a file or folder.
    @discardableResult
    package func move(_ path: String, to target: String) throws(RemoteError) -> RemoteEntry {
        try store.change { (tree) throws(RemoteError) in
            try tree.move(RemotePath(rawValue: path), to: RemotePath(rawValue: target))
        }
    }

    /// The ids and contents of the files at or below a path.
    package func files(below path: String) -> [(id: FileID, bytes: [UInt8])] {
        store.read { tree in
            guard let item = tree.item(at: RemotePath(rawValue: path)) else { return [] }
            let inside = tree.entries(in: .item(item.id), recursive: true)
            return ([tree.entry(of: item)] + inside).compactMap { entry in
                guard case .file(let file) = entry.kind else { return nil }
                return (file.id, tree.contents[file.revision] ?? [])
            }
        }
    }

    /// The ids and folded paths of everything at or below a path.
    package func paths(below path: String) -> [FileID: RemotePath] {
        store.read { tree in
            guard let item = tree.item(at: RemotePath(rawValue: path)) else { return [:] }
            var paths = [item.id: tree.entry(of: item).foldedPath]
            for entry in tree.entries(in: .item(item.id), recursive: true) {
                if let id = entry.id { paths[id] = entry.foldedPath }
            }
            return paths
        }
    }

    /// The account's whole tree as a value.
    package var snapshot: TreeSnapshot {
        store.read { tree in
            var snapshot = TreeSnapshot()
            func visit(_ folder: InMemoryTree.Folder, _ path: RemotePath) {
                for item in tree.inside(folder) {
                    let place = path.appending(item.name)
                    let bytes = item.file.map { tree.contents[$0.revision] ?? [] }
                    snapshot.entries[place] = bytes.map { .file($0) } ?? .folder
                    visit(.item(item.id), place)
                }
            }
            visit(.root, .root)
            return snapshot
        }
    }
}
