// `files.Metadata` in the tree, and its JSON.

/// The metadata of an entry as clients see it.
enum Metadata: Sendable {
    case file(FileMetadata)
    case folder(FolderMetadata)
    case deleted(DeletedMetadata)

    /// The entry with its `.tag`, for positions of type `Metadata`.
    var json: JSONValue {
        switch self {
        case .file(let file): .tagged("file", file.json)
        case .folder(let folder): .tagged("folder", folder.json)
        case .deleted(let deleted): .tagged("deleted", deleted.json)
        }
    }
}

/// The path of an entry below the client's root.
struct EntryPath: Sendable {
    let key: String
    let display: String

    /// The last component, as spelled.
    var name: String {
        display.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            String(display[display.utf8.index(after: $0)...])
        } ?? display
    }

    fileprivate var fields: [JSONValue.Member] {
        [
            .init("name", .string(name)), .init("path_lower", .string(key)),
            .init("path_display", .string(display)),
        ]
    }
}

/// A file as responses have it: `files.FileMetadata`.
struct FileMetadata: Sendable {
    let path: EntryPath
    let id: String
    let rev: String
    let clientModified: APITime
    let serverModified: APITime
    let content: Content
    let marks: FileMarks?
    let shared: SharedFolder?
    var properties: [PropertyGroup] = []

    /// The struct's JSON without a tag.
    var json: JSONValue {
        var members = path.fields
        members += [
            .init("id", .string(id)),
            .init("client_modified", .string(clientModified.text)),
            .init("server_modified", .string(serverModified.text)),
            .init("rev", .string(rev)), .init("size", .integer(content.size)),
            .init("is_downloadable", .boolean(marks?.exportAs == nil)),
            .init("content_hash", .string(content.hash.hex)),
        ]
        if let target = marks?.symlinkTarget {
            members.append(.init("symlink_info", ["target": .string(target)]))
        }
        if let format = marks?.exportAs {
            var info = [JSONValue.Member("export_as", .string(format))]
            if let options = marks?.exportOptions, !options.isEmpty {
                info.append(.init("export_options", .array(options.map { .string($0) })))
            }
            members.append(.init("export_info", .object(info)))
        }
        if let shared {
            members.append(
                .init(
                    "sharing_info",
                    [
                        "read_only": .boolean(shared.isReadOnly),
                        "parent_shared_folder_id": .string(shared.namespace),
                    ]))
            members.append(.init("parent_shared_folder_id", .string(shared.namespace)))
        }
        members += properties.members
        return .object(members)
    }
}

extension [PropertyGroup] {
    /// The field of metadata that has properties; none without any.
    fileprivate var members: [JSONValue.Member] {
        isEmpty ? [] : [.init("property_groups", .array(map(\.json)))]
    }
}

/// A folder as responses have it: `files.FolderMetadata`.
struct FolderMetadata: Sendable {
    let path: EntryPath
    let id: String
    /// The shared folder mounted here, if any.
    let mount: SharedFolder?
    /// The shared folder that this folder lies in.
    let shared: SharedFolder?
    var properties: [PropertyGroup] = []

    /// The struct's JSON without a tag.
    var json: JSONValue {
        var members = path.fields
        members.append(.init("id", .string(id)))
        if let mount {
            members.append(.init("shared_folder_id", .string(mount.namespace)))
            members.append(
                .init(
                    "sharing_info",
                    [
                        "read_only": .boolean(mount.isReadOnly),
                        "shared_folder_id": .string(mount.namespace),
                        "traverse_only": false, "no_access": false,
                    ]))
        } else if let shared {
            members.append(.init("parent_shared_folder_id", .string(shared.namespace)))
            members.append(
                .init(
                    "sharing_info",
                    [
                        "read_only": .boolean(shared.isReadOnly),
                        "parent_shared_folder_id": .string(shared.namespace),
                        "traverse_only": false, "no_access": false,
                    ]))
        }
        members += properties.members
        return .object(members)
    }
}

/// A deleted entry as responses have it: `files.DeletedMetadata`.
struct DeletedMetadata: Sendable {
    let path: EntryPath

    /// The struct's JSON without a tag.
    var json: JSONValue { .object(path.fields) }
}

extension AccountTree {
    /// The metadata of a living entry for a client whose root is `base`, with its properties by
    /// some templates.
    func metadata(
        of node: NodeID, from base: NodeID, with templates: [String] = []
    ) -> Metadata {
        let properties = properties.groups(of: node, by: templates)
        guard let revision = self[node].revision else {
            var folder = folderMetadata(of: node, from: base)
            folder.properties = properties
            return .folder(folder)
        }
        var file = fileMetadata(of: revision, from: base)
        file.properties = properties
        return .file(file)
    }

    /// The metadata of one revision; its path is the file's current or last one.
    ///
    /// `symlink_info` belongs to the file, not to a revision.
    func fileMetadata(of revision: RevisionID, from base: NodeID) -> FileMetadata {
        let file = self[revision].file
        let path = nodes.paths(of: file, from: base)
        return FileMetadata(
            path: EntryPath(key: path.key, display: path.display),
            id: idText(file), rev: revText(revision),
            clientModified: self[revision].clientModified,
            serverModified: self[revision].serverModified,
            content: self[self[revision].content], marks: marks(of: file),
            shared: sharedFolder(of: file))
    }

    /// The metadata of a folder.
    func folderMetadata(of node: NodeID, from base: NodeID) -> FolderMetadata {
        let path = nodes.paths(of: node, from: base)
        return FolderMetadata(
            path: EntryPath(key: path.key, display: path.display), id: idText(node),
            mount: sharedFolders[node], shared: sharedFolder(of: self[node].parent))
    }

    /// The metadata of a path with a deleted entry.
    func deletedMetadata(display: String, from base: NodeID) -> DeletedMetadata {
        let prefix = nodes.paths(of: base, from: .root).display
        let relative = String(display.dropFirst(prefix.count))
        let key = (try? AbsolutePath(relative, folding: folding))?.key ?? relative
        return DeletedMetadata(path: EntryPath(key: key, display: relative))
    }
}
