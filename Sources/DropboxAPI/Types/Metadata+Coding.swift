// The JSON of file, folder and deleted entries.
// All three kinds read from one keyed container: a listing has thousands of entries, and each
// container costs a dictionary of its object.

import ContentHashing

extension Files {
    /// The keys of all kinds of entry.
    enum MetadataKey: String, CodingKey {
        case tag = ".tag"
        case name
        case id
        case clientModified = "client_modified"
        case serverModified = "server_modified"
        case rev
        case size
        case pathLower = "path_lower"
        case pathDisplay = "path_display"
        case contentHash = "content_hash"
        case isDownloadable = "is_downloadable"
        case symlinkInfo = "symlink_info"
        case sharingInfo = "sharing_info"
        case exportInfo = "export_info"
        case fileLockInfo = "file_lock_info"
        case mediaInfo = "media_info"
        case propertyGroups = "property_groups"
        case hasExplicitSharedMembers = "has_explicit_shared_members"
        case isRestorable = "is_restorable"
        case sharedFolderID = "shared_folder_id"
        case parentSharedFolderID = "parent_shared_folder_id"
        case previewURL = "preview_url"
    }

    typealias MetadataReader = KeyedDecodingContainer<MetadataKey>
}

extension Files.Metadata: Codable {
    /// Reads the entry of the kind that its tag names.
    public init(from decoder: any Decoder) throws {
        let reader = try decoder.container(keyedBy: Files.MetadataKey.self)
        let tag = try reader.decode(String.self, forKey: .tag)
        self =
            switch tag {
            case "file": .file(try Files.FileMetadata(reader))
            case "folder": .folder(try Files.FolderMetadata(reader))
            case "deleted": .deleted(try Files.DeletedMetadata(reader))
            default: .unknown(tag)
            }
    }

    /// Writes the entry with its tag.
    public func encode(to encoder: any Encoder) throws {
        var writer = encoder.container(keyedBy: Files.MetadataKey.self)
        switch self {
        case .file(let file):
            try writer.encode("file", forKey: .tag)
            try file.encode(to: encoder)
        case .folder(let folder):
            try writer.encode("folder", forKey: .tag)
            try folder.encode(to: encoder)
        case .deleted(let deleted):
            try writer.encode("deleted", forKey: .tag)
            try deleted.encode(to: encoder)
        case .unknown(let tag):
            try writer.encode(tag, forKey: .tag)
        }
    }
}

extension Files.FileMetadata: Codable {
    /// Reads a file entry; a tag beside its fields is ignored.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.container(keyedBy: Files.MetadataKey.self))
    }

    init(_ reader: Files.MetadataReader) throws {
        name = try reader.decode(String.self, forKey: .name)
        id = try reader.decode(Files.ID.self, forKey: .id)
        clientModified = try reader.decodeTimestamp(.clientModified)
        serverModified = try reader.decodeTimestamp(.serverModified)
        rev = try reader.decode(Files.Rev.self, forKey: .rev)
        size = try reader.decode(UInt64.self, forKey: .size)
        pathLower = try reader.decodeIfPresent(String.self, forKey: .pathLower)
        pathDisplay = try reader.decodeIfPresent(String.self, forKey: .pathDisplay)
        contentHash = try reader.decodeContentHash(.contentHash)
        isDownloadable = try reader.decode(.isDownloadable, default: true)
        symlinkInfo = try reader.decodeIfPresent(Files.SymlinkInfo.self, forKey: .symlinkInfo)
        sharingInfo = try reader.decodeIfPresent(Files.FileSharingInfo.self, forKey: .sharingInfo)
        exportInfo = try reader.decodeIfPresent(Files.ExportInfo.self, forKey: .exportInfo)
        fileLockInfo = try reader.decodeIfPresent(
            Files.FileLockMetadata.self, forKey: .fileLockInfo)
        mediaInfo = try reader.decodeIfPresent(Files.MediaInfo.self, forKey: .mediaInfo)
        propertyGroups = try reader.decodeIfPresent(
            [FileProperties.PropertyGroup].self, forKey: .propertyGroups)
        hasExplicitSharedMembers = try reader.decodeIfPresent(
            Bool.self, forKey: .hasExplicitSharedMembers)
        isRestorable = try reader.decodeIfPresent(Bool.self, forKey: .isRestorable)
        parentSharedFolderID = try reader.decodeIfPresent(
            Common.NamespaceID.self, forKey: .parentSharedFolderID)
        previewURL = try reader.decodeIfPresent(String.self, forKey: .previewURL)
    }

    /// Writes the fields, without a tag.
    public func encode(to encoder: any Encoder) throws {
        var writer = encoder.container(keyedBy: Files.MetadataKey.self)
        try writer.encode(name, forKey: .name)
        try writer.encode(id, forKey: .id)
        try writer.encode(clientModified, forKey: .clientModified)
        try writer.encode(serverModified, forKey: .serverModified)
        try writer.encode(rev, forKey: .rev)
        try writer.encode(size, forKey: .size)
        try writer.encodeIfPresent(pathLower, forKey: .pathLower)
        try writer.encodeIfPresent(pathDisplay, forKey: .pathDisplay)
        try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        try writer.encode(isDownloadable, forKey: .isDownloadable)
        try writer.encodeIfPresent(symlinkInfo, forKey: .symlinkInfo)
        try writer.encodeIfPresent(sharingInfo, forKey: .sharingInfo)
        try writer.encodeIfPresent(exportInfo, forKey: .exportInfo)
        try writer.encodeIfPresent(fileLockInfo, forKey: .fileLockInfo)
        try writer.encodeIfPresent(mediaInfo, forKey: .mediaInfo)
        try writer.encodeIfPresent(propertyGroups, forKey: .propertyGroups)
        try writer.encodeIfPresent(hasExplicitSharedMembers, forKey: .hasExplicitSharedMembers)
        try writer.encodeIfPresent(isRestorable, forKey: .isRestorable)
        try writer.encodeIfPresent(parentSharedFolderID, forKey: .parentSharedFolderID)
        try writer.encodeIfPresent(previewURL, forKey: .previewURL)
    }
}

