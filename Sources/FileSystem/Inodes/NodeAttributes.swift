// The attributes of a node for `stat(2)`. Pure: rows and options in, attributes out.

import Core
import MetadataStore

extension FileKind {
    init(_ kind: NodeKind) {
        switch kind {
        case .folder: self = .directory
        case .file: self = .regular
        case .symbolicLink: self = .symbolicLink
        case .fifo: self = .fifo
        case .socket: self = .socket
        }
    }
}

/// Facts of an open file that are not in its row yet.
struct UnsavedFacts: Hashable, Sendable {
    /// Current size in bytes.
    var size: Int64
    /// When a handle last changed the content, if one did.
    var modified: WallTime?
}

extension Attributes {
    /// The attributes of a node, with unsaved changes of open handles.
    ///
    /// `folderTime` stands for the times of folders, which Dropbox does not store.
    init(
        _ node: Node, unsaved: UnsavedFacts?, options: FileSystemOptions, folderTime: WallTime
    ) {
        let kind = FileKind(node.kind)
        let modified = unsaved?.modified ?? node.shownModified(folderTime: folderTime)
        var changed = node.local.changed ?? node.facts.serverModified ?? modified
        if let unsaved = unsaved?.modified {
            changed = max(changed, unsaved)
        }
        self.init(
            inode: node.inode, kind: kind,
            permissions: node.shownPermissions(kind, options),
            linkCount: node.place == nil && node.inode != .root ? 0 : 1,
            userID: node.local.userID ?? options.userID,
            groupID: node.local.groupID ?? options.groupID,
            size: unsaved?.size ?? node.shownSize,
            accessTime: node.local.accessed ?? modified,
            modificationTime: modified, changeTime: changed)
    }
}

extension Node {
    /// Rights that the server does not grant are not shown, not even where a user has set them.
    fileprivate func shownPermissions(_ kind: FileKind, _ options: FileSystemOptions) -> UInt16 {
        if flags.contains(.noAccess) { return 0 }
        if flags.contains(.traverseOnly) { return 0o111 }
        let permissions = local.permissions ?? options.defaultPermissions(of: kind)
        return flags.contains(.readOnly) ? permissions & ~0o222 : permissions
    }

    /// The uses that are refused: for lack of rights on the server, as `open` and changes of names
    /// are, and the execution of a file without an execute bit, as the kernel refuses it.
    func refusedAccess(_ options: FileSystemOptions) -> AccessKinds {
        var refused: AccessKinds = []
        switch kind {
        case .folder:
            if !flags.isDisjoint(with: .rights) { refused.insert(.write) }
            if flags.contains(.noAccess) { refused.insert(.read) }
        case .file:
            if flags.contains(.readOnly) { refused.insert(.write) }
            if shownPermissions(.regular, options) & 0o111 == 0 { refused.insert(.execute) }
        case .symbolicLink, .fifo, .socket: break
        }
        return refused
    }

    fileprivate var shownSize: Int64 {
        switch kind {
        case .folder, .fifo, .socket: 0
        case .file: size
        case .symbolicLink: Int64(clamping: facts.target?.bytes.count ?? 0)
        }
    }

    fileprivate func shownModified(folderTime: WallTime) -> WallTime {
        if kind == .folder {
            return local.modified ?? folderTime
        }
        return modified
    }
}
