// The space that entries take on the disk of the state folder: those of a server that lists new
// ones without an end do not fill it. Not responsible for the low-water mark, nor for the reserve.

import MetadataStore
import RemoteStore
import Saturating

enum DiskReserve {
    /// Bytes on the disk, at most, for an applied entry, beside those of its texts: a row, its
    /// index entries, and all of it in the log once more.
    private static let bytesOfEntry: Int64 = 600
    private static let copiesOfText: Int64 = 4

    /// Bytes that these entries may take in the database and its log.
    static func bytes(for entries: [RemoteEntry]) -> Int64 {
        entries.reduce(0) {
            $0 +| bytesOfEntry +| copiesOfText *| Int64(clamping: $1.textBytes)
        }
    }
}

extension SyncedAccount {
    /// Throws, and says so in the status, if entries that are applied together would take the disk
    /// below its low-water mark. Cached content gives way first.
    ///
    /// Entries that are awaited may take a part of the reserve: those for which a user waits
    /// (`isAwaited`), and all while anything is queued. A step that the server refuses goes on with
    /// the deltas, and only sent content makes room.
    func checkReserve(
        _ entries: [RemoteEntry], isAwaited: Bool = false
    ) async throws(SyncError) {
        guard let reserve = store.reserve else { return }
        let bytes = DiskReserve.bytes(for: entries)
        let shortage = reserve.shortage(after: bytes)
        guard shortage > 0 else { return }
        let isMade = try await local.run { reserve.makeRoom(for: shortage) }
        if isMade, reserve.shortage(after: bytes) <= 0 { return }
        let status = state.current
        // A folder that a user lists makes no room, so half of the reserve stays for sending.
        let isHeld = status.holdsQueue && !isAwaited
        if reserve.admits(awaited: bytes, byAll: isHeld) {
            if isAwaited { return }
            // While uploads are paused, they wait for nothing else.
            if !status.isPaused, try await hasQueue(withProblems: isHeld) { return }
        }
        state.noteStore(.reserveReached)
        throw .local(.reserveReached)
    }

    /// Whether anything is queued, also without a prospect if `withProblems`.
    private func hasQueue(withProblems: Bool) async throws(SyncError) -> Bool {
        let store = store
        return try await fromStore {
            try await store.read { snapshot in
                try withProblems ? snapshot.pending().operations > 0 : snapshot.hasSendableEntry()
            }
        }
    }
}
