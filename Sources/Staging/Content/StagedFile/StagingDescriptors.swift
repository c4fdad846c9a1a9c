// The descriptors that staging files leave to the rest of the process. Not responsible for the
// process's limit, which the daemon raises when it begins.

import Glibc
import LocalFiles
import Saturating

/// A bound for the descriptors of staging files: each file that is open for writing has one.
///
/// Threads, the database, connections and commands need some, too; libdispatch ends the process if
/// it gets none.
enum StagingDescriptors {
    private static let limit = DescriptorLimit.current.map { Int32(clamping: $0.now) } ?? .max

    /// How many descriptors of a limit stay free: new content leaves these, and earlier content
    /// leaves half of them, so that some of a queue can be sent while programs hold new files open.
    static func kept(of limit: Int32, isNew: Bool) -> Int32 {
        let kept = max(16, min(256, limit / 4))
        return isNew ? kept : kept / 2
    }

    /// Closes a descriptor, and throws EMFILE, if it leaves too few free ones: the system gives the
    /// lowest free number.
    static func requireFree(besides descriptor: Int32, isNew: Bool) throws(StagingError) {
        guard isLast(descriptor, of: limit, isNew: isNew) else { return }
        close(descriptor)
        throw StagingError(code: EMFILE)
    }

    /// Whether a descriptor is among those that are to stay free.
    static func isLast(_ descriptor: Int32, of limit: Int32, isNew: Bool) -> Bool {
        descriptor >= limit -| kept(of: limit, isNew: isNew) && descriptor < limit
    }
}
