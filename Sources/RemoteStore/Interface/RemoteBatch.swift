// Batches of small changes. Each change has its own outcome; a failure of the whole batch throws.

package import Core
import Saturating

/// A session with all its bytes, to be committed.
package struct FinishedUpload: Hashable, Sendable {
    /// The upload session to commit.
    package var session: UploadSession
    /// Its size in bytes.
    package var size: Int64
    /// The path and the mode of the commit.
    package var commit: RemoteCommit

    /// Takes over all fields.
    package init(session: UploadSession, size: Int64, commit: RemoteCommit) {
        self.session = session
        self.size = size
        self.commit = commit
    }
}

/// A file to be deleted, if its revision is still this one.
package struct RemoteDeletion: Hashable, Sendable {
    /// The file to be deleted.
    package var node: RemoteReference
    /// The expected revision of the file.
    package var revision: Revision

    /// Takes over both fields.
    package init(_ node: RemoteReference, revision: Revision) {
        self.node = node
        self.revision = revision
    }
}

/// A move or copy of a node.
package struct RemoteRelocation: Hashable, Sendable {
    /// The node to be moved or copied.
    package var source: RemoteReference
    /// A free path for it.
    package var target: RemotePath

    /// Takes over both fields.
    package init(from source: RemoteReference, to target: RemotePath) {
        self.source = source
        self.target = target
    }
}

/// The outcome of one change of a batch.
package typealias RemoteOutcome<Value: Sendable> = Result<Value, RemoteError>

/// Stores without batch requests apply one change after the other.
extension RemoteStoring {
    /// Sends whole contents, each into a separate, closed session.
    package func send(
        _ contents: [[UInt8]]
    ) async throws(RemoteError) -> [RemoteOutcome<UploadSession>] {
        await oneByOne(contents) { content async throws(RemoteError) in
            let session = try await startUpload(concurrent: false)
            try await append(
                MemorySource(content), range: 0..<Int64(clamping: content.count),
                to: session,
                closes: true)
            return session
        }
    }

    /// Commits sessions one by one.
    package func finishUploads(
        _ uploads: [FinishedUpload]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(uploads) { upload async throws(RemoteError) in
            try await finishUpload(upload.session, size: upload.size, commit: upload.commit)
        }
    }

    /// Creates folders, none inside another of them.
    package func makeFolders(
        at paths: [RemotePath]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(paths) { path async throws(RemoteError) in try await makeFolder(at: path) }
    }

    /// Deletes files one by one.
    package func deleteFiles(
        _ deletions: [RemoteDeletion]
    ) async throws(RemoteError) -> [RemoteOutcome<Void>] {
        await oneByOne(deletions) { deletion async throws(RemoteError) in
            try await delete(deletion.node, revision: deletion.revision)
        }
    }

    /// Moves files one by one.
    package func moveFiles(
        _ moves: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(moves) { move async throws(RemoteError) in
            try await self.move(move.source, to: move.target)
        }
    }

    /// Copies files one by one.
    package func copyFiles(
        _ copies: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(copies) { copy async throws(RemoteError) in
            try await self.copy(copy.source, to: copy.target)
        }
    }

    private func oneByOne<Change: Sendable, Value: Sendable>(
        _ changes: [Change], _ apply: (Change) async throws(RemoteError) -> Value
    ) async -> [RemoteOutcome<Value>] {
        var outcomes: [RemoteOutcome<Value>] = []
        for change in changes {
            do throws(RemoteError) {
                outcomes.append(.success(try await apply(change)))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }
}
