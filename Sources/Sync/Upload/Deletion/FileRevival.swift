// Stores the last content of a deleted file again, without replacing anything. The server's own
// restoration would make it the current revision of a file that another client has stored at the
// path in the same moment. Not responsible for which files come back (`FolderSearcher.swift`).

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Saturating
import Tree

/// Brings deleted files back.
struct FileRevival: Sendable {
    let account: SyncedAccount

    /// Names that are tried besides the file's own.
    private static let mostCopies = 9

    /// Whether the content is stored in one request, which may wait for no other change.
    static func isQuick(_ file: RemoteFile) -> Bool {
        file.size <= Int64(clamping: ContentHasher.blockSize)
    }

    /// Stores a file at a path again, or beside it, if something is there by now. The caller may
    /// hold the commit gate, if that is quick.
    func store(
        _ file: RemoteFile, at path: RemotePath, holdsGate: Bool
    ) async throws(SyncError) {
        guard let hash = file.hash, file.isDownloadable, file.symbolicLinkTarget == nil else {
            return try await restore(file, at: path, holdsGate: holdsGate)
        }
        let base = StagedContent.Base(
            revision: file.revision, hash: hash, size: file.size, limit: file.size)
        let content = try await sent(base)
        for path in paths(besides: path) {
            let commit = RemoteCommit(
                path: path, expectation: .absent(strict: false),
                clientModified: file.clientModified, hash: hash,
                facts: file.linkTarget == nil ? nil : file.posix.facts)
            do throws(SyncError) {
                return try await self.commit(content, commit, holdsGate: holdsGate)
            } catch {
                guard case .remote(.conflict) = error else { throw error }
            }
        }
        throw .remote(.conflict(.file))
    }

    /// For what cannot be downloaded.
    private func restore(
        _ file: RemoteFile, at path: RemotePath, holdsGate: Bool
    ) async throws(SyncError) {
        let account = account
        try await committing(holdsGate) { () async throws(SyncError) in
            guard try await fromServer(await account.remote.deletedFile(at: path)) != nil else {
                return
            }
            let entry = try await fromServer(
                await account.remote.restore(path, to: file.revision))
            await account.recorder.record { try $0.apply([entry]) }
        }
    }

    /// The path, and names for a conflicted copy. An equal file under one of those is that of an
    /// earlier request, whose response was lost.
    private func paths(besides path: RemotePath) -> [RemotePath] {
        var paths = [path]
        guard let name = path.components.last.flatMap({ try? FileName($0) }) else { return paths }
        let names = ConflictName(host: account.host, at: account.clock.date())
        for number in 1...Self.mostCopies {
            paths.append(path.parent.appending(names.name(for: name, number: number)))
        }
        return paths
    }

    // MARK: Content

    /// Content that the server has, or is about to get.
    private enum Content: Sendable {
        case bytes([UInt8])
        case session(UploadSession, size: Int64)
    }

    private func sent(_ base: StagedContent.Base) async throws(SyncError) -> Content {
        let piece = Int64(clamping: ContentHasher.blockSize)
        if base.size <= piece {
            return .bytes(try await BaseContent(account: account).bytes(base, 0..<base.size))
        }
        let session = try await fromServer(await account.remote.startUpload(concurrent: false))
        var start: Int64 = 0
        while start < base.size {
            let range = start..<min(start +| piece, base.size)
            let bytes = try await BaseContent(account: account).bytes(base, range)
            try await fromServer(
                await account.remote.append(
                    MemorySource(bytes, from: start), range: range, to: session,
                    closes: range.upperBound == base.size))
            start = range.upperBound
        }
        return .session(session, size: base.size)
    }

    private func commit(
        _ content: Content, _ commit: RemoteCommit, holdsGate: Bool
    ) async throws(SyncError) {
        let account = account
        try await committing(holdsGate) { () async throws(SyncError) in
            let entry =
                switch content {
                case .bytes(let bytes):
                    try await fromServer(
                        await account.remote.upload(
                            MemorySource(bytes), commit: commit))
                case .session(let session, let size):
                    try await fromServer(
                        await account.remote.finishUpload(session, size: size, commit: commit))
                }
            await account.recorder.record { try $0.apply([entry]) }
        }
    }

    private func committing(
        _ holdsGate: Bool, _ body: () async throws(SyncError) -> Void
    ) async throws(SyncError) {
        if holdsGate { return try await body() }
        try await account.gate.commit(body)
    }
}
