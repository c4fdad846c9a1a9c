// Nodes that others have put where no user here has seen them: they stay there, also if users move
// other nodes at that time. Not responsible for accounts with several mounts, nor for a server that
// moves by paths.

import Core
import GRDB
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// The nodes of the server that the only mount does not know.
struct Unseen {
    fileprivate struct Unknown {
        var path: RemotePath
        /// The folders above it.
        var folders: [FileID]
    }

    fileprivate var nodes: [FileID: Unknown] = [:]
}

extension World {
    /// Another client has done something.
    func noteUnseen() throws {
        unseen = Unseen()
        guard !plan.refusesIDs, belated.count == 0, let process = onlyProcess,
            process.link.changesOnTheirWay == 0
        else { return }
        let paths = serverPaths()
        let ids = Dictionary(paths.map { ($0.value, $0.key) }) { $1 }
        try process.store.read { snapshot in
            if try snapshot.hasIntents() { return }
            for (id, path) in paths where try snapshot.node(id: id) == nil {
                var folders: [FileID] = []
                var isStill = true
                for above in path.parent.withAncestors where isStill {
                    guard let folder = ids[above] else { continue }
                    folders.append(folder)
                    isStill = try isStillKnown(folder, at: above, snapshot)
                }
                if isStill { unseen.nodes[id] = Unseen.Unknown(path: path, folders: folders) }
            }
        }
    }

    /// Whether a folder is unknown, or users have it where the server has it.
    private func isStillKnown(
        _ id: FileID, at path: RemotePath, _ snapshot: Snapshot
    ) throws -> Bool {
        guard let node = try snapshot.node(id: id) else { return true }
        return try node.remote == .inPlace && !node.flags.contains(.betweenMoves)
            && snapshot.remoteKeyPath(of: node.inode) == path.rawValue
    }

    /// A user has done something, perhaps with nodes that are known by now.
    func forgetSeen() throws {
        guard !unseen.nodes.isEmpty else { return }
        guard let process = onlyProcess else { return unseen = Unseen() }
        try process.store.read { snapshot in
            if try snapshot.hasIntents() { return unseen = Unseen() }
            unseen.nodes = try unseen.nodes.filter { id, unknown in
                try ([id] + unknown.folders).allSatisfy { try snapshot.node(id: $0) == nil }
                    && !isPlaceholderShown(at: unknown.path, snapshot)
            }
        }
    }

    /// Whether users see a folder at a path, or above it, whose ID is still to come.
    private func isPlaceholderShown(at path: RemotePath, _ snapshot: Snapshot) throws -> Bool {
        try path.withAncestors.contains { path in
            let node = try snapshot.remoteNode(foldedPath: path.rawValue)
            return node != nil && node?.facts.id == nil
        }
    }

    /// Throws a `Violation` if something is elsewhere that no user has seen.
    func checkUnseen() throws {
        // Where names fold, two that differ for a mount may be one for the server, and step aside.
        guard !unseen.nodes.isEmpty, !belated.isUsed, plan.folding == .scalar else { return }
        let paths = serverPaths()
        for (id, unknown) in unseen.nodes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            // A name that has become free gives a node its own name back.
            guard let path = paths[id], Self.withoutMarks(path) != Self.withoutMarks(unknown.path)
            else { continue }
            throw Violation(
                rule: "what no user has seen is moved",
                detail: "\(id.rawValue): \(path), not \(unknown.path)")
        }
    }

    /// A folded path, with own names in place of the aliases that siblings have made necessary.
    private static func withoutMarks(_ path: RemotePath) -> String {
        path.rawValue.replacing(#/ \((case|unicode encoding) conflict( \d+)?\)/#, with: "")
    }
}

extension Snapshot {
    /// Whether a request has had no reply: what others have made in the same place is taken for
    /// what it was to make.
    fileprivate func hasIntents() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM attempt)")
        return try Bool.fetchOne(statement) ?? false
    }
}
