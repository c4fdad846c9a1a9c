// The conflicted copies of a mount: recognised by their names, so nothing is stored for them.

import Core
import MetadataStore
import Mounting
import Sync
import Tree

/// Finds the conflicted copies of a mount.
struct MountConflicts: Sendable {
    let paths: MountPaths

    func reports(below path: String) throws(CommandError) -> [ConflictReport] {
        let folder = try paths.inode(at: path)
        let host = SyncEngine.Configuration(host: Mount.hostName).host
        return try paths.asking { snapshot in
            try snapshot.nodes(foldedNameHolding: ConflictedCopy.mark).compactMap { node in
                guard let place = node.place, let copy = ConflictedCopy(place.name),
                    try snapshot.isInode(node.inode, within: folder),
                    let names = try snapshot.localPath(of: node.inode)
                else { return nil }
                let original = try snapshot.child(like: copy.original, of: place.parent)
                return ConflictReport(
                    path: MountPaths.path(names),
                    original: original?.place.map { MountPaths.path(names.dropLast() + [$0.name]) },
                    maker: copy.maker, day: copy.day, isMadeHere: copy.maker == host,
                    bytes: node.size)
            }
        }.sorted { $0.path < $1.path }
    }
}
