// The part of the state folder's disk that is reserved for users' writes: entries from a server
// that lists new ones without an end do not fill it.

import MetadataStore
import RemoteStore
import Saturating

enum DiskReserve {
    /// Bytes that stay free: room for a day's text and code, until a user reads the status.
    private static let bytes: Int64 = 64 << 20
    /// The divisor of the size of a small disk that gives its reserve.
    private static let part: Int64 = 20

    /// Bytes on the disk, at most, for an applied entry, beside those of its texts: a row, its
    /// index entries, and all of it in the log once more.
    private static let bytesOfEntry: Int64 = 600
    private static let copiesOfText: Int64 = 4

    /// Whether a disk has no more free bytes than the reserve.
    static func isUsedUp(free: Int64, of total: Int64) -> Bool {
        free < min(bytes, total.divided(by: part))
    }

    /// Bytes that these entries may take in the database and its log.
    static func bytes(for entries: [RemoteEntry]) -> Int64 {
        entries.reduce(0) {
            $0 +| bytesOfEntry +| copiesOfText *| Int64(clamping: $1.textBytes)
        }
    }
}

extension SyncedAccount {
    /// Throws, and says so in the status, while the disk has no room but the reserve for entries
    /// that are applied together.
    ///
    /// Entries that are awaited may take a part of the reserve. So may those before which nothing
    /// is sent, while anything is queued: only sent content makes room.
    func checkReserve(
        _ entries: [RemoteEntry], isAwaited: Bool = false
    ) async throws(SyncError) {
        guard let reserve = store.reserve, let space = reserve.space else { return }
        let bytes = DiskReserve.bytes(for: entries)
        // The space that the database has released is for users' changes.
        let free = space.free -| bytes -| reserve.missing
        guard DiskReserve.isUsedUp(free: free, of: space.total) else { return }
        if reserve.admits(awaited: bytes) {
            if isAwaited { return }
            if try await isQueueHeld() { return }
        }
        state.noteStore(.reserveReached)
        throw .local(.reserveReached)
    }

    private func isQueueHeld() async throws(SyncError) -> Bool {
        guard state.current.holdsQueue else { return false }
        return try await fromStore { try await store.read { try $0.pending().operations > 0 } }
    }
}
