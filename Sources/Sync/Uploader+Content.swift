// How a file's content travels: small ones in one call, big ones as concurrent sessions. What the
// staging file does not have of the base is fetched first.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

extension Uploader {
    /// Largest content sent in one call: one block, which is read into memory and so cannot change
    /// while it is sent.
    private static let smallSize = Int64(ContentHasher.blockSize)
    /// Size of a piece of a session: rclone's measurements give 16 MiB nearly three quarters of the
    /// throughput of the largest piece, at an eighth of the memory.
    private static let pieceSize = Int64(4 * ContentHasher.blockSize)
    /// Pieces of one file on their way at once.
    private static let concurrentPieces = 4

    /// Has the server copy content that it has. The copy is of what is there now; if that is not what
    /// was copied here, the content follows as the next revision.
    func copy(
        from source: RemotePath, _ upload: ContentUpload, for inode: InodeID
    ) async throws(RemoteError) {
        let staging = environment.staging
        guard let base = upload.staged.base,
            let file = try await local({ try staging.existing(inode) })
        else { return await record { try $0.settle(inode) } }
        try await noteHash(base.hash, of: file, upload)
        let entry = try await environment.remote.copy(source, to: upload.path)
        await record { try $0.stored(upload, for: inode, entry) }
    }

    func send(_ upload: ContentUpload, for inode: InodeID) async throws(RemoteError) {
        let environment = environment
        guard
            let file = try await local({ try environment.staging.existing(inode) }),
            let content = file.contentToSend()
        else { return await record { try $0.settle(inode) } }
        environment.state.update {
            $0.uploads[inode] = SyncStatus.Upload(
                path: upload.path.description, size: content.size, sent: 0)
        }
        defer { environment.state.update { $0.uploads[inode] = nil } }
        try await fillMissing(of: file)
        var upload = upload
        upload.staged = content
        if content.size <= Self.smallSize {
            try await sendSmall(file, upload)
        } else {
            try await sendBig(file, upload)
        }
        environment.state.update { $0.isQuotaExceeded = false }
    }

