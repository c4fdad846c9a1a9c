// The part of the state folder's disk that is reserved for users' writes: entries from a server
// that lists new ones without an end do not fill it.

import Glibc
import MetadataStore
import RemoteStore
import Saturating
import Staging

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

    /// Whether the disk of a folder has no more than the reserve, once `added` bytes are written;
    /// false if unknown.
    static func isUsedUp(at folder: String, added: Int64 = 0) -> Bool {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return false }
        let unit = Int64(clamping: disk.f_frsize)
        return isUsedUp(
            free: Int64(clamping: disk.f_bavail) *| unit -| added,
            of: Int64(clamping: disk.f_blocks) *| unit
        )
    }
}

extension SyncedAccount {
    /// Throws, and says so in the status, while the disk has no room but the reserve for entries
    /// that are applied together.
    func checkReserve(_ entries: [RemoteEntry] = []) throws(SyncError) {
        // The space that the database has released is for users' changes.
        let added = DiskReserve.bytes(for: entries) +| (store.reserve?.missing ?? 0)
        guard DiskReserve.isUsedUp(at: staging.directory, added: added) else { return }
        state.noteStore(.reserveReached)
        throw .local(.reserveReached)
    }
}
