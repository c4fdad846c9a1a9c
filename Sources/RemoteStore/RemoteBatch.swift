// Many small changes at once. Each has its own outcome; what fails as a whole throws.

public import Core

/// A session with all its bytes, to become a file.
public struct FinishedUpload: Hashable, Sendable {
    /// The session.
    public var session: UploadSession
    /// Its size in bytes.
    public var size: Int64
    /// Where and how to commit.
    public var commit: RemoteCommit

    /// Names all three.
    public init(session: UploadSession, size: Int64, commit: RemoteCommit) {
        self.session = session
        self.size = size
        self.commit = commit
    }
}

/// A file to be deleted, if it still is this revision.
public struct RemoteDeletion: Hashable, Sendable {
    /// Which file.
    public var node: RemoteReference
    /// The revision that it is to be.
    public var revision: Revision

    /// Names both.
    public init(_ node: RemoteReference, revision: Revision) {
        self.node = node
        self.revision = revision
    }
}

/// What is to be moved or copied, and where to.
public struct RemoteRelocation: Hashable, Sendable {
    /// Which node.
    public var source: RemoteReference
    /// A free place.
    public var target: RemotePath

    /// Names both.
    public init(from source: RemoteReference, to target: RemotePath) {
        self.source = source
        self.target = target
    }
}

/// What became of one change of a batch.
public typealias RemoteOutcome<Value: Sendable> = Result<Value, RemoteError>

/// Stores without batches of their own do one after the other.
extension RemoteStoring {
    /// Sends whole contents, each into a session of its own that accepts no more bytes.
    public func send(
        _ contents: [[UInt8]]
    ) async throws(RemoteError) -> [RemoteOutcome<UploadSession>] {
        await oneByOne(contents) { content async throws(RemoteError) in
            let session = try await startUpload(concurrent: false)
            try await append(
                WholeContent(bytes: content), range: 0..<Int64(clamping: content.count),
                to: session,
                closes: true)
            return session
        }
    }

    /// Makes sessions files.
    public func finishUploads(
        _ uploads: [FinishedUpload]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(uploads) { upload async throws(RemoteError) in
            try await finishUpload(upload.session, size: upload.size, commit: upload.commit)
        }
    }

    /// Makes folders, none inside another of them.
    public func makeFolders(
        at paths: [RemotePath]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(paths) { path async throws(RemoteError) in try await makeFolder(at: path) }
    }

    /// Deletes files.
    public func deleteFiles(
        _ deletions: [RemoteDeletion]
    ) async throws(RemoteError) -> [RemoteOutcome<Void>] {
        await oneByOne(deletions) { deletion async throws(RemoteError) in
            try await delete(deletion.node, revision: deletion.revision)
        }
    }

    /// Moves files.
    public func moveFiles(
        _ moves: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        await oneByOne(moves) { move async throws(RemoteError) in
            try await self.move(move.source, to: move.target)
        }
    }

    /// Copies files.
    public func copyFiles(
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

/// Content in memory.
struct WholeContent: UploadSource {
    let bytes: [UInt8]

    var size: Int64 { Int64(clamping: bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let part = bytes.dropFirst(Int(clamping: offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
