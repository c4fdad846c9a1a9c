// The choice between the full listing and one folder by folder, for accounts whose full listing the
// server refuses. `FolderWalk` requests and applies folders.

import Logging
import RemoteStore

extension ChangeFeed {
    /// Runs a part of the full listing. After repeated failures of the server, switches to listing
    /// folder by folder.
    func walkingIfRefused(
        _ phase: Phase, _ body: () async throws(SyncError) -> Void
    ) async throws(SyncError) {
        do throws(SyncError) {
            try await body()
        } catch {
            guard case .remote(let refusal) = error, refusal.isRefusalToList else { throw error }
            guard listing.noteRefusal() else { throw error }
            try await startWalking(phase)
        }
    }

    private func startWalking(_ phase: Phase) async throws(SyncError) {
        try await folderWalk.begin(phase)
        listing.beginRound()
        account.log.notice("the server does not list everything at once: listing each folder")
        noteResponse(catchesUp: phase.lacksTree)
    }

    /// Lists the next folders. After the last one, the deltas since the cursor complete the
    /// listing.
    func walk(_ phase: Phase) async throws(SyncError) {
        let folders = try await folderWalk.unlistedFolders(after: listing.lastFolder)
        if let last = folders.last {
            try await folderWalk.list(folders)
            listing.noteListed(upTo: last.inode)
        } else if listing.isInRound {
            // Folders behind the present one may have been added.
            listing.beginRound()
        } else {
            try await folderWalk.end()
        }
        noteResponse(catchesUp: phase.lacksTree)
    }
}
