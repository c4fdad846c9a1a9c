// Resolves the paths of requests to entries: plain paths, and the forms `id:`, `rev:` and `ns:`.

/// The target of a `ReadPath`.
enum Resolved: Equatable, Sendable {
    case node(NodeID)
    /// An entry was there and is deleted.
    case deleted(display: String, base: NodeID)
    /// A version of a file, which may be an old one.
    case revision(RevisionID)
}

/// The parent and the names of a path to be written.
struct WriteTarget: Sendable {
    let base: NodeID
    let path: AbsolutePath
}

extension AccountTree {
    /// Resolves a read path.
    ///
    /// Throws `notFound` for a path that never had an entry, an unknown id and an unknown revision.
    func resolve(_ text: String, from base: NodeID) throws(LookupError) -> Resolved {
        if text.hasPrefix("rev:") {
            guard let revision = revision(rev: String(text.dropFirst(4))) else { throw .notFound }
            return .revision(revision)
        }
        if text.hasPrefix("id:") {
            guard let node = node(id: text), self[node].isAlive, nodes.isNode(node, within: base)
            else {
                throw .notFound
            }
            return .node(node)
        }
        let (folder, path) = try split(text, from: base)
        if !conduct.findsDecomposed, !PathComponent.isComposed(text) { throw .notFound }
        if let node = nodes.node(at: path.components, below: folder) { return .node(node) }
        let prefix = nodes.paths(of: folder, from: .root).key
        guard let tombstone = tombstones[prefix + path.key] else { throw .notFound }
        return .deleted(display: tombstone.display, base: base)
    }

    /// Resolves a path to its living entry.
    func livingNode(_ text: String, from base: NodeID) throws(LookupError) -> NodeID {
        guard case .node(let node) = try resolve(text, from: base) else { throw .notFound }
        return node
    }

    /// Resolves a path to the revision of a file to be read.
    func fileRevision(_ text: String, from base: NodeID) throws(LookupError) -> RevisionID {
        switch try resolve(text, from: base) {
        case .revision(let revision): return revision
        case .deleted: throw .notFound
        case .node(let node):
            guard let revision = self[node].revision else { throw .notFile }
            return revision
        }
    }

    /// The target of a write; an id stands for the path of the living entry.
    ///
    /// The service's response to a write by the id of a deleted file is not documented;
    /// `malformed_path` is assumed, because the union has no code for a missing target.
    func writeTarget(_ text: String, from base: NodeID) throws(WriteError) -> WriteTarget {
        if text.hasPrefix("id:") {
            guard let node = node(id: text), self[node].isAlive, nodes.isNode(node, within: base)
            else {
                throw .malformedPath
            }
            let path = try? AbsolutePath(
                nodes.paths(of: node, from: base).display, folding: folding)
            guard let path else { throw .malformedPath }
            return WriteTarget(base: base, path: path)
        }
        let parts = try? split(text, from: base)
        guard let parts, !parts.path.components.isEmpty else { throw .malformedPath }
        return WriteTarget(base: parts.base, path: parts.path)
    }

    /// The namespace of the home folder in a team's space.
    static func homeNamespace(of space: UInt32) -> String { "\(space)01" }

    /// The folder that a namespace id refers to, if the account may use it.
    func namespaceRoot(_ id: String) -> NodeID? {
        if id == String(namespace) { return .root }
        return sharedFolders.all { $1.namespace == id && self[$0].isAlive }.first
    }

    /// Splits `ns:ID/path` and `/path` into the base folder and the path below it.
    private func split(
        _ text: String, from base: NodeID
    ) throws(LookupError) -> (base: NodeID, path: AbsolutePath) {
        var folder = base
        var rest = text
        if text.hasPrefix("ns:") {
            let id = text.utf8.dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
            guard let root = namespaceRoot(String(Substring(id))) else { throw .notFound }
            folder = root
            rest = String(Substring(text.utf8.dropFirst(3 + id.count)))
        }
        guard let path = try? AbsolutePath(rest, folding: folding) else { throw .malformedPath }
        return (folder, path)
    }
}