extension Files.FolderMetadata: Codable {
    /// Reads a folder entry; a tag beside its fields is ignored.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.container(keyedBy: Files.MetadataKey.self))
    }

    init(_ reader: Files.MetadataReader) throws {
        name = try reader.decode(String.self, forKey: .name)
        id = try reader.decode(Files.ID.self, forKey: .id)
        pathLower = try reader.decodeIfPresent(String.self, forKey: .pathLower)
        pathDisplay = try reader.decodeIfPresent(String.self, forKey: .pathDisplay)
        sharingInfo = try reader.decodeIfPresent(
            Files.FolderSharingInfo.self, forKey: .sharingInfo)
        propertyGroups = try reader.decodeIfPresent(
            [FileProperties.PropertyGroup].self, forKey: .propertyGroups)
        sharedFolderID = try reader.decodeIfPresent(
            Common.NamespaceID.self, forKey: .sharedFolderID)
        parentSharedFolderID = try reader.decodeIfPresent(
            Common.NamespaceID.self, forKey: .parentSharedFolderID)
        previewURL = try reader.decodeIfPresent(String.self, forKey: .previewURL)
    }

    /// Writes the fields, without a tag.
    public func encode(to encoder: any Encoder) throws {
        var writer = encoder.container(keyedBy: Files.MetadataKey.self)
        try writer.encode(name, forKey: .name)
        try writer.encode(id, forKey: .id)
        try writer.encodeIfPresent(pathLower, forKey: .pathLower)
        try writer.encodeIfPresent(pathDisplay, forKey: .pathDisplay)
        try writer.encodeIfPresent(sharingInfo, forKey: .sharingInfo)
        try writer.encodeIfPresent(propertyGroups, forKey: .propertyGroups)
        try writer.encodeIfPresent(sharedFolderID, forKey: .sharedFolderID)
        try writer.encodeIfPresent(parentSharedFolderID, forKey: .parentSharedFolderID)
        try writer.encodeIfPresent(previewURL, forKey: .previewURL)
    }
}

extension Files.DeletedMetadata: Codable {
    /// Reads a deleted entry; a tag beside its fields is ignored.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.container(keyedBy: Files.MetadataKey.self))
    }

    init(_ reader: Files.MetadataReader) throws {
        name = try reader.decode(String.self, forKey: .name)
        pathLower = try reader.decodeIfPresent(String.self, forKey: .pathLower)
        pathDisplay = try reader.decodeIfPresent(String.self, forKey: .pathDisplay)
        isRestorable = try reader.decodeIfPresent(Bool.self, forKey: .isRestorable)
        parentSharedFolderID = try reader.decodeIfPresent(
            Common.NamespaceID.self, forKey: .parentSharedFolderID)
        previewURL = try reader.decodeIfPresent(String.self, forKey: .previewURL)
    }

    /// Writes the fields, without a tag.
    public func encode(to encoder: any Encoder) throws {
        var writer = encoder.container(keyedBy: Files.MetadataKey.self)
        try writer.encode(name, forKey: .name)
        try writer.encodeIfPresent(pathLower, forKey: .pathLower)
        try writer.encodeIfPresent(pathDisplay, forKey: .pathDisplay)
        try writer.encodeIfPresent(isRestorable, forKey: .isRestorable)
        try writer.encodeIfPresent(parentSharedFolderID, forKey: .parentSharedFolderID)
        try writer.encodeIfPresent(previewURL, forKey: .previewURL)
    }
}

extension KeyedDecodingContainer {
    /// The same as decoding a `Timestamp`, without the container that each such value costs.
    func decodeTimestamp(_ key: Key) throws -> Timestamp {
        guard let time = Timestamp(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "not a timestamp")
        }
        return time
    }

    /// A content hash in hexadecimal; anything that is not one is a `DecodingError`.
    func decodeContentHash(_ key: Key) throws -> ContentHash? {
        guard let hex = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let hash = ContentHash(hex: hex) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "not a content hash")
        }
        return hash
    }
}
