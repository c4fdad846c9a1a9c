// The part of the state folder's disk that is kept for what people write here: a server that lists new entries without an
// end stops before it.

import Glibc
import RemoteStore
import Saturating
import Staging

enum DiskReserve {
    /// Bytes that stay free: room for a day's text and code, until somebody looks at the status.
    private static let bytes: Int64 = 64 << 20
    /// The part of a small disk.
    private static let part: Int64 = 20

    static let problem =
        "the disk of the state folder is almost full, and changes on Dropbox wait: free some space"

    /// Whether so few bytes of a disk are free that they are kept.
    static func isUsedUp(free: Int64, of total: Int64) -> Bool {
        free < min(bytes, total.divided(by: part))
    }

    /// Whether that is so where a folder is. Unknown is no.
    static func isUsedUp(at folder: String) -> Bool {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return false }
        let unit = Int64(clamping: disk.f_frsize)
        return isUsedUp(
            free: Int64(clamping: disk.f_bavail) *| unit, of: Int64(clamping: disk.f_blocks) *| unit
        )
    }
}

extension RemoteWatcher {
    /// Throws, and says so in the status, while the disk has no room but the reserve.
    func checkReserve() throws(RemoteError) {
        let failure = RemoteError.LocalFailure.other(DiskReserve.problem)
        guard DiskReserve.isUsedUp(at: environment.staging.directory) else { return }
        environment.state.noteStore(failure)
        throw .local(failure)
    }
}
