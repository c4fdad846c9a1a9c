// A mount whose folder was deleted on the server: sent nodes are removed, unsent ones stay, and
// nothing is sent, because that would recreate the folder.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

extension ChangeFeed {
    /// Seconds between two checks whether the folder exists again.
    private static let missingPause = 30.0

    /// Handles a mounted folder that is missing, with no other one in its place.
    func noteMissing(_ path: String) async throws(SyncError) {
        if try await writer.setting(StoredSetting.feedPhase) != Phase.missing.rawValue {
            try await removeSent()
            account.log.warning(
                "the mounted folder is missing on Dropbox", metadata: ["path": "\(path)"])
        }
        noteResponse()
        account.state.update { status in
            status.isRootNew = true
            status.isTreeComplete = true
            status.isListing = false
            status.missingFolder = path
            status.lastProblem = SyncStatus.missing(path)
        }
        await pauses.sleep(seconds: Self.missingPause)
    }

    /// Removes all sent nodes, as an empty listing would. With no commit in flight: each has found
    /// the folder, or sees that nothing is to be sent.
    private func removeSent() async throws(SyncError) {
        let account = account
        try await account.gate.read { () async throws(SyncError) in
            account.state.update { $0.isRootNew = true }
            var context = account.deltaContext()
            context.isListing = true
            let surroundings = context
            let ages = ages
            try await writer.write { transaction in
                try transaction.beginListing()
                var applier = try DeltaApplier(transaction: transaction, context: surroundings)
                try applier.removeUnseen()
                try ages.noteCaughtUp(at: surroundings.now, in: transaction)
                try applier.feedCaughtUp()
                try transaction.setSetting(StoredSetting.feedWalk, to: nil)
                try transaction.setSetting(StoredSetting.feedPhase, to: Phase.missing.rawValue)
                return applier.outcome
            }
        }
    }
}

extension SyncStatus {
    /// The problem that `status` shows for each of `unsearchedFolders`.
    package static let unsearched =
        "was deleted, and what other clients stored in it at that moment may have gone with it: Dropbox keeps it "
        + "among its deleted files"

    /// The problem that `status` shows while the mounted folder is missing.
    package static func missing(_ path: String) -> String {
        "the mounted folder is no longer on Dropbox: \(path); what is not sent stays here, and is sent when "
            + "the folder is there again: restore it, or make it anew, on dropbox.com"
    }
}
