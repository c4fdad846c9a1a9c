// Cloud documents, whose own bytes Dropbox does not give out: with exports, a document's content for readers is its export.
//
// An export is never staged content's base and no revision: so nothing can upload it as the document's content, and no copy on
// the server stands for a copy of it.

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

extension DropboxFileSystem {
    /// Refuses an open of a cloud document, unless it is for reading and documents are exported.
    func requireReadable(_ node: Node, _ flags: OpenFlags) throws(FileSystemError) {
        guard node.isCloudDocument else { return }
        // Writing some bytes would replace the document.
        guard documents != nil, !flags.writes, !flags.truncates else { throw .unsupported }
    }

    /// Sets the content of a document that is opened: its export, which is fetched first if it is not here.
    func settleExport(_ file: OpenFile, of node: Node, caller: CallingProcess) throws {
        guard let documents, node.isCloudDocument, case .unknown = file.content else { return }
        guard let id = node.facts.id, let revision = node.facts.revision else {
            throw FileSystemError.unsupported
        }
        if let export = documents.file(of: node.inode, revision) {
            return file.settle(.exported(export))
        }
        try refuseFetching(of: node.inode, caller: caller)
        throw ExportNeeded(inode: node.inode, id: id, revision: revision)
    }

    /// Fetches the export of a document.
    func export(_ needed: ExportNeeded) async throws(FileSystemError) {
        do throws(ExportFailure) {
            try await documents?.fetch(needed.inode, id: needed.id, revision: needed.revision)
        } catch {
            throw failure(FileSystemError(error))
        }
        noteFetched(needed.inode)
    }

    /// The size of a document's export, as far as it is known; else the kernel learns it at the open.
    func exportSize(of node: Node, _ open: OpenFile?) -> Int64? {
        guard let documents, node.isCloudDocument else { return nil }
        if case .exported(let export)? = open?.content { return export.size }
        return documents.size(of: node.inode, node.facts.revision)
    }
}
