// How a file's content is sent: small ones in one request, big ones as sessions
// (`SessionSender.swift`). Missing blocks of the base are fetched: for a small file into the
// staging file, for a big one piece by piece into memory, so that the disk need not hold all of it.

import Blocking
import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Sends the contents of single files.
struct ContentSender: Sendable {
    let environment: UploadEnvironment
    let sessions: SessionSender
    let streaming: StreamingUploads

    /// Largest content sent in one request: one block, which is read into memory and so cannot
    /// change while it is sent.
    private static let smallSize = Int64(clamping: ContentHasher.blockSize)

    /// Lets the server copy its own content. It copies the present revision; if that is not the one
    /// that was copied here, the content follows as the next revision.
    func copy(
        from source: RemoteReference, _ upload: ContentUpload, for inode: InodeID
    ) async throws(SyncError) {
        let item = StepBatch.Item(inode: inode, step: .copy(from: source, upload))
        guard let copy = try await environment.noteCopies([item]).first else { throw .cancelled }
        let sent = try await environment.note(
            UploadIntent(inode: inode, step: item.step, hash: copy.hash))
        let entry = try await fromServer(await environment.remote.copy(source, to: upload.path))
        await environment.record { recorder in
            try recorder.arrived(sent)
            try recorder.stored(upload, for: inode, entry)
        }
    }

    func send(_ upload: ContentUpload, for inode: InodeID) async throws(SyncError) {
        let environment = environment
        if let link = upload.link { return try await send(link, upload, for: inode) }
        await streaming.wait(for: inode)
        guard
            let file = try await environment.local({ try environment.staging.existing(inode) }),
            let content = file.contentToSend()
        else {
            await environment.record { try $0.settle(inode) }
            return
        }
        environment.state.update {
            $0.uploads[inode] = SyncStatus.Upload(
                path: upload.path.description, size: content.size)
        }
        defer { environment.state.update { $0.uploads[inode] = nil } }
        var upload = upload
        upload.staged = content
        if content.size <= Self.smallSize {
            try await fillMissing(of: file)
            try await sendSmall(file, upload)
        } else {
            try await sessions.send(file, upload)
        }
    }

    /// Sends a link's text.
    private func send(
        _ link: LinkTarget, _ upload: ContentUpload, for inode: InodeID
    ) async throws(SyncError) {
        let bytes = link.content
        let hash = ContentHasher.hash(bytes)
        try await environment.gate.commit { () async throws(SyncError) in
            let sent = try await environment.note(
                UploadIntent(inode: inode, step: .upload(upload), hash: hash))
            try await commit(MemorySource(bytes), upload, for: inode, sent, hash)
        }
    }

    private func commit(
        _ bytes: some UploadSource, _ upload: ContentUpload, for inode: InodeID, _ sent: Sent,
        _ hash: ContentHash
    ) async throws(SyncError) {
        try await environment.forgettingRefusal(of: sent) { () async throws(SyncError) in
            let entry: RemoteEntry
            do throws(SyncError) {
                entry = try await fromServer(
                    await environment.remote.upload(bytes, commit: upload.commit(hash)))
            } catch {
                // A pause ends a repeated request, whose first try may have arrived: no refusal.
                throw environment.state.current.isPaused && error == .remote(.contentMismatch)
                    ? .cancelled : error
            }
            await environment.record { recorder in
                try recorder.arrived(sent)
                try recorder.stored(upload, for: inode, entry)
            }
        }
    }

    private func sendSmall(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(SyncError) {
        let size = Int(clamping: upload.staged.size)
        let bytes = try await environment.local {
            var bytes = [UInt8](repeating: 0, count: size)
            try bytes.withUnsafeMutableBytes { try file.readForUpload(at: 0, into: $0) }
            return bytes
        }
        let hash = ContentHasher.hash(bytes)
        let upload = try await environment.noteHash(hash, of: file, upload)
        try await environment.gate.commit { () async throws(SyncError) in
            let sent = try await environment.note(
                UploadIntent(inode: file.inode, step: .upload(upload), hash: hash), of: file)
            let tracked = environment.tracking(
                MemorySource(bytes), piece: 0..<upload.staged.size, of: file.inode)
            try await commit(tracked, upload, for: file.inode, sent, hash)
        }
    }

    /// Fetches the missing blocks of the base, because a revision must be sent whole.
    private func fillMissing(of file: StagedFile) async throws(SyncError) {
        guard let base = file.base else { return }
        for range in file.missingRanges {
            let bytes = try await environment.neededBaseBytes(base, range)
            try await environment.local { try file.fill(range, with: bytes, of: base) }
        }
        // The base has changed since.
        guard file.missingRanges.isEmpty else { throw .cancelled }
    }
}

extension UploadEnvironment {
    /// Bytes of a revision, from the cache or the server.
    func baseBytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        let cached = try await local {
            cache.cachedBytes(of: base.hash, size: base.size, range: range)
        }
        if let cached {
            return cached
        }
        let stream = try await fromServer(await remote.download(base.revision, range: range))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while let piece = try await fromServer(await stream.next()) {
            bytes.append(contentsOf: piece)
        }
        guard bytes.count == range.count else {
            throw .remote(.malformed("a download of \(range.count) bytes gave \(bytes.count)"))
        }
        return bytes
    }

    /// The same for content that cannot be sent without them. `notFound` would be taken for the
    /// absence of the file.
    func neededBaseBytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        do throws(SyncError) {
            return try await baseBytes(base, range)
        } catch {
            throw error == .remote(.notFound) ? .baseLost : error
        }
    }

    /// Writes the intent of a content's commit. Throws if its flush has failed: the program that called
    /// fsync was told of that, and the file may have other bytes than those written.
    func note(_ intent: UploadIntent, of file: StagedFile) async throws(SyncError) -> Sent {
        let sent = try await note(intent)
        do throws(StagingError) {
            try file.vouch()
        } catch {
            await forget([sent])
            throw SyncError(cause: error)
        }
        return sent
    }

    /// Notes the hash before the commit is sent: if the response is lost, a delta with this hash is
    /// recognised as this upload's. Returns the upload with the time of this content, which may be younger than the decision.
    /// Throws `cancelled` if the content has changed since it was read.
    func noteHash(
        _ hash: ContentHash, of file: StagedFile, _ upload: ContentUpload
    ) async throws(SyncError) -> ContentUpload {
        let current = try await local {
            try store.write { transaction in
                try noteHash(hash, of: file, upload, in: transaction)
            }
        }
        guard let current else { throw .cancelled }
        return current
    }

    /// The same within a transaction; nil if the content has changed since.
    func noteHash(
        _ hash: ContentHash, of file: StagedFile, _ upload: ContentUpload,
        in transaction: Transaction
    ) throws -> ContentUpload? {
        let generation = upload.staged.generation
        file.noteHash(hash, generation: generation)
        try file.persist(in: transaction)
        guard file.generation == generation, let node = try transaction.node(file.inode) else {
            return nil
        }
        var upload = upload
        if node.modified != upload.modified {
            try upload.date(node.modified, of: node, by: posix, in: transaction)
        }
        return upload
    }
}

extension ContentUpload {
    /// The commit of the content with this hash.
    func commit(_ hash: ContentHash) -> RemoteCommit {
        RemoteCommit(
            path: path, expectation: expectation, clientModified: modified.storable, hash: hash,
            facts: facts, needsFacts: needsFacts)
    }
}