    private func sendSmall(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(RemoteError) {
        let size = Int(upload.staged.size)
        let bytes = try await local {
            var bytes = [UInt8](repeating: 0, count: size)
            _ = try bytes.withUnsafeMutableBytes { try file.readForUpload(at: 0, into: $0) }
            return bytes
        }
        let hash = ContentHasher.hash(bytes)
        try await noteHash(hash, of: file, upload)
        try await environment.gate.commit { () async throws(RemoteError) in
            let entry = try await environment.remote.upload(
                ByteSource(bytes: bytes), commit: commit(upload, hash))
            await record { try $0.stored(upload, for: file.inode, entry) }
        }
    }

    private func sendBig(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(RemoteError) {
        let size = upload.staged.size
        let session = try await environment.remote.startUpload(concurrent: true)
        let pieces = stride(from: 0, to: size, by: Int(Self.pieceSize)).map {
            $0..<min($0 + Self.pieceSize, size)
        }
        var digests: [[ContentHash]] = []
        digests.reserveCapacity(pieces.count)
        // The piece that closes the session goes last, when all others have arrived.
        for start in stride(from: 0, to: pieces.count - 1, by: Self.concurrentPieces) {
            let group = pieces[start..<min(start + Self.concurrentPieces, pieces.count - 1)]
            digests += try await sendPieces(Array(group), of: file, upload, to: session)
        }
        if let last = pieces.last {
            digests.append(try await sendPiece(last, of: file, upload, to: session, closes: true))
        }
        let hash = ContentHash(blockDigests: digests.joined())
        try await noteHash(hash, of: file, upload)
        try await environment.gate.commit { () async throws(RemoteError) in
            let entry = try await environment.remote.finishUpload(
                session, size: size, commit: commit(upload, hash))
            await record { try $0.stored(upload, for: file.inode, entry) }
        }
    }

    private func sendPieces(
        _ pieces: [Range<Int64>], of file: StagedFile, _ upload: ContentUpload,
        to session: UploadSession
    ) async throws(RemoteError) -> [[ContentHash]] {
        let results = await withTaskGroup(of: (Int, Result<[ContentHash], RemoteError>).self) {
            group in
            for (index, piece) in pieces.enumerated() {
                group.addTask {
                    do throws(RemoteError) {
                        let digests = try await self.sendPiece(
                            piece, of: file, upload, to: session, closes: false)
                        return (index, .success(digests))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<[ContentHash], RemoteError>] = [:]
            for await (index, result) in group {
                results[index] = result
                if case .failure = result {
                    group.cancelAll()
                }
            }
            return results
        }
        // The first failure is the cause; those after it are its cancellations.
        if let failure = results.values.compactMap(\.failure).first(where: { $0 != .cancelled }) {
            throw failure
        }
        var digests: [[ContentHash]] = []
        for index in pieces.indices {
            guard let result = results[index] else { throw .cancelled }
            digests.append(try result.get())
        }
        return digests
    }

    private func sendPiece(
        _ range: Range<Int64>, of file: StagedFile, _ upload: ContentUpload,
        to session: UploadSession, closes: Bool
    ) async throws(RemoteError) -> [ContentHash] {
        guard file.generation == upload.staged.generation else { throw .cancelled }
        let digests = try await local { try file.blockDigests(of: range) }
        try await environment.remote.append(
            StagedSource(file: file, size: upload.staged.size), range: range, to: session,
            closes: closes)
        environment.state.update {
            $0.uploads[file.inode]?.sent += range.upperBound - range.lowerBound
        }
        return digests
    }

    /// Fetches what the staging file lacks of its base: a revision has to be sent whole.
    private func fillMissing(of file: StagedFile) async throws(RemoteError) {
        guard let base = file.base else { return }
        for range in file.missingRanges {
            let bytes = try await baseBytes(base, range)
            try await local { try file.fill(range, with: bytes) }
        }
    }

    private func baseBytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(RemoteError) -> [UInt8] {
        let cache = environment.cache
        let cached = try await local {
            cache.cachedBytes(of: base.hash, size: base.size, range: range)
        }
        if let cached {
            return cached
        }
        let stream = try await environment.remote.download(base.revision, range: range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while let piece = try await stream.next() {
            bytes += piece
        }
        guard bytes.count == range.count else {
            throw .malformed("a download of \(range.count) bytes gave \(bytes.count)")
        }
        return bytes
    }

    /// Notes the hash before the commit is sent: if the reply is lost, the feed's news of this hash is
    /// known to be this upload's.
    private func noteHash(
        _ hash: ContentHash, of file: StagedFile, _ upload: ContentUpload
    ) async throws(RemoteError) {
        let generation = upload.staged.generation
        let store = environment.store
        let isCurrent = try await local {
            try store.write { transaction in
                file.noteHash(hash, generation: generation)
                try file.persist(in: transaction)
                return file.generation == generation
            }
        }
        guard isCurrent else { throw .cancelled }
    }

    func commit(_ upload: ContentUpload, _ hash: ContentHash) -> RemoteCommit {
        RemoteCommit(
            path: upload.path, expectation: upload.expectation,
            clientModified: upload.modified.wholeSeconds, hash: hash)
    }

    /// Runs work on the local disk on a thread that may wait for it.
    private func local<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(RemoteError) -> Value {
        do {
            return try await environment.disk.run(work)
        } catch {
            throw .server("the local disk failed: \(error)")
        }
    }
}

/// Content in memory.
private struct ByteSource: UploadSource {
    let bytes: [UInt8]
    var size: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}

/// Content in a staging file.
private struct StagedSource: UploadSource {
    let file: StagedFile
    let size: Int64

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = Int(min(Int64(buffer.count), size - offset))
        guard count > 0 else { return 0 }
        return try file.readForUpload(
            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
    }
}

extension StagedFile {
    /// The digests of the blocks in a range that begins at a block's start.
    func blockDigests(of range: Range<Int64>) throws -> [ContentHash] {
        var digests: [ContentHash] = []
        var buffer = [UInt8](repeating: 0, count: min(range.count, ContentHasher.blockSize))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: buffer.count) {
            let count = min(buffer.count, Int(range.upperBound - start))
            let digest = try buffer.withUnsafeMutableBytes { bytes in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count))
                _ = try readForUpload(at: start, into: part)
                return ContentHasher.blockDigest(UnsafeRawBufferPointer(part))
            }
            digests.append(digest)
        }
        return digests
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
