// Batches: many small contents, names or copies in one commit, with an outcome for each. A failed
// step is treated as if it had been sent alone.

import Blocking
import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Sends the steps of an upload batch.
struct BatchSender: Sendable {
    let account: SyncedAccount

    /// A step that failed, and why.
    typealias Failure = (item: StepBatch.Item, error: SyncError)

    /// Sends a batch and records the outcome of each step. Returns the steps that failed.
    func send(_ batch: StepBatch) async -> [Failure] {
        switch batch.kind {
        case .uploads: await sendContents(batch.items)
        case .folders: await makeFolders(batch.items)
        case .deletions: await deleteFiles(batch.items)
        case .moves: await moveFiles(batch.items)
        case .copies: await copyFiles(batch.items)
        case .facts: await FactsSender(account: account).send(batch.items)
        }
    }

    // MARK: Contents

    /// A content in memory, with its commit.
    private struct Loaded: Sendable {
        var item: StepBatch.Item
        var upload: ContentUpload
        var bytes: [UInt8]
        var hash: ContentHash
        /// The staging file; nil for a link's text.
        var file: StagedFile?

        func vouch() throws(SyncError) {
            do throws(StagingError) {
                try file?.vouch()
            } catch {
                throw SyncError(cause: error)
            }
        }

        init(
            item: StepBatch.Item, upload: ContentUpload, bytes: [UInt8], hash: ContentHash,
            file: StagedFile?
        ) {
            self.item = item
            self.upload = upload
            self.bytes = bytes
            self.hash = hash
            self.file = file
        }

        /// The text of a link; nil for any other step.
        init?(linkOf item: StepBatch.Item) {
            guard case .upload(let upload) = item.step, let link = upload.link else { return nil }
            let bytes = link.content
            self.init(
                item: item, upload: upload, bytes: bytes, hash: ContentHasher.hash(bytes),
                file: nil)
        }
    }

    private func sendContents(
        _ items: [StepBatch.Item]
    ) async -> [Failure] {
        do throws(SyncError) {
            let loaded = try await load(items)
            let taken = Set(loaded.map(\.item.inode))
            var failures: [Failure] =
                items.filter { !taken.contains($0.inode) }.map { ($0, .cancelled) }
            guard !loaded.isEmpty else { return failures }
            let sent = try await fromServer(await account.remote.send(loaded.map(\.bytes)))
            var ready: [(loaded: Loaded, session: UploadSession)] = []
            for (content, outcome) in zip(loaded, sent) {
                switch outcome {
                case .success(let session): ready.append((content, session))
                case .failure(let error): failures.append((content.item, .remote(error)))
                }
            }
            failures.append(contentsOf: await finish(ready))
            return failures
        } catch {
            return items.map { ($0, error) }
        }
    }

    /// Reads the contents and notes their hashes, so that they are recognised if the response to
    /// the commit is lost. Contents that have changed since, or cannot be read, are left out.
    private func load(_ items: [StepBatch.Item]) async throws(SyncError) -> [Loaded] {
        let account = account
        do {
            return try await account.disk.run {
                let files = try account.staging.existing(items.map(\.inode))
                let loaded = items.compactMap { item -> Loaded? in
                    if let text = Loaded(linkOf: item) { return text }
                    guard case .upload(var upload) = item.step, let file = files[item.inode],
                        let content = file.contentToSend(), content.size <= upload.limit,
                        // A copy made since has its bytes in the base.
                        content.base == nil
                    else { return nil }
                    var bytes = [UInt8](repeating: 0, count: Int(clamping: content.size))
                    let isRead = bytes.withUnsafeMutableBytes {
                        (try? file.readForUpload(at: 0, into: $0)) != nil
                    }
                    // If the content is sent alone, its step reports the reason.
                    guard isRead else { return nil }
                    upload.staged = content
                    let hash = ContentHasher.hash(bytes)
                    return Loaded(
                        item: item, upload: upload, bytes: bytes, hash: hash, file: file)
                }
                return try account.store.write { transaction in
                    try loaded.compactMap { content in
                        guard let file = content.file else { return content }
                        var content = content
                        guard
                            let upload = try HashNotes(account: account).note(
                                content.hash, of: file, content.upload, in: transaction)
                        else { return nil }
                        content.upload = upload
                        return content
                    }
                }
            }
        } catch {
            throw SyncError(cause: error)
        }
    }

    private func finish(
        _ ready: [(loaded: Loaded, session: UploadSession)]
    ) async -> [Failure] {
        guard !ready.isEmpty else { return [] }
        let uploads = ready.map { content, session in
            FinishedUpload(
                session: session, size: Int64(clamping: content.bytes.count),
                commit: content.upload.commit(content.hash))
        }
        let intents = ready.map { content, _ in
            UploadIntent(
                inode: content.item.inode, step: .upload(content.upload), hash: content.hash)
        }
        return await commit(intents) { wanted async throws(SyncError) in
            for index in wanted { try ready[index].loaded.vouch() }
            return try await fromServer(
                await self.account.remote.finishUploads(wanted.map { uploads[$0] }))
        } record: { recorder, index, entry in
            let content = ready[index].loaded
            try recorder.stored(content.upload, for: content.item.inode, entry)
        }
    }

    // MARK: Names

