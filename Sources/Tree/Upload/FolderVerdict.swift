// Whether a folder may be deleted with all its contents: only if users have deleted everything that
// the server has in it. Not responsible for its listing, which `FolderDeletion` of Sync requests.

package import Core
package import MetadataStore
package import RemoteStore

/// Whether a folder may be deleted.
package enum FolderVerdict: Sendable {
    case mayGo(at: RemotePath)
    case stays, isFiledElsewhere
}

extension Transaction {
    /// Decides, after a folder's listing was applied, whether users have deleted all its remote
    /// contents.
    package func verdict(
        on folder: InodeID, at path: RemotePath, holding inside: [RemoteEntry]
    ) throws -> FolderVerdict {
        guard try node(folder)?.isTombstone == true, try remotePath(of: folder) == path.rawValue,
            try obstacle(toDeleting: folder) == nil, let keys = try remoteKeyPath(of: folder)
        else { return .stays }
        let place = RemotePath(rawValue: keys)
        let isRight = inside.allSatisfy { $0.foldedPath.isWithin(place) }
        return isRight ? .mayGo(at: place) : .isFiledElsewhere
    }
}

extension TreeReading {
    /// A node that the server has below a deleted folder and that must not be deleted with it: it
    /// has another local place (row D7 of the conflict table), or is a file to be deleted by its
    /// own revision.
    func obstacle(toDeleting folder: InodeID) throws -> InodeID? {
        if let child = try remoteChildToKeep(in: folder) { return child }
        for child in try deletedFolders(in: folder) {
            if let below = try obstacle(toDeleting: child) { return below }
        }
        return nil
    }
}
