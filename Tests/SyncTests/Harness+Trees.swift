// The trees of the mount and of the server, in a form in which they can be compared.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Testing

@testable import Sync

extension Harness {
    /// Paths of the mount: folders as nil, files as their text. Local-only nodes are left
    /// out.
    func tree() async throws -> [String: String?] {
        let nodes = try await store.read { snapshot in
            try snapshot.allNodes().filter { (_, node: Node) in
                node.flags.isDisjoint(with: [.localOnly, .keptForLocal])
            }
        }
        var tree: [String: String?] = [:]
        for (path, node) in nodes {
            if node.kind == .folder {
                tree.updateValue(nil, forKey: path)
            } else {
                tree.updateValue(try await text(of: node), forKey: path)
            }
        }
        return tree
    }

    /// The texts of files that never leave this machine, wherever they are.
    func localTexts() async throws -> [String] {
        let nodes = try await store.read { try $0.allNodes() }
        var texts: [String] = []
        for (_, node) in nodes where node.kind == .file && node.flags.contains(.localOnly) {
            texts.append(try await text(of: node))
        }
        return texts.sorted()
    }

    /// The paths and targets of links that never leave this machine.
    func localLinks() async throws -> [String] {
        try await store.read { try $0.allNodes() }
            .filter { $1.kind == .symbolicLink && $1.flags.contains(.localOnly) }
            .map { "\($0) -> \($1.facts.target?.text ?? "")" }.sorted()
    }

    func text(of node: Node) async throws -> String {
        if let file = try staging.file(of: node) {
            switch try file.read(at: 0, count: Int(file.size)) {
            case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
            case .retired(let content): return try await text(of: content.revision, content.size)
            case .mixed:
                guard let base = file.base else { return "?" }
                return try await text(of: base.revision, base.size)
            }
        }
        guard let revision = node.facts.revision else { return "?" }
        return try await text(of: revision, node.facts.size)
    }

    private func text(of revision: Revision, _ size: Int64) async throws -> String {
        guard size > 0 else { return "" }
        let stream = try await server.download(revision, range: 0..<size)
        var bytes: [UInt8] = []
        while let piece = try await stream.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Paths of the server, likewise.
    func serverTree() async throws -> [String: String?] {
        var page = try await server.list(.root, recursive: true)
        var entries = page.entries
        while page.hasMore {
            page = try await server.list(after: page.cursor)
            entries += page.entries
        }
        var names: [String: String] = ["": ""]
        var tree: [String: String?] = [:]
        for entry in entries {
            let parent = names[entry.foldedPath.parent.rawValue] ?? "?"
            let path = parent + "/" + entry.name.string
            names[entry.foldedPath.rawValue] = path
            switch entry.kind {
            case .folder: tree.updateValue(nil, forKey: path)
            case .file(let file):
                tree.updateValue(try await text(of: file.revision, file.size), forKey: path)
            case .deleted: tree[path] = nil
            }
        }
        return tree
    }
}

extension [String: String?] {
    func describe() -> String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "/")" }.joined(separator: " ")
    }

    /// The paths of this mount's conflicted copies.
    var conflictedCopies: [String] {
        keys.filter { $0.contains("(here's conflicted copy ") }.sorted()
    }
}

extension Harness {
    /// A mount that has seen files and folders and is not running, so that both sides change
    /// unseen.
    static func knowing(
        _ files: [String: String], folders: [String] = [],
        server: InMemoryStore = InMemoryStore(), clock: any SyncClock = FastClock()
    ) async throws -> Harness {
        let harness = try Harness(server: server, clock: clock)
        for folder in folders { try await harness.putFolder(folder) }
        for (path, text) in files { try await harness.put(path, text) }
        try await harness.settle()
        await harness.stop()
        return harness
    }

    /// Lets both sides come to rest, ends the mount, and returns its tree.
    func outcome() async throws -> [String: String?] {
        try await settle()
        await stop()
        return try await tree()
    }
}

/// Lets both sides come to rest, and ends the mount: it shows this tree, and its rows agree.
func expect(
    _ expected: [String: String?], of harness: Harness,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await harness.settle()
    await harness.stop()
    try await harness.checkInvariants()
    let tree = try await harness.tree()
    #expect(
        tree == expected, "\(tree)\n\(harness.history.text)", sourceLocation: sourceLocation)
}
