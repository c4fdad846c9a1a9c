// The part of the state folder's disk that is kept for what people write here: a server that lists new entries without an
// end stops before it.

import Glibc
import RemoteStore
import Saturating
import Staging

enum DiskReserve {
    /// Bytes that stay free: room for a day's text and code, until a user reads the status.
    private static let bytes: Int64 = 64 << 20
    /// The part of a small disk.
    private static let part: Int64 = 20

    /// Bytes on the disk, at most, for an applied entry, beside those of its texts: a row, its index
    /// entries, and all of it in the log once more.
    private static let bytesOfEntry: Int64 = 600
    private static let copiesOfText: Int64 = 4

    /// Whether so few bytes of a disk are free that they are kept.
    static func isUsedUp(free: Int64, of total: Int64) -> Bool {
        free < min(bytes, total.divided(by: part))
    }

    /// Bytes that bringing in these entries may take.
    static func bytes(for entries: [RemoteEntry]) -> Int64 {
        entries.reduce(0) {
            $0 +| bytesOfEntry +| copiesOfText *| Int64(clamping: $1.textBytes)
        }
    }

    /// Whether that is so where a folder is, once `added` bytes are written. Unknown is no.
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

extension RemoteWatcher {
    /// Throws, and says so in the status, while the disk has no room but the reserve for entries that are
    /// applied together.
    func checkReserve(_ entries: [RemoteEntry] = []) throws(SyncError) {
        guard
            DiskReserve.isUsedUp(
                at: environment.staging.directory, added: DiskReserve.bytes(for: entries))
        else { return }
        environment.state.noteStore(.reserveReached)
        throw .local(.reserveReached)
    }
}
