// New nodes: folders, files, symbolic links, FIFOs and sockets.

package import Core
package import MetadataStore
package import Staging

/// A node to be made.
package enum NewNode: Sendable {
    case folder
    /// A file without content.
    case file
    /// Sent as a file with a short text, if its target can be kept as a fact.
    case symbolicLink(target: LinkTarget)
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
        let (node, content) = try insert(new, named: name, in: folder, local)
        try transaction.touch(parent, at: now)
        // No handle will be closed, which has other new content flushed.
        if let content { transaction.afterCommit { content.noteComplete() } }
        return node
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
        let (node, content) = try insert(.file, named: name, in: folder, local)
        try transaction.touch(parent, at: now)
        guard let content else { throw TreeError.noContent(node.inode) }
        return .made(node, content)
    }

    /// The new node, and the content of a file.
    private func insert(
        _ new: NewNode, named name: FileName, in folder: Node, _ local: LocalFacts
    ) throws -> (node: Node, content: StagedFile?) {
        try requireWritable(folder)
        try requireStorable(name)
        let isFolder = if case .folder = new { true } else { false }
        let isLocal = try isLocal(name, in: folder, isFolder: isFolder)
        let place = Place(
            parent: folder.inode,
            name: try transaction.name(shownAs: name, in: folder.inode, for: nil))
        let flags: NodeFlags = isLocal ? .localOnly : []
        func node(_ kind: NodeKind, _ flags: NodeFlags) throws -> Node {
            try transaction.insertNode(kind, at: place, local: local, flags: flags)
        }
        switch new {
        case .folder: return (try sharing(try node(.folder, flags)), nil)
        case .file:
            var file = try sharing(try node(.file, flags))
            let content = try context.staging.beginNew(&file, in: transaction)
            return (file, content)
        case .symbolicLink(let target):
            let staysHere = context.rules.posix.keepsHere(.symbolicLink, target: target)
            var link = try node(.symbolicLink, staysHere ? .localOnly : flags)
            try transaction.setTarget(target, of: link.inode)
            link.facts.target = target
            return (link, nil)
        case .fifo: return (try node(.fifo, .localOnly), nil)
        case .socket: return (try node(.socket, .localOnly), nil)
        }
    }

    /// A new node, after its facts are owed to the server. One with the default's permissions and a
    /// name that the server has has none to share.
    private func sharing(_ node: Node) throws -> Node {
        if node.local.permissions == nil, node.place?.name.unstored == nil { return node }
        var node = node
        try transaction.settleFacts(of: &node, by: context.rules.posix)
        return node
    }
}
