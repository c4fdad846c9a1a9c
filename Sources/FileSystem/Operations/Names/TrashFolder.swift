// The folders at the top of a mount into which file managers move discarded files.
// https://specifications.freedesktop.org/trash-spec

import Core

/// A folder for trash, by its place.
///
/// On a mount it would be sent to Dropbox and to all members of a shared folder, and its files
/// would go on counting against the quota. Dropbox keeps deleted files by itself.
enum TrashFolder {
    /// Whether a name at a place is that of a trash folder: `.Trash` or `.Trash-UID` at the top.
    static func isOne(_ name: [UInt8], in parent: InodeID) -> Bool {
        let prefix = Array(".Trash".utf8)
        guard parent == .root, name.starts(with: prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        guard let dash = rest.first else { return true }
        let digits = rest.dropFirst()
        return dash == UInt8(ascii: "-") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension FileSystemOptions {
    /// Refuses a new trash folder, unless the user wants one. File managers then offer to delete.
    func refuseTrash(_ name: [UInt8], in parent: InodeID) throws(FileSystemError) {
        guard refusesTrash, TrashFolder.isOne(name, in: parent) else { return }
        throw .notPermitted
    }
}