    private func makeFolders(
        _ items: [StepBatch.Item]
    ) async -> [Failure] {
        let paths = items.flatMap(\.step.paths)
        let intents = items.map { UploadIntent(inode: $0.inode, step: $0.step, hash: nil) }
        return await commit(intents) { wanted async throws(SyncError) in
            try await fromServer(
                await self.account.remote.makeFolders(at: wanted.map { paths[$0] }))
        } record: { recorder, index, entry in
            try recorder.placed(items[index].inode, entry, sentTo: paths[index])
        }
    }

    private func deleteFiles(
        _ items: [StepBatch.Item]
    ) async -> [Failure] {
        let deletions = items.compactMap { item -> RemoteDeletion? in
            guard case .deleteFile(let node, let revision?) = item.step else { return nil }
            return RemoteDeletion(node, revision: revision)
        }
        let intents = items.map { UploadIntent(inode: $0.inode, step: $0.step, hash: nil) }
        return await commit(intents) { wanted async throws(SyncError) in
            try await fromServer(
                await self.account.remote.deleteFiles(wanted.map { deletions[$0] }))
        } record: { recorder, index, _ in
            try recorder.deleted(items[index].inode)
        }
    }

    private func moveFiles(
        _ items: [StepBatch.Item]
    ) async -> [Failure] {
        let moves = items.compactMap { item -> RemoteRelocation? in
            guard case .move(let move) = item.step else { return nil }
            return RemoteRelocation(from: move.node, to: move.target)
        }
        let intents = items.map { UploadIntent(inode: $0.inode, step: $0.step, hash: nil) }
        return await commit(intents, isAlone: true) { wanted async throws(SyncError) in
            let outcomes = try await fromServer(
                await self.account.remote.moveFiles(wanted.map { moves[$0] }))
            await UnsentHashes(account: self.account).note(
                like: outcomes.compactMap { try? $0.get() })
            return outcomes
        } record: { recorder, index, entry in
            guard case .move(let move) = items[index].step else { return }
            try recorder.placed(
                items[index].inode, entry, sentTo: move.target, meant: move.id)
        }
    }

    // MARK: Copies

    private func copyFiles(
        _ items: [StepBatch.Item]
    ) async -> [Failure] {
        let ready: [Copy]
        do throws(SyncError) {
            ready = try await HashNotes(account: account).noteCopies(items)
        } catch {
            return items.map { ($0, error) }
        }
        let intents = ready.map {
            UploadIntent(inode: $0.item.inode, step: $0.item.step, hash: $0.hash)
        }
        var failures = await commit(intents) { wanted async throws(SyncError) in
            try await fromServer(
                await self.account.remote.copyFiles(wanted.map { ready[$0].relocation }))
        } record: { recorder, index, entry in
            try recorder.stored(ready[index].upload, for: ready[index].item.inode, entry)
        }
        let taken = Set(ready.map(\.item.inode))
        for item in items where !taken.contains(item.inode) { failures.append((item, .cancelled)) }
        return failures
    }

    // MARK: Commits

    /// Sends one commit for all steps that still hold, and records the outcomes in one transaction.
    /// Returns the failures.
    private func commit<Value: Sendable>(
        _ intents: [UploadIntent], isAlone: Bool = false,
        send: @Sendable ([Int]) async throws(SyncError) -> [RemoteOutcome<Value>],
        record note: @escaping @Sendable (inout UploadResults, Int, Value) throws -> Void
    ) async -> [Failure] {
        await account.gate.commit(isAlone: isAlone) {
            let wanted: [Sent]
            do throws(SyncError) {
                wanted = try await account.intents.note(intents)
            } catch {
                return intents.map { ($0.item, error) }
            }
            let outcomes: [SyncOutcome<Value>]
            do throws(SyncError) {
                let answers = wanted.isEmpty ? [] : try await send(wanted.map(\.index))
                outcomes = answers.map { $0.mapError(SyncError.remote) }
            } catch {
                if error.saysNotDone { await account.intents.forget(wanted) }
                return intents.map { ($0.item, error) }
            }
            await account.recorder.record { recorder in
                for (sent, outcome) in zip(wanted, outcomes) {
                    guard case .success(let value) = outcome else { continue }
                    try recorder.endIntent(sent)
                    try note(&recorder, sent.index, value)
                }
            }
            for case (let sent, .success) in zip(wanted, outcomes) {
                account.activities?.note(.done(intents[sent.index].step))
            }
            await account.intents.forget(
                zip(wanted, outcomes).compactMap { sent, outcome in
                    if case .failure(let error) = outcome, error.saysNotDone { sent } else { nil }
                })
            return zip(wanted, outcomes).compactMap { sent, outcome in
                if case .failure(let error) = outcome {
                    (intents[sent.index].item, error)
                } else {
                    nil
                }
            }
        }
    }
}

/// Content that the server copies itself.
struct Copy: Sendable {
    var item: StepBatch.Item
    var relocation: RemoteRelocation
    var upload: ContentUpload
    var hash: ContentHash

    /// Returns nil for another kind of step, and if the content's hash is unknown.
    init?(_ item: StepBatch.Item) {
        guard case .copy(let source, let upload) = item.step,
            let hash = upload.staged.hash ?? upload.staged.base?.hash
        else { return nil }
        self.item = item
        self.relocation = RemoteRelocation(from: source, to: upload.path)
        self.upload = upload
        self.hash = hash
    }
}

extension ContentUpload {
    /// Maximum bytes of one file in a batch, so that the batch stays within its planned size.
    fileprivate var limit: Int64 { Int64(clamping: ContentHasher.blockSize) }
}
