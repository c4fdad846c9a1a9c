// The step for the content of a file: sent, or copied by the server. Not responsible for whether
// there is any to send (`UploadPlanner.swift`).

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging

extension UploadPlanner {
    /// Refused requests after which a copy is no longer left to the server.
    private static let mostCopyAttempts = 5

    /// The step that sends a file's content, or has the server copy it. A file that was written to
    /// a moment ago waits while it is open, unless callers wait for it.
    func content(
        of node: Node, at path: RemotePath, _ place: Place,
        expecting expectation: RemoteCommit.Expectation
    ) throws -> UploadStep {
        guard let staged = node.staged else { return .settled }
        // The last writes of an open handle are not in the rows until it is flushed.
        let isBeingWritten = openFiles.isOpenForWriting(node.inode)
        let written = isBeingWritten ? try staging.file(of: node)?.modified : nil
        let lastChange = written ?? node.modified
        if isBeingWritten && !urgent.contains(node.inode) {
            // A future time is from a clock that was set back since.
            let (earliest, latest) = (
                date.adding(seconds: 0.0 - openFileInterval), date.adding(seconds: openFileInterval)
            )
            if lastChange > earliest, lastChange <= latest {
                return .waitForWriters
            }
        }
        var upload = ContentUpload(
            path: path, expectation: expectation, modified: lastChange,
            staged: staged)
        try upload.date(lastChange, of: node, by: posix, in: transaction)
        guard node.remote == .absent else { return .upload(upload) }
        // A copy that the server refuses is sent as content.
        let attempts = try transaction.journalEntry(of: node.inode)?.attempts ?? 0
        guard attempts < Self.mostCopyAttempts else { return .upload(upload) }
        if let source = try serverCopy(of: staged) {
            return .copy(from: source, upload)
        }
        if let pendingCopy = try transaction.pendingCopy(of: node.inode),
            pendingCopy.generation == staged.generation,
            let copy = try copy(of: pendingCopy, upload)
        {
            return copy
        }
        return .upload(upload)
    }

    /// The step of a pending copy: it waits for its source, and the server copies it, so that the
    /// content is sent once. Nil if that is not possible.
    private func copy(of pendingCopy: PendingCopy, _ upload: ContentUpload) throws -> UploadStep? {
        guard let source = try transaction.node(pendingCopy.source) else { return nil }
        if let revision = pendingCopy.revision {
            guard source.facts.revision == revision, let hash = source.facts.hash,
                source.facts.size == upload.staged.size,
                let path = try transaction.remotePath(of: source.inode)
            else { return nil }
            var upload = upload
            upload.staged.hash = hash
            return .copy(
                from: RemoteReference(path: RemotePath(rawValue: path), id: source.facts.id), upload
            )
        }
        // Not if the server has refused the source.
        guard source.place != nil, source.staged?.generation == pendingCopy.sourceGeneration,
            let entry = try transaction.journalEntry(of: source.inode), entry.attempts == 0
        else { return nil }
        return .waitFor(source.inode)
    }

    /// A file on the server with exactly the staged content, if that is an untouched copy.
    private func serverCopy(of staged: StagedContent) throws -> RemoteReference? {
        guard let base = staged.base, staged.size == base.size, base.limit == base.size,
            base.size > 0, staged.blocks.allSatisfy({ $0 == 0 }),
            let source = try transaction.remoteFile(revision: base.revision),
            let path = try transaction.remotePath(of: source.inode)
        else { return nil }
        return RemoteReference(path: RemotePath(rawValue: path), id: source.facts.id)
    }
}
