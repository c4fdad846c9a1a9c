// Conversions between the server's entries, the facts of nodes and staged content.

package import ContentHashing
import Core
package import MetadataStore
import RemoteStore

extension RemoteFacts {
    /// The kind of a file with these facts.
    var kind: NodeKind { target == nil ? .file : .symbolicLink }

    /// Lets a file be the link that it was if it still has the link's content: not all answers tell
    /// of facts, and the account may have lost them.
    mutating func keepTarget(of node: Node) {
        guard target == nil, node.kind == .symbolicLink, let known = node.facts.target,
            known.contentHash == hash
        else { return }
        target = known
    }

    /// Whether these facts make a link of a text that users here have moved, edited or deleted.
    /// That is sent first, as of a file; the delta of it brings the link.
    func isLink(ofUnsent node: Node) -> Bool {
        kind == .symbolicLink && node.kind == .file && hash == node.facts.hash
            && (node.remote != .inPlace || node.staged != nil)
    }

    init(_ file: RemoteFile) {
        var flags: NodeFlags = []
        if file.isReadOnly { flags.insert(.readOnly) }
        if !file.isDownloadable { flags.insert(.notDownloadable) }
        self.init(
            id: file.id, revision: file.revision, size: file.size, hash: file.hash,
            clientModified: file.clientModified, serverModified: file.serverModified,
            target: file.linkTarget, flags: flags)
    }

    init(_ folder: RemoteFolder) {
        var flags: NodeFlags = []
        if folder.isReadOnly { flags.insert(.readOnly) }
        if folder.isTraverseOnly { flags.insert(.traverseOnly) }
        if folder.isNoAccess { flags.insert(.noAccess) }
        self.init(id: folder.id, sharedFolderID: folder.sharedFolderID, flags: flags)
    }
}

extension RemoteEntry {
    /// The delta entry of a deletion at a path of names, as far as a tree knows them.
    init?(deleted path: RemotePath, in tree: some TreeReading) throws {
        let names = try path.components.map { try FileName($0) }
        guard let name = names.last else { return nil }
        self.init(
            foldedPath: RemotePath(rawValue: try tree.remoteKeyPath(ofNames: names)), name: name,
            kind: .deleted)
    }
}

extension StagedContent {
    /// The hash of the content, if known: it was computed, or the content is a whole revision.
    package var knownHash: ContentHash? {
        if let hash { return hash }
        guard let base, size == base.size, base.limit == base.size,
            blocks.allSatisfy({ $0 == 0 })
        else { return nil }
        return base.hash
    }
}

extension StagedContent.Base {
    /// The whole content of a node's revision; nil if it has no readable one.
    init?(whole facts: RemoteFacts) {
        guard let revision = facts.revision, let hash = facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: facts.size, limit: facts.size)
    }
}
