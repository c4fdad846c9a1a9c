// What the server says about a file, a folder, or a deleted entry.
// Not responsible for details that most entries lack (see FileDetails.swift).

public import ContentHashing

extension Files {
    /// A file, a folder or the mark that one was deleted.
    public enum Metadata: Hashable, Sendable {
        case file(FileMetadata)
        case folder(FolderMetadata)
        case deleted(DeletedMetadata)
        /// A kind of entry that this version does not know.
        case unknown(String)
    }

    /// A file.
    public struct FileMetadata: Hashable, Sendable {
        /// The last component of the path, with its case.
        public var name: String
        /// Stable across moves and new content.
        public var id: ID
        /// The modification time that the uploading client claimed.
        public var clientModified: Timestamp
        /// When the server stored this revision.
        public var serverModified: Timestamp
        /// The revision of the content and path.
        public var rev: Rev
        /// Bytes of content.
        public var size: UInt64
        /// The full path folded by the server's rules; nil when not mounted for this user.
        public var pathLower: String?
        /// The full path for display; only the last component's case is reliable.
        public var pathDisplay: String?
        /// Hash of the content.
        public var contentHash: ContentHash?
        /// False for documents that live in a cloud editor and can only be exported.
        public var isDownloadable: Bool
        /// The target, if this entry is a symbolic link.
        public var symlinkInfo: SymlinkInfo?
        /// Set inside shared folders.
        public var sharingInfo: FileSharingInfo?
        /// Formats to export to.
        public var exportInfo: ExportInfo?
        /// Who holds the lock, if the file is locked.
        public var fileLockInfo: FileLockMetadata?
        /// Facts of a photo or video; only when asked for.
        public var mediaInfo: MediaInfo?
        /// Custom properties; only when asked for.
        public var propertyGroups: [FileProperties.PropertyGroup]?
        /// Whether members were invited to this file; only when asked for.
        public var hasExplicitSharedMembers: Bool?
        /// Whether this revision can be restored; only when asked for.
        public var isRestorable: Bool?
        /// An older place for the identifier in `sharingInfo`.
        public var parentSharedFolderID: Common.NamespaceID?
        /// Where a preview can be seen.
        public var previewURL: String?
    }

    /// A folder.
    public struct FolderMetadata: Hashable, Sendable {
        /// The last component of the path, with its case.
        public var name: String
        /// Stable across moves.
        public var id: ID
        /// The full path folded by the server's rules; nil when not mounted for this user.
        public var pathLower: String?
        /// The full path for display; only the last component's case is reliable.
        public var pathDisplay: String?
        /// Set for shared folders and inside them.
        public var sharingInfo: FolderSharingInfo?
        /// Custom properties; only when asked for.
        public var propertyGroups: [FileProperties.PropertyGroup]?
        /// An older place for the identifier in `sharingInfo`.
        public var sharedFolderID: Common.NamespaceID?
        /// An older place for the identifier in `sharingInfo`.
        public var parentSharedFolderID: Common.NamespaceID?
        /// Where a preview can be seen.
        public var previewURL: String?
    }

    /// The mark that a file or folder was deleted.
    public struct DeletedMetadata: Hashable, Sendable {
        /// The last component of the path, with its case.
        public var name: String
        /// The full path folded by the server's rules; nil when not mounted for this user.
        public var pathLower: String?
        /// The full path for display; only the last component's case is reliable.
        public var pathDisplay: String?
        /// Whether the entry can be restored; only when asked for.
        public var isRestorable: Bool?
        /// The shared folder that held the entry.
        public var parentSharedFolderID: Common.NamespaceID?
        /// Where a preview can be seen.
        public var previewURL: String?
    }
}

extension Files.Metadata {
    /// The last component of the path; nil for an unknown kind.
    public var name: String? {
        switch self {
        case .file(let file): file.name
        case .folder(let folder): folder.name
        case .deleted(let deleted): deleted.name
        case .unknown: nil
        }
    }

    /// The full path folded by the server's rules.
    public var pathLower: String? {
        switch self {
        case .file(let file): file.pathLower
        case .folder(let folder): folder.pathLower
        case .deleted(let deleted): deleted.pathLower
        case .unknown: nil
        }
    }

    /// The full path for display.
    public var pathDisplay: String? {
        switch self {
        case .file(let file): file.pathDisplay
        case .folder(let folder): folder.pathDisplay
        case .deleted(let deleted): deleted.pathDisplay
        case .unknown: nil
        }
    }
}
