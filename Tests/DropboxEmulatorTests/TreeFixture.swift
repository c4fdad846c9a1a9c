// A tree to try operations on, and shorthands for its answers.

import Testing

@testable import DropboxEmulator

/// A tree with a clock that advances by one second at each operation.
struct TreeFixture {
    var state = SpaceState(tree: AccountTree(namespace: 7, quota: 1 << 40))
    private var clock: Int64 = 1_700_000_000

    var tree: AccountTree { state.tree }

    /// Content that is the same for the same text.
    static func content(_ text: String) -> Content {
        var hasher = BlockHasher()
        Array(text.utf8).withUnsafeBytes { hasher.update($0) }
        return Content(hash: hasher.contentHash, size: Int64(text.utf8.count), source: .stored)
    }

    @discardableResult
    mutating func apply(_ operation: Operation) throws -> NodeID? {
        clock += 1
        return try state.apply(operation, at: APITime(seconds: clock))
    }

    /// Commits a text; returns the file's metadata.
    @discardableResult
    mutating func write(
        _ text: String, to path: String, mode: WriteMode = .add, autorename: Bool = false,
        strict: Bool = false, modified: Int64? = nil
    ) throws -> FileMetadata {
        let commit = Commit(
            path: path, mode: mode, autorename: autorename,
            clientModified: modified.map { APITime(seconds: $0) }, strictConflict: strict)
        let node = try #require(try apply(.commit(commit, Self.content(text))))
        let revision = try #require(tree[node].revision)
        return tree.fileMetadata(of: revision, from: .root)
    }

    mutating func move(_ from: String, _ to: String, autorename: Bool = false) throws {
        try apply(.relocate(Relocation(from: from, to: to, autorename: autorename)))
    }

    mutating func copy(_ from: String, _ to: String) throws {
        try apply(.relocate(Relocation(from: from, to: to, copies: true)))
    }

    mutating func delete(_ path: String, parentRev: String? = nil) throws {
        try apply(.delete(path: path, parentRev: parentRev, base: .root))
    }

    mutating func makeFolder(_ path: String) throws {
        try apply(.createFolder(path: path, autorename: false, base: .root))
    }

    /// The metadata of a living file.
    func file(_ path: String) throws -> FileMetadata {
        let revision = try tree.fileRevision(path, from: .root)
        return tree.fileMetadata(of: revision, from: .root)
    }

    /// The spelled paths of everything in the tree, in order.
    var paths: [String] {
        var walk = TreeWalk(tree, folder: .root, after: [], isRecursive: true)
        var paths: [String] = []
        while let node = walk.next(in: tree) {
            paths.append(tree.nodes.paths(of: node, from: .root).display)
        }
        return paths
    }
}
