// How a file's content is sent: small ones in one request, big ones as sessions
// (`SessionSender.swift`). Missing blocks of the base are fetched into memory, because the disk may
// be full.

import Blocking
import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Sends the contents of single files.
struct ContentSender: Sendable {
    let account: SyncedAccount
    let sessions: SessionSender
    let streaming: StreamingUploads

    /// Largest content sent in one request: one block, which is read into memory and so cannot
    /// change while it is sent.
    private static var smallSize: Int64 { Int64(clamping: ContentHasher.blockSize) }

    /// Lets the server copy its own content. It copies the present revision; if that is not the one
    /// that was copied here, the content follows as the next revision.
    func copy(
        from source: RemoteReference, _ upload: ContentUpload, for inode: InodeID
    ) async throws(SyncError) {
        let item = StepBatch.Item(inode: inode, step: .copy(from: source, upload))
        guard let copy = try await HashNotes(account: account).noteCopies([item]).first else {
            throw .cancelled
        }
        let sent = try await account.intents.note(
            UploadIntent(inode: inode, step: item.step, hash: copy.hash))
        try await account.intents.forgettingRefusal(of: sent) { () async throws(SyncError) in
            let entry = try await fromServer(await account.remote.copy(source, to: upload.path))
            await account.recorder.record { recorder in
                try recorder.endIntent(sent)
                try recorder.stored(upload, for: inode, entry)
            }
        }
    }

    func send(_ upload: ContentUpload, for inode: InodeID) async throws(SyncError) {
        let account = account
        if let link = upload.link { return try await send(link, upload, for: inode) }
        await streaming.wait(for: inode)
        guard
            let file = try await account.local.run({ try account.staging.existing(inode) }),
            let content = file.contentToSend()
        else {
            await account.recorder.record { try $0.settle(inode) }
            return
        }
        account.state.update {
            $0.uploads[inode] = SyncStatus.Upload(
                path: upload.path.description, size: content.size)
        }
        defer { account.state.update { $0.uploads[inode] = nil } }
        var upload = upload
        upload.staged = content
        if content.size <= Self.smallSize {
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
        try await account.gate.commit { () async throws(SyncError) in
            let sent = try await account.intents.note(
                UploadIntent(inode: inode, step: .upload(upload), hash: hash))
            try await commit(MemorySource(bytes), upload, for: inode, sent, hash)
        }
    }

    private func commit(
        _ bytes: some UploadSource, _ upload: ContentUpload, for inode: InodeID, _ sent: Sent,
        _ hash: ContentHash
    ) async throws(SyncError) {
        try await account.intents.forgettingRefusal(of: sent) { () async throws(SyncError) in
            let entry: RemoteEntry
            do throws(SyncError) {
                entry = try await fromServer(
                    await account.remote.upload(bytes, commit: upload.commit(hash)))
            } catch {
                // A pause has ended a repeated request, whose first try may have arrived: that is
                // no problem of the file. One that ended the first request is a refusal.
                let isStopped = error == .remote(RemoteError.contentMismatch.afterPossibleChange)
                throw account.state.current.isPaused && isStopped ? .cancelled : error
            }
            await account.recorder.record { recorder in
                try recorder.endIntent(sent)
                try recorder.stored(upload, for: inode, entry)
            }
        }
    }

    private func sendSmall(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(SyncError) {
        let size = upload.staged.size
        let source = try await StagedSource(of: 0..<size, in: file, upload, account)
        let bytes = try await account.local.run {
            var bytes = [UInt8](repeating: 0, count: Int(clamping: size))
            _ = try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
            return bytes
        }
        let hash = ContentHasher.hash(bytes)
        let upload = try await HashNotes(account: account).note(hash, of: file, upload)
        try await account.gate.commit { () async throws(SyncError) in
            let sent = try await account.intents.note(
                UploadIntent(inode: file.inode, step: .upload(upload), hash: hash), of: file)
            let tracked = account.tracking(
                MemorySource(bytes), piece: 0..<upload.staged.size, of: file.inode)
            try await commit(tracked, upload, for: file.inode, sent, hash)
        }
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
