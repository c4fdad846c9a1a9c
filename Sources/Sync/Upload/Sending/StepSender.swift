// A step that is sent alone: which of the types beside this one sends it, under which kind of the
// gate, and the record of its response. Not responsible for when it is sent, nor for refusals
// (`Uploader`).

import Core
import RemoteStore
import Tree

/// Sends the steps that are in no batch.
struct StepSender: Sendable {
    let account: SyncedAccount
    let contents: ContentSender
    let deletion: FolderDeletion
    let quota: QuotaWatch

    /// Sends a step and records the response.
    func send(_ step: UploadStep, for inode: InodeID) async throws(SyncError) {
        switch step {
        case .settled, .waitFor, .waitForWriters:
            try await account.recorder.record { try $0.settle(inode) }.get()
        case .upload(let upload):
            try await contents.send(upload, for: inode)
        case .setFacts(let update):
            try await FactsSender(account: account).send(update, for: inode)
        case .move, .deleteFolder:
            try await account.gate.commitAlone { () async throws(SyncError) in
                try await commit(step, for: inode)
            }
        case .makeFolder, .copy, .deleteFile:
            try await account.gate.commit { () async throws(SyncError) in
                try await commit(step, for: inode)
            }
        }
    }

    /// Sends a step that is one commit, and records the response.
    private func commit(_ step: UploadStep, for inode: InodeID) async throws(SyncError) {
        if case .copy(let source, let upload) = step {
            return try await contents.copy(from: source, upload, for: inode)
        }
        let sent = try await account.intents.note(UploadIntent(inode: inode, step: step, hash: nil))
        try await account.intents.forgettingRefusal(of: sent) { () async throws(SyncError) in
            try await carryOut(step, for: inode, sent)
        }
    }

    private func carryOut(
        _ step: UploadStep, for inode: InodeID, _ sent: Sent
    ) async throws(SyncError) {
        let remote = account.remote
        switch step {
        case .settled, .waitFor, .waitForWriters, .upload, .copy, .setFacts: return
        case .makeFolder(let path):
            let entry = try await fromServer(await remote.makeFolder(at: path))
            await account.recorder.record { recorder in
                try recorder.endIntent(sent)
                try recorder.placed(inode, entry, sentTo: path)
            }
        case .move(let move):
            let entry = try await fromServer(await remote.move(move.node, to: move.target))
            await UnsentHashes(account: account).note(like: [entry])
            await account.recorder.record { recorder in
                try recorder.endIntent(sent)
                try recorder.placed(
                    inode, entry, sentTo: move.target, meant: move.id)
            }
        case .deleteFile(let node, let revision):
            try await fromServer(await remote.delete(node, revision: revision))
            await account.recorder.record { try $0.deleted(inode) }
            await quota.check()
        case .deleteFolder(let node):
            try await deletion.delete(node, inode)
            await quota.check()
        }
    }
}
