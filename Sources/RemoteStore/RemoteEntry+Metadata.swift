// Checks what the server says of an entry, and takes over what a filesystem can hold. A server that is
// broken or hostile must not be able to name a place outside of the mount.

import Core
import DropboxAPI

/// What a piece of metadata turned out to be.
enum MetadataReading {
    /// An entry below the mount's root.
    case entry(RemoteEntry)
    /// The mount's root itself.
    case root
    /// Something that cannot be shown.
    case refused
}

extension RemoteEntry {
    /// Linux's longest path has 4,096 bytes; a component and its slash have at least two.
    private static let maximumDepth = 2048

    static func reading(_ metadata: Files.Metadata, below prefix: String) -> MetadataReading {
        guard let text = metadata.pathLower, let last = metadata.name else { return .refused }
        guard text.hasPrefix(prefix) else { return .refused }
        let path = String(text.dropFirst(prefix.count))
        if path.isEmpty { return .root }
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard components.first == "", components.count > 1, components.count <= maximumDepth,
            components.dropFirst().allSatisfy({ (try? FileName(String($0))) != nil }),
            let name = try? FileName(last)
        else { return .refused }
        guard let kind = kind(of: metadata) else { return .refused }
        return .entry(
            RemoteEntry(foldedPath: RemotePath(rawValue: path), name: name, kind: kind))
    }

    private static func kind(of metadata: Files.Metadata) -> Kind? {
        switch metadata {
        case .deleted: .deleted
        case .unknown: nil
        case .folder(let folder):
            folder.id.isEmpty
                ? nil
                : .folder(
                    RemoteFolder(
                        id: FileID(folder.id), sharedFolderID: folder.sharingInfo?.sharedFolderID,
                        isReadOnly: folder.sharingInfo?.isReadOnly ?? false,
                        isTraverseOnly: folder.sharingInfo?.isTraverseOnly ?? false,
                        isNoAccess: folder.sharingInfo?.isInaccessible ?? false))
        case .file(let file): self.file(file).map { .file($0) }
        }
    }

    private static func file(_ file: Files.FileMetadata) -> RemoteFile? {
        guard !file.id.isEmpty, !file.rev.isEmpty, let size = Int64(exactly: file.size) else {
            return nil
        }
        return RemoteFile(
            id: FileID(file.id), revision: Revision(file.rev), hash: file.contentHash, size: size,
            clientModified: Core.Timestamp(seconds: file.clientModified.secondsSince1970),
            serverModified: Core.Timestamp(seconds: file.serverModified.secondsSince1970),
            symbolicLinkTarget: file.symlinkInfo?.target,
            // Without a hash there is nothing to check the bytes against.
            isDownloadable: file.isDownloadable && file.contentHash != nil,
            isReadOnly: file.sharingInfo?.isReadOnly ?? false)
    }
}

extension RemoteSpace {
    init(_ usage: Users.SpaceUsage) {
        let used = Int64(clamping: usage.used)
        switch usage.allocation {
        case .individual(let individual):
            self.init(used: used, allocated: Int64(clamping: individual.allocated))
        case .team(let team) where team.memberAllocated > 0 && team.memberLimitType == .stopSync:
            self.init(
                used: Int64(clamping: team.memberUsed),
                allocated: Int64(clamping: min(team.memberAllocated, team.allocated)))
        case .team(let team):
            self.init(
                used: Int64(clamping: team.used), allocated: Int64(clamping: team.allocated))
        case .unknown:
            self.init(used: used, allocated: used)
        }
    }
}
