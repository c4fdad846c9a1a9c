// A whole account as a value, to compare one store with another or with a mount.

import Core
package import RemoteStore

/// Every file's bytes and every folder, by path.
package struct TreeSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The entry at a path.
    package enum Entry: Hashable, Sendable {
        /// A folder without further attributes.
        case folder
        /// A file with these bytes.
        case file([UInt8])
    }

    /// The entries by path, with the case of every name.
    package var entries: [RemotePath: Entry] = [:]

    /// Makes the snapshot of an empty account.
    package init() {}

    /// Lists a store and reads all of its files.
    package init(of store: some RemoteStoring) async throws(RemoteError) {
        var page = try await store.list(.root, recursive: true)
        var listed = page.entries
        while page.hasMore {
            page = try await store.list(after: page.cursor)
            listed += page.entries
        }
        try await self.init(applying: listed, from: store)
    }

    /// The tree that results from applying listings or deltas in their order.
    package init(
        applying deltas: [RemoteEntry], from store: some RemoteStoring
    ) async throws(RemoteError) {
        var known: [RemotePath: RemoteEntry] = [:]
        for entry in deltas {
            switch entry.kind {
            case .folder:
                // The folder's contents stay.
                known[entry.foldedPath] = entry
            case .file, .deleted:
                let below = entry.foldedPath.rawValue + "/"
                known = known.filter { !$0.key.rawValue.utf8.starts(with: below.utf8) }
                known[entry.foldedPath] = entry.kind == .deleted ? nil : entry
            }
        }
        for (folded, entry) in known {
            let path = Self.path(folded, known)
            guard case .file(let file) = entry.kind else {
                entries[path] = .folder
                continue
            }
            entries[path] = .file(try await Self.bytes(of: file, from: store))
        }
    }

    /// The path with each component as its own entry spells it.
    private static func path(
        _ folded: RemotePath, _ known: [RemotePath: RemoteEntry]
    ) -> RemotePath {
        var above = RemotePath.root
        var path = ""
        for component in folded.components {
            above = RemotePath(rawValue: above.rawValue + "/" + component)
            path += "/" + (known[above]?.name.string ?? component)
        }
        return RemotePath(rawValue: path)
    }

    private static func bytes(
        of file: RemoteFile, from store: some RemoteStoring
    ) async throws(RemoteError) -> [UInt8] {
        guard file.size > 0 else { return [] }
        return try await store.download(file.revision, range: 0..<file.size).collect()
    }

    /// One line per entry, in order; small files with their text.
    package var description: String {
        entries.sorted { $0.key.rawValue < $1.key.rawValue }.map { path, entry in
            switch entry {
            case .folder: "\(path)/"
            case .file(let bytes) where bytes.count <= 64:
                "\(path) \(bytes.count) \(String(decoding: bytes, as: UTF8.self))"
            case .file(let bytes): "\(path) \(bytes.count)"
            }
        }.joined(separator: "\n")
    }
}

extension RemoteByteStream {
    /// The remaining bytes of a stream.
    package func collect() async throws(RemoteError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece }
        return bytes
    }
}
