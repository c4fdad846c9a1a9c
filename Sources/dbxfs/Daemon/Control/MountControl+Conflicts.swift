// The conflicted copies of a mount: recognised by their names, so nothing is stored for them.

import Core
import MetadataStore
import Mounting
import Sync
import Tree

extension MountControl {
    func conflicts(below path: String) throws(CommandError) -> [ConflictReport] {
        let folder = try inode(at: path)
        let host = SyncEngine.Configuration(host: Mount.hostName).host
        return try asking { snapshot in
            try snapshot.nodes(foldedNameHolding: ConflictedCopy.mark).compactMap { node in
                guard let place = node.place, let copy = ConflictedCopy(place.name),
                    try snapshot.isInode(node.inode, within: folder),
                    let names = try snapshot.localPath(of: node.inode)
                else { return nil }
                let original = try snapshot.child(like: copy.original, of: place.parent)
                return ConflictReport(
                    path: Self.path(names),
                    original: original?.place.map { Self.path(names.dropLast() + [$0.name]) },
                    maker: copy.maker, day: copy.day, isMadeHere: copy.maker == host,
                    bytes: node.size)
            }
        }.sorted { $0.path < $1.path }
    }

    var isTreeKnown: Bool { engine.isTreeComplete }
}
