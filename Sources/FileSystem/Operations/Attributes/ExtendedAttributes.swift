// Extended attributes: the user's, stored locally, and read-only ones with facts from Dropbox.

import ContentHashing
import Core
import MetadataStore
import Saturating
import Sync
import Tree

/// The extended attributes of inodes.
final class ExtendedAttributes: Sendable {
    private static let userPrefix = "user."
    /// The limits of xattr(7): `XATTR_NAME_MAX`, which answers ERANGE, and `XATTR_SIZE_MAX`, in
    /// bytes.
    private static let maximumNameLength = 255
    private static let maximumValueLength = 65_536
    /// `XATTR_LIST_MAX`, in bytes: the kernel does not list the attributes of a file with longer
    /// names. It also limits the cost of a change, for which all attributes of the file are read.
    private static let maximumListLength = 65_536

    private let store: MetadataStore
    private let tree: LocalTree
    private let attempts: StoreAttempts
    private let sync: any Syncing
    private let options: FileSystemOptions

    init(
        store: MetadataStore, tree: LocalTree, attempts: StoreAttempts, sync: any Syncing,
        options: FileSystemOptions
    ) {
        self.store = store
        self.tree = tree
        self.attempts = attempts
        self.sync = sync
        self.options = options
    }

    /// The value of an extended attribute.
    func value(_ name: String, of inode: InodeID) -> Answer<[UInt8]> {
        // The kernel asks for `security.capability` at every write, which must not cost a query.
        guard name.hasPrefix(Self.userPrefix) else { return .failed(.noAttribute) }
        return attempts.answer { _ in
            let value = try self.store.readBriefly { snapshot in
                let node = try snapshot.existing(inode)
                if let told = ToldAttribute(name) {
                    return try told.value(of: node, in: snapshot).map { Array($0.utf8) }
                }
                return try snapshot.attribute(name, of: inode)
            }
            guard let value else { throw FileSystemError.noAttribute }
            return value
        }
    }

    /// The names of the user's attributes. Those of Dropbox are not listed, because tools that copy
    /// all listed attributes would try to set them.
    func names(of inode: InodeID) -> Answer<[String]> {
        attempts.answer { _ in
            try self.store.readBriefly { snapshot in
                _ = try snapshot.existing(inode)
                return try snapshot.attributeNames(of: inode)
            }
        }
    }

    /// Creates or replaces an extended attribute.
    func set(
        _ name: String, of inode: InodeID, to value: [UInt8], mode: AttributeWriteMode
    ) -> Answer<Void> {
        if name == DropboxFileSystem.changeSignalAttribute { return .ready(()) }
        return changeAttribute(name, of: inode) { exists in
            switch (mode, exists) {
            case (.create, true): throw FileSystemError.exists
            case (.replace, false): throw FileSystemError.noAttribute
            case (.create, false), (.replace, true), (.any, _): break
            }
            // The error that setxattr(2) documents for a value that does not fit.
            if value.count > Self.maximumValueLength { throw FileSystemError.noSpace }
            return value
        }
    }

    /// Deletes an extended attribute.
    func remove(_ name: String, of inode: InodeID) -> Answer<Void> {
        changeAttribute(name, of: inode) { exists in
            guard exists else { throw FileSystemError.noAttribute }
            return nil
        }
    }

    private func changeAttribute(
        _ name: String, of inode: InodeID,
        to value: @escaping @Sendable (Bool) throws -> [UInt8]?
    ) -> Answer<Void> {
        attempts.answer { _ in
            if self.options.isReadOnly { throw FileSystemError.readOnly }
            guard name.hasPrefix(Self.userPrefix), name != Self.userPrefix else {
                throw FileSystemError.unsupported
            }
            if ToldAttribute.isReserved(name) { throw FileSystemError.notPermitted }
            if name.utf8.count > Self.maximumNameLength { throw FileSystemError.bufferTooSmall }
            let isQueued = try self.tree.change { changes in
                let node = try changes.transaction.existing(inode)
                let exists = try changes.transaction.attribute(name, of: inode) != nil
                let value = try value(exists)
                if value != nil, !exists {
                    let length = try changes.transaction.attributeNamesLength(of: inode)
                    guard length +| name.utf8.count < Self.maximumListLength else {
                        throw FileSystemError.noSpace
                    }
                }
                return try changes.setAttribute(name, of: node, to: value)
            }
            if isQueued { self.sync.noteChange() }
        }
    }
}

/// A read-only attribute with a fact from Dropbox.
private enum ToldAttribute: String {
    case id, rev
    case contentHash = "content_hash"
    case path
    case sharedFolderID = "shared_folder_id"
    case local, pending, state

    private static let prefix = "user.dropbox."

    init?(_ name: String) {
        guard Self.isReserved(name) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    static func isReserved(_ name: String) -> Bool {
        name.hasPrefix(prefix)
    }

    func value(of node: Node, in snapshot: Snapshot) throws -> String? {
        switch self {
        case .id: node.facts.id?.rawValue
        case .rev: node.kind == .file ? node.facts.revision?.rawValue : nil
        case .contentHash: node.facts.hash?.hex
        case .path: try snapshot.remotePath(of: node.inode)
        case .sharedFolderID: node.facts.sharedFolderID
        case .local: node.flags.contains(.localOnly) ? "1" : nil
        case .state: try snapshot.state(of: node).rawValue
        case .pending: try snapshot.journalEntry(of: node.inode) == nil ? nil : "1"
        }
    }
}
