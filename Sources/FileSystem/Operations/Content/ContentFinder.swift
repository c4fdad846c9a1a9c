// The content that an open file begins with: a revision, or staged content. Not responsible for
// exports of cloud documents (`DocumentContents`).

import Core
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Finds the content of open files.
final class ContentFinder: Sendable {
    private let store: MetadataStore
    private let staging: StagingArea
    private let openFiles: OpenFiles

    init(store: MetadataStore, staging: StagingArea, openFiles: OpenFiles) {
        self.store = store
        self.staging = staging
        self.openFiles = openFiles
    }

    /// Sets the content of an open file, unless another handle has done so. Returns its node after
    /// `check` has seen it. With `evenWithoutName`, a revision is opened even if its name was just
    /// removed.
    func settle(
        _ file: OpenFile, evenWithoutName: Bool = false, _ check: (Node) throws -> Void = { _ in }
    ) throws -> Node {
        // Content can be committed, and its staging file removed, after the row was read. The next
        // round finds the revision.
        for _ in 0..<4 {
            let (node, content) = try readNode(file.inode)
            try check(node)
            guard case .unknown = file.content else { return node }
            if node.place == nil, !node.isKeptForKernel, !evenWithoutName || node.staged != nil {
                // The name was removed during the open, and its content perhaps with it. At this
                // error the kernel repeats the lookup.
                throw FileSystemError.staleHandle
            }
            if let content {
                file.settle(content)
                return node
            }
            guard node.staged != nil else {
                // Without a name, its content went with it.
                if node.place == nil { throw FileSystemError.staleHandle }
                throw FileSystemError.inputOutput("the file \(node.inode) has no content")
            }
        }
        // So many commits in a row do not happen: the row is right, and the file is gone.
        throw FileSystemError.inputOutput(
            "the staging file of \(file.inode) is missing: was the state folder moved?")
    }

    /// Reads a node that is being opened, and its content; nil content if the row is out of date.
    private func readNode(_ inode: InodeID) throws -> (Node, OpenFile.Content?) {
        // A transaction that is running may not know of this handle yet, so the node is read after
        // it. The same holds for the size of staged content, which the last handle may be saving:
        // bytes beyond the size in the row would be cut off.
        let found = try store.readIfFree { snapshot in
            let node = try snapshot.existing(inode)
            return (node, try self.content(of: node))
        }
        if let found { return found }
        if !openFiles.isClaimed(inode) {
            let node = try store.readBriefly { try $0.existing(inode) }
            if node.kind != .file || node.staged == nil {
                return (node, FileVersion(of: node).map { .revision($0) })
            }
        }
        return try store.readBetweenTransactions { snapshot in
            let node = try snapshot.existing(inode)
            return (node, try self.content(of: node))
        }
    }

    /// The content of a node; nil if the row is out of date. Before another transaction begins.
    private func content(of node: Node) throws -> OpenFile.Content? {
        guard node.staged != nil else { return FileVersion(of: node).map { .revision($0) } }
        do throws(StagingError) {
            guard let staged = try staging.file(of: node) else { return nil }
            return staged.retired.map { .revision($0) } ?? .staged(staged)
        } catch {
            if error.isMissingFile { return nil }
            throw error
        }
    }
}

extension Node {
    /// Whether the content of a node without a name stays until the kernel has forgotten the inode,
    /// so that it can be opened as long, as on a local disk.
    fileprivate var isKeptForKernel: Bool { remote == .absent && staged != nil }
}

extension FileVersion {
    /// The revision of a clean node; nil if its bytes cannot be downloaded.
    init?(of node: Node) {
        guard let revision = node.facts.revision, let hash = node.facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: node.facts.size)
    }

    /// The base revision of staged content.
    init(of base: StagedContent.Base) {
        self.init(revision: base.revision, hash: base.hash, size: base.size)
    }
}
