// New nodes: folders, files, symbolic links, FIFOs and sockets.

package import Core
package import MetadataStore
package import Staging

/// A node to be made.
package enum NewNode: Sendable {
    case folder
    /// A file without content.
    case file
    /// Local-only, because the API cannot store a symbolic link.
    case symbolicLink(target: String)
    /// Local-only, like the next one: Dropbox has nothing of the kind.
    case fifo
    case socket
}

/// The result of an open that may create.
package enum FoundOrMade {
    case found(Node)
    case made(Node, StagedFile)
}

extension LocalChanges {
    /// Makes a node under a free name. Throws `exists` if the name is taken.
    package func make(
        _ new: NewNode, named name: FileName, in parent: InodeID, _ local: LocalFacts
    ) throws -> Node {
        let folder = try transaction.folder(parent)
        if try occupant(of: name, in: folder) != nil { throw TreeError.exists }
        let inode = try insert(new, named: name, in: folder, local).inode
        try transaction.touch(parent, at: now)
        return try transaction.existing(inode)
    }

    /// Makes an empty file, or finds the file of that name unless `isExclusive`.
    package func findOrMakeFile(
        named name: FileName, in parent: InodeID, _ local: LocalFacts, isExclusive: Bool
    ) throws -> FoundOrMade {
        let folder = try transaction.folder(parent)
        if let taken = try occupant(of: name, in: folder) {
            let isFound = context.rules.foldsCase || taken.place?.name.isShown(as: name) == true
            guard !isExclusive, isFound else { throw TreeError.exists }
            return .found(taken)
        }
        let (inode, content) = try insert(.file, named: name, in: folder, local)
        try transaction.touch(parent, at: now)
        guard let content else { throw TreeError.noContent(inode) }
        return .made(try transaction.existing(inode), content)
    }

    /// The inode of the new node, and the content of a file.
    private func insert(
        _ new: NewNode, named name: FileName, in folder: Node, _ local: LocalFacts
    ) throws -> (inode: InodeID, content: StagedFile?) {
        try requireWritable(folder)
        try requireStorable(name)
        let isFolder = if case .folder = new { true } else { false }
        let isLocal = try isLocal(name, in: folder, isFolder: isFolder)
        let place = Place(
            parent: folder.inode,
            name: try transaction.name(shownAs: name, in: folder.inode, for: nil))
        let flags: NodeFlags = isLocal ? .localOnly : []
        switch new {
        case .folder:
            let inode = try transaction.insert(.folder, at: place, local: local, flags: flags)
            try noteFacts(of: inode, local)
            return (inode, nil)
        case .file:
            let inode = try transaction.insert(.file, at: place, local: local, flags: flags)
            try noteFacts(of: inode, local)
            return (inode, try context.staging.begin(inode, base: nil, size: 0, in: transaction))
        case .symbolicLink(let target):
            let inode = try transaction.insert(
                .symbolicLink, at: place, local: local, flags: .localOnly)
            try transaction.setTarget(target, of: inode)
            return (inode, nil)
        case .fifo:
            return (
                try transaction.insert(.fifo, at: place, local: local, flags: .localOnly), nil
            )
        case .socket:
            return (
                try transaction.insert(.socket, at: place, local: local, flags: .localOnly), nil
            )
        }
    }

    /// A new node with the default's permissions has no facts to share.
    private func noteFacts(of inode: InodeID, _ local: LocalFacts) throws {
        if local.permissions == nil { return }
        try transaction.settleFacts(of: inode, by: context.rules.posix)
    }
}
