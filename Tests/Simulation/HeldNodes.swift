// Files between two moves of another mount: until the second one, users who do nothing see them in
// a folder where the server has had them. Not responsible for their names (`World.swift`).

import Core
import MetadataStore
import RemoteStore

/// The folders in which the server has had each node, by the nodes' ids.
struct FormerFolders {
    /// Nil stands for the root.
    fileprivate var ids: [FileID: Set<FileID?>] = [:]
}

extension World {
    /// Whether users of some mount do nothing, while those of another one may move things.
    private var hasOnlookers: Bool {
        mounts.count > 1 && !plan.isLate
            && mounts.contains { !plan.changesFiles(ofMount: $0.name) }
    }

    /// The server has changed something.
    func noteFolders() {
        guard hasOnlookers else { return }
        let paths = serverPaths()
        let ids = Dictionary(paths.map { ($0.value, $0.key) }) { $1 }
        for (id, path) in paths where !path.rawValue.contains(".dbxfs-") {
            formerFolders.ids[id, default: []].insert(ids[path.parent])
        }
    }

    /// Throws a `Violation` if a file between two moves is seen in a folder in which it never was,
    /// although one in which it was is still there.
    func checkHeld(_ process: MountProcess) throws {
        guard hasOnlookers, !plan.changesFiles(ofMount: process.mount.name) else { return }
        let present = serverPaths()
        try process.store.read { snapshot in
            for node in try snapshot.everyNode()
            where node.kind == .file && node.flags.contains(.betweenMoves) {
                guard let id = node.facts.id, let parent = node.place?.parent,
                    let former = formerFolders.ids[id],
                    former.contains(where: { $0.map { present[$0] != nil } ?? true })
                else { continue }
                let folder = try snapshot.node(parent)?.facts.id
                if former.contains(folder) || parent != .root && folder == nil { continue }
                throw Violation(
                    rule: "a file is seen where it never was",
                    detail: "\(process.mount.name) \(node.inode) \(String(describing: node.place))")
            }
        }
    }
}
