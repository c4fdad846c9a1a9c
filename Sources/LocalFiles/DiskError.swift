// A failed system call on the local disk, without the name of what it was for.

import CLibrary

/// The system's reason for a failure.
package struct DiskError: Error, Hashable, CustomStringConvertible {
    /// The number that the system gives, such as `ENOENT`.
    package let errno: Int32

    /// Takes the system's number over.
    package init(errno: Int32) {
        self.errno = errno
    }

    /// The error of the last system call.
    package static var current: DiskError { DiskError(errno: CLibrary.errno) }

    /// The system's words for it.
    package var description: String { String(cString: strerror(errno)) }
}
