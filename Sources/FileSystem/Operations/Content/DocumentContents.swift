// Cloud documents, whose own bytes Dropbox does not give out: with exports, a document's content
// for readers is its export.
//
// An export is never staged content's base and no revision: so nothing can upload it as the
// document's content, and no copy on the server stands for a copy of it.

import Core
import Logging
import MetadataStore
import RemoteStore

/// Aborts an open that needs the export of a document.
struct ExportNeeded: Error {
    let inode: InodeID
    let id: FileID
    let revision: Revision
}

/// The exports that readers get as the content of cloud documents.
final class DocumentContents: Sendable {
    /// Nil if cloud documents cannot be opened.
    private let exports: DocumentExports?
    private let cachedOnly: CachedOnlyPrograms
    /// Gets the documents for which an export was fetched.
    private let noteFetched: @Sendable (InodeID) -> Void
    private let work: LocalWork

    init(
        _ exports: DocumentExports?, cachedOnly: CachedOnlyPrograms, work: LocalWork,
        noteFetched: @escaping @Sendable (InodeID) -> Void
    ) {
        self.exports = exports
        self.cachedOnly = cachedOnly
        self.work = work
        self.noteFetched = noteFetched
    }

    /// Refuses an open of a cloud document, unless it is for reading and documents are exported.
    func requireReadable(_ node: Node, _ flags: OpenFlags) throws(FileSystemError) {
        guard node.isCloudDocument else { return }
        // Writing some bytes would replace the document.
        guard exports != nil, !flags.writes, !flags.truncates else { throw .unsupported }
    }

    /// Sets the content of a document that is opened: its export, which is fetched first if it is
    /// not here.
    func settle(_ file: OpenFile, of node: Node, caller: CallingProcess) throws {
        guard let exports, node.isCloudDocument, case .unknown = file.content else { return }
        guard let id = node.facts.id, let revision = node.facts.revision else {
            throw FileSystemError.unsupported
        }
        if let export = exports.file(of: node.inode, revision) {
            return file.settle(.exported(export))
        }
        try cachedOnly.refuse(of: node.inode, caller: caller)
        throw ExportNeeded(inode: node.inode, id: id, revision: revision)
    }

    /// Fetches the export of a document.
    func fetch(_ needed: ExportNeeded) async throws(FileSystemError) {
        do throws(ExportFailure) {
            try await exports?.fetch(needed.inode, id: needed.id, revision: needed.revision)
        } catch {
            throw work.failure(FileSystemError(error))
        }
        noteFetched(needed.inode)
    }

    /// The size of a document's export, as far as it is known; else the kernel learns it at the
    /// open.
    func size(of node: Node, _ open: OpenFile?) -> Int64? {
        guard let exports, node.isCloudDocument else { return nil }
        if case .exported(let export)? = open?.content { return export.size }
        return exports.size(of: node.inode, node.facts.revision)
    }
}
